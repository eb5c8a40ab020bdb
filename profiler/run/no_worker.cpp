// The worker of a build without CUDA: there is none, and it says so.
#include <iostream>

#include "profiler/run/protocol.h"
#include "profiler/run/run_configurations.h"

namespace rnnadvisor {

bool worker_available() { return false; }

void complete_machine_report(MachineReport& report) {
  report.tracing = report.counters = Permission::no;
  report.tracing_reason = report.counters_reason = "this rnnadvisor was built without CUDA";
}

int worker_main(int /*device*/, const std::string& /*directory*/) {
  std::cout << "error "
            << write_error(Error{ErrorCode::unsupported,
                                 "this rnnadvisor was built without CUDA",
                                 {},
                                 std::nullopt,
                                 {}})
            << std::endl;
  return 3;
}

}  // namespace rnnadvisor
