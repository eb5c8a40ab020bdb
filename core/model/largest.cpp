#include "core/model/largest.h"

#include <array>

namespace rnnadvisor::model {

int largest_in_pieces(const std::function<std::int64_t(int)>& need, std::int64_t bytes,
                      std::span<const int> starts, int most) {
  int high = most;
  for (auto start = starts.rbegin(); start != starts.rend(); ++start) {
    int low = *start;
    if (low > high) continue;
    const int end = high;
    high = low - 1;
    if (need(low) > bytes) continue;
    int top = end;
    while (low < top) {
      const int middle = low + (top - low + 1) / 2;
      if (need(middle) <= bytes) {
        low = middle;
      } else {
        top = middle - 1;
      }
    }
    return low;
  }
  return 0;
}

std::span<const int> batch_pieces() {
  static constexpr std::array<int, 4> starts = {1, 9, 17, 97};
  return starts;
}

std::span<const int> length_pieces() {
  static constexpr std::array<int, 1> starts = {1};
  return starts;
}

}  // namespace rnnadvisor::model
