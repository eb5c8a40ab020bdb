// Any bytes as what passes between rnnadvisor and its worker: jobs, experiments, results, errors.
// They cross a process that may have died while it wrote.
#include "advisor/cli/worker/experiment_protocol.h"
#include "advisor/cli/worker/protocol.h"
#include "tests/fuzz/config_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  using fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto job = cli::read_job(text)) {
    const auto again = cli::read_job(cli::write_job(*job));
    require(again && again->input.config == job->input.config &&
                again->options.seed == job->options.seed,
            "a job that was read can be written and read");
  } else {
    require(!job.error().message.empty(), "a refusal has a reason");
  }
  cli::read_error(text);
  if (const auto job = cli::read_experiment_job(text)) {
    const std::string line = cli::write_experiment_job(*job);
    require(line.find('\n') == std::string::npos, "a job is one line");
    const auto again = cli::read_experiment_job(line);
    require(again && again->request == job->request, "a job reads back equal");
  } else {
    require(!job.error().message.empty(), "a refusal has a reason");
  }
  if (const auto result = cli::read_experiment_result(text, 1)) {
    require(result->variants.size() == 1, "as many variants as were asked for");
    require(cli::read_experiment_result(cli::write_experiment_result(*result), 1).has_value(),
            "a result that was read can be written and read");
  } else {
    require(!result.error().message.empty(), "a refusal has a reason");
  }
  cli::read_progress(text);
  return 0;
}
