// Names of cuDNN's statuses, without the library.
#pragma once

#include <string>

namespace rnnadvisor {

// "CUDNN_STATUS_NOT_SUPPORTED", or "cuDNN status 4711". cuDNN 8 has other numbers than cuDNN 9,
// which do not meet.
std::string status_name(int status);

}  // namespace rnnadvisor
