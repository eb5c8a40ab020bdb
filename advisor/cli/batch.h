// `check --batch`: one JSON configuration a line in, one JSON answer a line out, fast enough for
// sliders and sweeps.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "advisor/cli/exit_status.h"
#include "advisor/cli/judging.h"
#include "advisor/judge/judge.h"
#include "advisor/rules/rule.h"
#include "core/config/read_config.h"
#include "core/device/device_spec.h"
#include "core/model/time_model.h"

namespace rnnadvisor::cli {

struct BatchOptions {
  const DeviceSpec* device = nullptr;
  const model::TimeModel* times = nullptr;  // of the device; null: none were measured
  const advisor::RuleSet* rules = nullptr;  // null: no findings
  advisor::JudgeOptions judge;
  FailOn fail_on;
};

// Those of `check`; they point into what they are of. `fail_on` is left as it is.
BatchOptions batch_options(const JudgedDevice& device, const Judging& judging, bool with_findings);

// The answer to one configuration, without the line end:
//   {"id", "algo", "backward_algo", "ignored": [{"key", "given", "used", "why"}],
//   "predicted": {"set_descriptor", …, "implementation"}, "bytes": {"weights", …},
//   "predicted_times": {"basis", "mode", "why_none", "algorithms": […]}, "findings": […]}
// of the call that the framework around it makes, with the times that check's report has. "id",
// "backward_algo" and "ignored" are left out when there are none, "findings" without rules. A size
// that cuDNN would not get as far as telling is 0; one that the model makes no statement about is
// null.
std::string answer_line(const ConfigInput& input, const BatchOptions& options);

// Takes answers, whole lines; of a line that is no configuration {"id"?, "error": "…"}; `waits`:
// the writer of the lines may be waiting for them. False: they could not be written.
using AnswerSink = std::function<bool(std::string_view answers, bool waits)>;

// answer_line() of one configuration after another, quicker.
class ConfigurationAnswerer {
 public:
  explicit ConfigurationAnswerer(const BatchOptions& options);
  ~ConfigurationAnswerer();
  ConfigurationAnswerer(const ConfigurationAnswerer&) = delete;
  ConfigurationAnswerer& operator=(const ConfigurationAnswerer&) = delete;
  std::string answer(const ConfigInput& input);

 private:
  class Answerer;
  friend int answer_batch(std::istream& in, std::string_view file, const AnswerSink& write,
                          const BatchOptions& options);
  std::unique_ptr<Answerer> answerer_;
};

// Answers every line of `in` in order, by all cores; blank lines and lines that start with # have
// no answer. What was read is answered before more is waited for. Returns the exit status.
int answer_batch(std::istream& in, std::string_view file, const AnswerSink& write,
                 const BatchOptions& options);

inline constexpr std::size_t longest_batch_line = 4
                                                  << 20;  // bytes; a longer one is an error answer

}  // namespace rnnadvisor::cli
