#include "advisor/whatif/predicted_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "advisor/change/accelerating.h"
#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/change/transform.h"
#include "advisor/facts/experiments.h"
#include "advisor/facts/framework_call.h"
#include "advisor/rules/evaluate.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/estimate.h"
#include "advisor/whatif/framework_fit.h"
#include "advisor/whatif/size_choice.h"
#include "core/model/algorithm_times.h"
#include "core/model/autocast.h"
#include "core/model/eligibility.h"

namespace rnnadvisor::advisor {
namespace {

using Changes = std::vector<Transform>;
using model::TimePrediction;

// The fastest changes so far, each of which is looked at together with every other one; our choice
// between milliseconds and finding more.
constexpr std::size_t beam = 4;
constexpr int most_changes = 4;
// What another part must add: predicted times do not tell less.
constexpr double worth_a_part = 1.05;
// What giving up precision must be worth: more than the error of most predictions (docs/models.md).
constexpr double worth_precision = 1.25;
// Where predictions cannot tell, documents decide: persistent kernels want hidden and input sizes
// that are multiples of 32 (cuDNN 7.x Developer Guide, Tensor Core rules of PERSIST_STATIC).
constexpr double worth_a_criterion = 1.15;
constexpr double least_speedup = 1.01;
// Predictions miss by a fifth in the median (docs/models.md): what is nearer says nothing.
constexpr double clearly = 1.25;

struct Option {
  Changes changes;
  Meaning meaning = Meaning::exact;
  TimePrediction time;
  bool odd = false;  // a persistent call with sizes that its documented rules do not want
};

// Widths are padded to what a document asks for: 8 for Tensor Cores, 32 for persistent kernels, 128
// in PyTorch. Between 16 or 64 and these predictions cannot tell.
bool undocumented_padding(const Transform& change, bool pytorch) {
  if (change.kind != "pad_hidden" && change.kind != "pad_input") return false;
  const auto multiple = parameter_of(change, "multiple");
  const auto is = [&](std::int64_t value) { return multiple == ParameterValue(value); };
  if (change.kind == "pad_input" && !pytorch && is(128)) return true;
  return is(16) || is(64);
}

bool odd_persistent(const RnnConfig& call) {
  return call.algo == Algo::persist_static &&
         (call.hidden_size % 32 != 0 || call.input_size % 32 != 0);
}

Transform made(std::string_view kind, const std::string& parameters) {
  return *parse_transform(kind, parameters);
}

// The paddings together that let persist_static run on Tensor Cores: one of them alone gains
// nothing, so that a search that adds one part after the other does not come to all of them. Which
// multiples these are, core/model/time_features.h says; the hidden size must be a multiple of 128
// for a GRU to run its backward pass on them.
std::vector<Changes> onto_tensor_cores(const RnnConfig& config, const DeviceSpec& device) {
  std::vector<Changes> all;
  if (config.data_type != DataType::half || !device.has_tensor_cores()) return all;
  constexpr double most_units = 1.5;  // of those that are computed now
  constexpr int most_eights = 96;
  const auto pad = [](Changes& changes, std::string_view kind, int size, int multiple) {
    if (size % multiple != 0)
      changes.push_back(made(kind, fmt::format(R"({{"multiple":{}}})", multiple)));
  };
  for (const int units : {32, 128}) {
    const int padded = (config.hidden_size + units - 1) / units * units;
    if (padded > most_units * config.hidden_size) continue;
    Changes changes;
    if (config.math_type != MathType::tensor_op)
      changes.push_back(made("math_type", R"({"value":"tensor_op"})"));
    pad(changes, "pad_hidden", config.hidden_size, units);
    if (config.input_mode != InputMode::skip_input)
      pad(changes, "pad_input", config.input_size, 32);
    pad(changes, "pad_batch", config.batch_size, config.batch_size > most_eights ? 16 : 8);
    if (config.algo != Algo::persist_static)
      changes.push_back(made("algo", R"({"value":"persist_static"})"));
    if (!changes.empty()) all.push_back(std::move(changes));
  }
  return all;
}

class ChangeSearch {
 public:
  ChangeSearch(const Profile& profile, int configuration, const DeviceSpec& device,
               const model::PredictTime& predict)
      : profile_(profile), configuration_(configuration), device_(device) {
    const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
    options_.predict = predict;
    options_.now = predicted_time(std::span(&own.config, 1), predict);
    for (const auto& other : profile.configurations) {
      const auto at = static_cast<std::size_t>(other.device);
      if (!other.timings.empty() && other.described() && other.device >= 0 &&
          at < profile.devices.size() && profile.devices[at].same_kind(device) &&
          other.program == own.program)
        measured_.push_back(&other.config);
    }
  }

  std::optional<Option> best() {
    const auto& own = profile_.configurations[static_cast<std::size_t>(configuration_)];
    const auto framework = framework_around(profile_, configuration_);
    std::vector<Option> singles;
    const auto take = [&](const Changes& changes) {
      if (std::any_of(changes.begin(), changes.end(), [&](const Transform& change) {
            return undocumented_padding(change, framework == Framework::pytorch);
          }))
        return;
      if (auto option = look_at(changes)) singles.push_back(std::move(*option));
    };
    for (const auto& changes : model_proposals(own.config, own.program, device_, framework))
      take(changes);
    for (const auto& changes : chosen_sizes(profile_, configuration_, device_, options_))
      take(changes);
    for (const auto& changes : onto_tensor_cores(own.config, device_)) take(changes);
    if (singles.empty()) return std::nullopt;
    std::vector<Option> level = fastest(singles);
    Option best = level.front();
    for (int parts = 2; parts <= most_changes; ++parts) {
      std::vector<Option> next;
      for (const auto& one : level) {
        for (const auto& other : singles) {
          const auto both = combination(one.changes, other.changes);
          if (both.empty() || known(next, both)) continue;
          if (auto option = look_at(both)) next.push_back(std::move(*option));
        }
      }
      if (next.empty()) break;
      level = fastest(next);
      if (weight(level.front()) * worth_a_part >= weight(best)) break;
      best = level.front();
    }
    return without_idle_parts(std::move(best));
  }

 private:
  std::optional<Option> look_at(const Changes& changes) const {
    // A rule's name keeps what helps only together with another change.
    const auto candidate =
        make_candidate(changes, "predicted", profile_, configuration_, device_, options_);
    if (!candidate || candidate->variant.cuda_graph || !same_data(candidate->transforms))
      return std::nullopt;
    const auto& calls = candidate->variant.calls;
    if (!candidate->time || known_slow(candidate->variant, true) || measured_here(calls))
      return std::nullopt;
    return Option{candidate->transforms, candidate->meaning, *candidate->time,
                  std::any_of(calls.begin(), calls.end(), odd_persistent)};
  }

  // A measured change needs no prediction; the comparison of measured times reports it.
  bool measured_here(const std::vector<RnnConfig>& calls) const {
    return std::all_of(calls.begin(), calls.end(), [&](const RnnConfig& call) {
      return std::any_of(measured_.begin(), measured_.end(), [&](const RnnConfig* other) {
        if (call.hidden_size != other->hidden_size || call.batch_size != other->batch_size ||
            call.input_size != other->input_size || call.algo != other->algo)
          return false;
        RnnConfig same = call;
        same.id = other->id;
        return same == *other;
      });
    });
  }

  static bool known(const std::vector<Option>& options, const Changes& changes) {
    return std::any_of(options.begin(), options.end(),
                       [&](const Option& option) { return option.changes == changes; });
  }

  // What gives up precision must be faster by more than predictions can tell.
  static double weight(const Option& option) {
    return option.time.seconds * (option.meaning == Meaning::numerics ? worth_precision : 1) *
           (option.odd ? worth_a_criterion : 1);
  }

  static std::vector<Option> fastest(std::vector<Option> options) {
    std::stable_sort(options.begin(), options.end(),
                     [](const Option& a, const Option& b) { return weight(a) < weight(b); });
    if (options.size() > beam) options.resize(beam);
    return options;
  }

  // Another math type is another precision of the products; another data type, and permission to
  // convert, is more than a finding about speed may propose.
  bool same_data(const Changes& changes) const {
    const auto& program = profile_.configurations[static_cast<std::size_t>(configuration_)].program;
    const ParameterValue conversion(std::string(to_string(MathType::tensor_op_allow_conversion)));
    return std::all_of(changes.begin(), changes.end(), [&](const Transform& change) {
      if (change.kind == "math_type")
        return program.allow_tf32 != false && parameter_of(change, "value") != conversion;
      return change.meaning == Meaning::exact || change.meaning == Meaning::padded;
    });
  }

  // A part that came along with another and does nothing is no advice.
  Option without_idle_parts(Option option) const {
    for (bool again = true; again && option.changes.size() > 1;) {
      again = false;
      for (std::size_t i = 0; i < option.changes.size(); ++i) {
        Changes fewer = option.changes;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        auto without = look_at(fewer);
        if (!without || weight(*without) > weight(option) * worth_a_part) continue;
        option = std::move(*without);
        again = true;
        break;
      }
    }
    return option;
  }

  const Profile& profile_;
  const int configuration_;
  const DeviceSpec& device_;
  ProposeOptions options_;
  std::vector<const RnnConfig*> measured_;  // beside it, in its program and on its kind of GPU
};

// Half the width of an interval on a logarithmic scale, to either side.
double below(const TimePrediction& time) { return std::log(time.seconds / time.low_seconds); }
double above(const TimePrediction& time) { return std::log(time.high_seconds / time.seconds); }

ExpectedSpeedup ratio_of(const TimePrediction& before, const TimePrediction& after) {
  ExpectedSpeedup ratio;
  ratio.speedup = before.seconds / after.seconds;
  ratio.low = ratio.speedup * std::exp(-std::hypot(below(before), above(after)));
  ratio.high = ratio.speedup * std::exp(std::hypot(above(before), below(after)));
  return ratio;
}

PredictedChange::Other other_of(Algo algo, const TimePrediction& before,
                                const TimePrediction& after) {
  const ExpectedSpeedup ratio = ratio_of(before, after);
  return {algo, after.seconds, ratio.speedup, ratio.low, ratio.high, false};
}

// PyTorch keeps the weights of a float32 program and, under autocast, casts around the calls. A
// program in bfloat16 casts already, or nothing.
double cast_seconds(const Profile& profile, int configuration, std::span<const Transform> changes) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  const bool changes_data = std::any_of(changes.begin(), changes.end(), [](const Transform& each) {
    return each.kind == "data_type";
  });
  return changes_data && own.config.data_type == DataType::float32 &&
                 framework_around(profile, configuration) == Framework::pytorch
             ? model::autocast_ms(own.config) * 1e-3
             : 0;
}

TimePrediction with_casts(TimePrediction calls, double seconds) {
  for (double* each : {&calls.seconds, &calls.low_seconds, &calls.high_seconds}) *each += seconds;
  return calls;
}

Transform to_algo(Algo algo) {
  return *parse_transform("algo", fmt::format(R"({{"value":"{}"}})", to_string(algo)));
}

bool swapped_below(const Profile& profile, int configuration, std::span<const Transform> changes) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  return accelerate_does(changes, framework_around(profile, configuration), own.config,
                         own.program);
}

// What cuDNN has beside the algorithm that a framework chose.
std::optional<PredictedChange::Other> faster_algorithm(const Profile& profile, int configuration,
                                                       const DeviceSpec& device,
                                                       const TimePrediction& before,
                                                       const model::PredictTime& predict) {
  const FrameworkCall call = framework_call(Subject{&profile, configuration});
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)].config;
  if (!call.picks_algo || !call.algo_known || !call.happens()) return std::nullopt;
  std::optional<PredictedChange::Other> best, below;
  for (const auto& each : model::algorithm_times(own, device, predict, true)) {
    if (each.asked || each.wrong_results != model::WrongResults::none || !each.total) continue;
    const TimePrediction& time = *each.total;
    if (!(time.low_seconds > 0)) continue;
    auto other = other_of(each.algo, before, time);
    const std::array changes = {to_algo(each.algo)};
    other.swapped = swapped_below(profile, configuration, changes);
    if (!best || other.seconds < best->seconds) best = other;
    if (other.swapped && (!below || other.seconds < below->seconds)) below = other;
  }
  return below && below->seconds < best->seconds * clearly ? below : best;
}

// With conversion to half, which no framework asks for.
std::optional<PredictedChange::Other> converting_algorithm(const Profile& profile,
                                                           int configuration,
                                                           const DeviceSpec& device,
                                                           const TimePrediction& before,
                                                           const model::PredictTime& predict) {
  const std::array changes = {
      to_algo(Algo::persist_static),
      *parse_transform("math_type", R"({"value":"tensor_op_allow_conversion"})")};
  if (!framework_call(Subject{&profile, configuration}).happens() ||
      !swapped_below(profile, configuration, changes))
    return std::nullopt;
  RnnConfig call = profile.configurations[static_cast<std::size_t>(configuration)].config;
  call.set_algo(Algo::persist_static);
  call.math_type = MathType::tensor_op_allow_conversion;
  if (model::first_refused(model::eligibility(call, device), call.mode)) return std::nullopt;
  const auto time = predicted_time(std::span(&call, 1), predict);
  if (!time) return std::nullopt;
  // Without conversion it gives up nothing.
  call.math_type = MathType::default_math;
  const auto kept = predicted_time(std::span(&call, 1), predict);
  if (kept && kept->seconds < time->seconds * clearly) return std::nullopt;
  return other_of(call.algo, before, *time);
}

// The same layer in half data, and what keeps its results there.
std::optional<PredictedChange::InHalf> change_in_half(const Profile& profile, int configuration,
                                                      const DeviceSpec& device,
                                                      const TimePrediction& before,
                                                      const model::PredictTime& predict) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  if (own.config.data_type != DataType::float32 && own.config.data_type != DataType::bfloat16)
    return std::nullopt;
  const Changes half = {*parse_transform("data_type", R"({"value":"half"})")};
  const auto call = calls_after(half, profile, configuration, device);
  if (!call || call->calls.size() != 1) return std::nullopt;
  Profile alone;  // what the search looks at, without the recording
  alone.environment = profile.environment;
  alone.devices = profile.devices;
  alone.processes = profile.processes;
  alone.configurations.push_back(own);
  alone.configurations.front().config = call->calls.front();
  alone.configurations.front().timings.clear();
  Changes changes = half;
  if (const auto best = ChangeSearch(alone, 0, device, predict).best()) {
    const auto plain = predicted_time(call->calls, predict);
    if (!plain || best->time.seconds * worth_a_part < plain->seconds)
      changes.insert(changes.end(), best->changes.begin(), best->changes.end());
  }
  changes = in_order(changes);
  const auto variant = calls_after(changes, profile, configuration, device);
  const auto refused = [&](const RnnConfig& each) {
    return model::first_refused(model::eligibility(each, device), each.mode).has_value();
  };
  if (!variant || std::any_of(variant->calls.begin(), variant->calls.end(), refused))
    return std::nullopt;
  auto calls = predicted_time(variant->calls, predict);
  if (!calls) return std::nullopt;
  const double casts = cast_seconds(profile, configuration, changes);
  auto after = with_casts(std::move(*calls), casts);
  const ExpectedSpeedup ratio = ratio_of(before, after);
  std::string words = in_plain_words(changes, own.config);
  return PredictedChange::InHalf{std::move(changes), std::move(words), std::move(after), casts,
                                 ratio.speedup,      ratio.low,        ratio.high};
}

}  // namespace

bool measured_with(const TimePrediction& time, const std::optional<Version>& cudnn) {
  const auto measured = parse_version(time.cudnn_version);
  return !measured || !cudnn ||
         (measured->major == cudnn->major && measured->minor == cudnn->minor);
}

model::PredictTime predict_with(model::PredictTime predict, const std::optional<Version>& cudnn) {
  if (!predict) return predict;
  return [predict = std::move(predict), cudnn](const RnnConfig& config, Phase phase) {
    auto time = predict(config, phase);
    if (time && !measured_with(*time, cudnn)) time.reset();
    return time;
  };
}

std::optional<PredictedChange> predict_change(const Profile& profile, int configuration,
                                              const DeviceSpec& device,
                                              const model::PredictTime& predict) {
  if (!predict) return std::nullopt;
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  auto before = predicted_time(std::span(&own.config, 1), predict);
  if (!before) return std::nullopt;
  if (!measured_with(*before, judged_cudnn_version(profile, own))) return std::nullopt;
  PredictedChange change;
  change.other = faster_algorithm(profile, configuration, device, *before, predict);
  change.converting = converting_algorithm(profile, configuration, device, *before, predict);
  change.in_half = change_in_half(profile, configuration, device, *before, predict);
  auto best = ChangeSearch(profile, configuration, device, predict).best();
  if (!best || best->time.seconds * least_speedup >= before->seconds) {
    change.before = change.after = std::move(*before);
    return change;
  }
  change.changes = std::move(best->changes);
  change.words = in_plain_words(change.changes, own.config);
  change.meaning = best->meaning;
  change.before = std::move(*before);
  change.after = std::move(best->time);
  const ExpectedSpeedup ratio = ratio_of(change.before, change.after);
  change.speedup = ratio.speedup;
  change.low = ratio.low;
  change.high = ratio.high;
  return change;
}

bool says_nothing_of(std::span<const Transform> changes, double speedup) {
  const bool math_alone =
      !changes.empty() && std::all_of(changes.begin(), changes.end(), [](const Transform& change) {
        return change.kind == "math_type";
      });
  if (math_alone) return speedup <= 1 && speedup * clearly > 1;
  return widest_meaning(changes) == Meaning::numerics && speedup == 1;
}

std::optional<ExpectedSpeedup> predict_speedup(const Profile& profile, int configuration,
                                               const DeviceSpec& device,
                                               const model::PredictTime& predict,
                                               std::span<const Transform> changes) {
  if (!predict) return std::nullopt;
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  const auto before = predicted_time(std::span(&own.config, 1), predict);
  if (!before || !measured_with(*before, judged_cudnn_version(profile, own))) return std::nullopt;
  if (meaning_of(changes, own.config) == Meaning::model) return std::nullopt;
  const auto variant = calls_after(changes, profile, configuration, device);
  if (!variant) return std::nullopt;
  const auto after = predicted_time(variant->calls, predict);
  if (!after) return std::nullopt;
  const ExpectedSpeedup ratio =
      ratio_of(*before, with_casts(*after, cast_seconds(profile, configuration, changes)));
  return says_nothing_of(changes, ratio.speedup) ? std::nullopt : std::optional(ratio);
}

std::optional<double> predict_seconds(const Profile& profile, int configuration,
                                      const DeviceSpec& device, const model::PredictTime& predict,
                                      std::span<const Transform> changes) {
  const auto variant = predict ? calls_after(changes, profile, configuration, device)
                               : std::optional<ExperimentVariant>();
  const auto time = variant ? predicted_time(variant->calls, predict) : std::nullopt;
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  if (!time || !measured_with(*time, judged_cudnn_version(profile, own))) return std::nullopt;
  return time->seconds + cast_seconds(profile, configuration, changes);
}

}  // namespace rnnadvisor::advisor
