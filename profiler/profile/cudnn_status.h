// cudnnStatus_t by name, without cuDNN's headers. The numbers are those of cudnn_graph_v9.h, which
// a test holds them against, and of cuDNN 8.
#pragma once

#include <string>
#include <string_view>

namespace rnnadvisor {

// "CUDNN_STATUS_NOT_SUPPORTED", or "cuDNN status 4711". cuDNN 8 has other numbers than cuDNN 9,
// which do not meet.
std::string status_name(int status);
// The number of "CUDNN_STATUS_NOT_SUPPORTED" in a version of cuDNN, such as 91900; -1: none.
int status_number(std::string_view name, int version);
// Whether something went wrong inside, rather than was refused.
bool is_failure(int status);

}  // namespace rnnadvisor
