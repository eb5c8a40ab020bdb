// What stands in for an interpreter with PyTorch in tests of the command line.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {

inline const std::string stand_in_python =
    RNNADVISOR_SOURCE_DIR "/tests/advisor/whatif/torch/stand_in_python.py";

// While it lives the stand-in behaves so.
class StandIn {
 public:
  explicit StandIn(const char* how) { setenv("STAND_IN", how, 1); }
  ~StandIn() { unsetenv("STAND_IN"); }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
};

inline bool have_python() {
  return std::system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null") ==
         0;
}

inline bool have_torch() {
  const std::string python = RNNADVISOR_TEST_PYTHON;
  return !python.empty() && std::system((python + " -c 'import torch' 2>/dev/null").c_str()) == 0;
}

}  // namespace rnnadvisor::cli
