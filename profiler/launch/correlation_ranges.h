// Which RNN call launched what. The plugin knows for each call the numbers that CUPTI gave to the
// CUDA calls before and after it; a launch of the same thread in between is the call's own.
// Launches of other threads can lie in between as well, and kernels do not record their thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace rnnadvisor::launch {

class CorrelationRanges {
 public:
  static constexpr std::uint32_t no_stream = 0xffffffff;
  // `stream` is the one the call was made on.
  void add_range(std::uint32_t first, std::uint32_t last, std::uint32_t stream,
                 std::uint32_t thread, int call);
  void add_kernel(std::uint32_t correlation, std::uint32_t stream);
  void add_transfer(std::uint32_t correlation, std::uint32_t stream);  // a copy or a set
  void add_api(std::uint32_t correlation, std::uint32_t thread);       // a CUDA API call

  // Visits each launch that one call surely made, with that call: it lies in the call's range and
  // - an API call: is of the call's thread;
  // - a kernel or transfer: is on the call's stream, or on a stream on which no kernel runs outside
  //   of RNN calls (cuDNN's own, which it clears when it makes them) while no other call is under
  //   way.
  // Returns how many launches lie in a range and could not be told. Takes the time of sorting,
  // however many ranges overlap.
  std::int64_t resolve(const std::function<void(std::uint32_t correlation, int call)>& visit);

 private:
  struct Range {
    std::uint32_t first, last, stream, thread;
    int call;
  };
  enum class Kind : std::uint8_t { kernel, transfer, api };
  struct Launch {
    std::uint32_t correlation, where;
    Kind kind;
  };
  struct Open;
  // Calls visit(launch, ranges that are open around it) in order of correlation.
  template <class Visit>
  void sweep(Visit&& visit) const;

  std::vector<Range> ranges_;
  std::vector<Launch> launches_;
};

}  // namespace rnnadvisor::launch
