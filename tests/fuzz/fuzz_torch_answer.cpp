// Any bytes as a line that an interpreter answered with (advisor/whatif/torch): it is the user's,
// may be any program, and may have died while it wrote.
#include <cmath>

#include "advisor/whatif/torch/torch_request.h"
#include "tests/fuzz/config_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  using namespace rnnadvisor::advisor;
  using fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = read_torch_line(text);
  if (line.kind == TorchLine::Kind::candidate)
    require(line.candidate >= 0, "a candidate has a number");
  const auto& result = line.result;
  if (line.kind != TorchLine::Kind::candidate || result.status == TorchResult::Status::none)
    return 0;
  require(result.status != TorchResult::Status::measured || !result.timings.empty(),
          "what was measured has a time");
  for (const auto& timing : result.timings) {
    require(timing.before_samples_ms.size() == timing.after_samples_ms.size(), "rounds are whole");
    require(std::isfinite(timing.speedup) && timing.speedup > 0, "a speedup is a ratio of times");
  }
  Profile profile;
  profile.configurations.resize(1);
  TorchCandidate candidate;
  candidate.transforms = {*parse_transform("split_layers", "{}")};
  const auto experiment = torch_experiment(candidate, result, profile, 0);
  require(experiment.verdict != ExperimentVerdict::confirmed || !experiment.shifts.empty(),
          "what was not compared is not confirmed");
  return 0;
}
