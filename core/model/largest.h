// The largest size of which a need stays within a limit, for needs that do not always grow.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace rnnadvisor::model {

// Largest value in [1, most] with need(value) <= bytes; 0 when none. The need must not fall within
// a piece; `starts` are the first values of the pieces, ascending, the first of them 1.
int largest_in_pieces(const std::function<std::int64_t(int)>& need, std::int64_t bytes,
                      std::span<const int> starts, int most);

// First values of the pieces within which what cuDNN 9.19 needs grows: its standard backward pass
// changes how many steps it has in flight (docs/models.md).
std::span<const int> batch_pieces();
std::span<const int> length_pieces();

}  // namespace rnnadvisor::model
