// Any bytes as what passes between rnnadvisor and its worker: jobs, experiments, results, errors.
// They cross a process that may have died while it wrote.
#include "profiler/run/experiment_protocol.h"
#include "profiler/run/protocol.h"
#include "tests/fuzz/config_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  using fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto job = read_job(text)) {
    const auto again = read_job(write_job(*job));
    require(again && again->input.config == job->input.config &&
                again->options.seed == job->options.seed,
            "a job that was read can be written and read");
  } else {
    require(!job.error().message.empty(), "a refusal has a reason");
  }
  read_error(text);
  if (const auto job = read_experiment_job(text)) {
    const std::string line = write_experiment_job(*job);
    require(line.find('\n') == std::string::npos, "a job is one line");
    const auto again = read_experiment_job(line);
    require(again && again->request == job->request, "a job reads back equal");
  } else {
    require(!job.error().message.empty(), "a refusal has a reason");
  }
  if (const auto result = read_experiment_result(text, 1)) {
    require(result->variants.size() == 1, "as many variants as were asked for");
    require(read_experiment_result(write_experiment_result(*result), 1).has_value(),
            "a result that was read can be written and read");
  } else {
    require(!result.error().message.empty(), "a refusal has a reason");
  }
  read_progress(text);
  return 0;
}
