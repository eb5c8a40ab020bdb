#include "profiler/cupti/permissions.h"

#include <cuda_runtime_api.h>

#include "profiler/cupti/counters.h"
#include "profiler/cupti/cupti_source.h"

namespace rnnadvisor {

void inspect_permissions(MachineReport& report) {
  if (report.gpus.empty()) {
    report.tracing = report.counters = Permission::no;
    report.tracing_reason = report.counters_reason = "no GPU: " + report.driver_problem;
    return;
  }
  if (const auto status = cudaFree(nullptr); status != cudaSuccess) {
    report.tracing = report.counters = Permission::unknown;
    report.tracing_reason = report.counters_reason =
        std::string("no CUDA context could be made: ") + cudaGetErrorString(status);
    return;
  }
  {
    auto source = make_cupti_source();
    const auto started = source ? (*source)->start() : Result<void>(fail(source.error()));
    report.tracing = started ? Permission::yes : Permission::no;
    report.tracing_reason = started ? "CUPTI activity records work" : started.error().message;
    if (started) (void)(*source)->stop();
  }
  const auto session =
      CounterSession::create(report.gpus.front().ordinal, {tensor_instructions_metric});
  report.counters = session ? Permission::yes : Permission::no;
  report.counters_reason =
      session ? "the CUPTI Range Profiler works"
              : session.error().message +
                    (session.error().remedy.empty() ? "" : "; " + session.error().remedy);
}

}  // namespace rnnadvisor
