#include "advisor/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <set>
#include <vector>

#include "advisor/report/program_end.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using model::Implementation;

// The first stage that cuDNN refused, or is expected to refuse.
const StageResult* refused_stage(const Configuration& configuration) {
  const auto found =
      std::find_if(configuration.stages.begin(), configuration.stages.end(),
                   [](const StageResult& s) { return s.attempted && s.status != 0; });
  return found == configuration.stages.end() ? nullptr : &*found;
}

std::string broken_sentence(const ConfigurationReport& report) {
  const Configuration& configuration = *report.configuration;
  const std::string why =
      configuration.message.empty() ? "" : ": " + words::clean(configuration.message);
  switch (configuration.outcome) {
    case Outcome::refused: {
      if (const StageResult* stage = refused_stage(configuration)) {
        std::string text =
            fmt::format("cuDNN refuses this configuration at {} with {}",
                        model::to_string(stage->stage), words::clean(stage->status_name));
        return text + (stage->reason.empty() ? why : ": " + words::clean(stage->reason));
      }
      return "cuDNN refuses this configuration" + why;
    }
    case Outcome::out_of_memory_predicted: {
      const std::int64_t need =
          configuration.memory_predicted > 0 ? configuration.memory_predicted : report.memory.total;
      std::string text =
          fmt::format("It would not fit: it needs {}", format_bytes(static_cast<double>(need)));
      if (configuration.memory_free_before > 0) {
        text += fmt::format(" and {} were free",
                            format_bytes(static_cast<double>(configuration.memory_free_before)));
      } else if (report.has_device && report.device->memory_bytes > 0) {
        text += fmt::format(" and the device has {}",
                            format_bytes(static_cast<double>(report.device->memory_bytes)));
      }
      return text + "; nothing was run";
    }
    case Outcome::out_of_memory:
      return "An allocation failed although it was expected to fit" + why;
    case Outcome::failed:
      return "It failed while running" + why;
    case Outcome::crashed:
      return "The worker process died while running it" + why;
    case Outcome::timed_out:
      return "It did not finish in time and was ended" + why;
    case Outcome::interrupted:
      return "The run was ended before this configuration was finished" + why;
    case Outcome::not_run:
    case Outcome::completed:
      break;
  }
  return {};
}

// How to tell rnnadvisor what it does not know of the program.
std::string how_to_give(std::string_view key) {
  if (key.empty()) return ", which is not known";
  std::string flag(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return fmt::format(", which is not known (--framework.{}, or {} under [framework] in the file)",
                     flag, key);
}

// What runs or ran: the first half of a verdict.
std::string subject_sentence(const ConfigurationReport& report) {
  const RnnConfig& config = report.configuration->config;
  const Implementation asked = model::implementation_of(config.algo);
  const double ms = report.step_ms();
  const std::string step = config.mode == Mode::inference ? "Forward inference" : "A training step";
  if (ms > 0) {
    // Of a program the step is more than the calls of one layer.
    std::string text = fmt::format(
        "{} {}", !report.configuration->from_program() ? step + " takes" : "Its calls take",
        format_milliseconds(ms));
    if (!report.ran) return text;
    if (*report.ran != asked) {
      return text + fmt::format(": {} was asked for, {} kernels ran", to_string(config.algo),
                                words::implementation(*report.ran));
    }
    text += fmt::format(" with {} kernels", words::implementation(*report.ran));
    return report.other_call.empty() ? text : text + "; " + report.other_call;
  }
  if (report.ran) return fmt::format("It runs with {} kernels", words::implementation(*report.ran));
  if (report.configuration->outcome == Outcome::completed) return "It ran, but was not timed";
  if (!report.has_device) return "Checked without a device";
  if (report.refusal) {
    const bool backward = report.refusal->stage == model::Stage::backward_data ||
                          report.refusal->stage == model::Stage::backward_weights;
    return fmt::format("cuDNN is expected to refuse {}: {}", backward ? "its backward pass" : "it",
                       report.refusal->reason);
  }
  if (report.stops) return fmt::format("Not run; {} stops with an error", report.framework);
  if (report.no_call) {
    return report.framework.empty()
               ? std::string("Not run; cuDNN is not expected to run it")
               : fmt::format("Not run; {} is not expected to call cuDNN", report.framework);
  }
  if (!report.decides.empty())
    return fmt::format("Not run; whether {} calls cuDNN depends on {}{}", report.framework,
                       report.decides, how_to_give(report.decides_key));
  if (report.expected == Implementation::none)
    return "Not run; its framework is not expected to call cuDNN";
  if (!report.expected && !report.framework.empty())
    return fmt::format("Not run; {} calls cuDNN by itself and tries which of its kernels to run",
                       report.framework);
  if (report.has_device && report.device->memory_bytes > 0 &&
      report.memory.total > report.device->memory_bytes)
    return fmt::format("Not run; it would not fit: it needs {} and the device has {}",
                       format_bytes(static_cast<double>(report.memory.total)),
                       format_bytes(static_cast<double>(report.device->memory_bytes)));
  const Implementation expected = report.expected.value_or(report.predicted.implementation);
  std::string text =
      fmt::format("Not run; {} kernels are expected", words::implementation(expected));
  if (expected == asked) return text;
  if (!report.framework_choice.empty())
    text += ", for " + report.framework_choice;
  else
    text += fmt::format(" although {} was asked for", to_string(config.algo));
  return text;
}

// Counted findings of the severities that ask for something.
std::string counted(std::span<const Finding* const> findings) {
  std::string text;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::opportunity}) {
    const auto count = std::count_if(findings.begin(), findings.end(), [&](const Finding* each) {
      return each->severity == severity;
    });
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                          words::severity_plural(severity, static_cast<int>(count)));
  }
  return text;
}

// How sure the number is that follows.
std::string_view about(const Gain& gain) {
  if (gain.basis == GainBasis::measured_here) return "";
  return gain.low > 0 && gain.low <= 1.005 ? "perhaps " : "about ";
}

// `saving`: of the step, of this finding or of its rule.
std::string to_gain(const Finding& finding, const std::optional<StepSaving>& saving) {
  if (!promises_speed(finding))
    return fmt::format("{}{} ({})", about(*finding.possible),
                       words::possible_gain(*finding.possible), in_words(finding.possible->basis));
  const Gain& gain = *finding.gain;
  // A layer may be a small part of the step.
  const bool part = saving && gain.scope != "program step";
  return fmt::format("{}{} to gain{}{}{} ({})", about(gain), words::times(gain.speedup),
                     words::gain_interval(gain), words::gain_change(gain),
                     part ? ", " + words::part_saved(*saving) : "", in_words(gain.basis));
}

// The same of a program's whole step.
std::string step_to_gain(const Finding& finding) {
  const auto gain = step_gain(finding);
  if (!gain) return to_gain(finding, finding.rule_saving);
  const std::string by = fmt::format("{} ({})", words::gain_change(*gain), in_words(gain->basis));
  if (const auto& saving = *finding.rule_saving; saving.outside != Outside::no)
    return fmt::format("{} of the recorded time to save, {},{}", words::percent(saving.share),
                       words::where(saving.outside), by);
  return fmt::format("{}{} to gain in a step{}{}", about(*gain), words::times(gain->speedup),
                     words::gain_interval(*gain), by);
}

std::string nothing_recorded(const Profile& profile) {
  if (profile.kernels.size() == 0)
    return "This profile holds no configurations, so there is nothing to judge.";
  std::string text = fmt::format(
      "No RNN call of cuDNN was recorded, and no loop of recurrent cells was recognized among {}: "
      "there is nothing to judge.",
      words::plural(static_cast<long long>(profile.kernels.size()), "kernel"));
  const bool jax = std::any_of(profile.processes.begin(), profile.processes.end(),
                               [](const Process& each) { return each.framework == "jax"; });
  return jax ? text +
                   " In JAX only jax.experimental.rnn calls cuDNN: XLA compiles the cells of "
                   "Flax and Haiku in a loop of its own (`rnnadvisor rules explain "
                   "jax/library-call`)."
             : text;
}

// The program's step, where one GPU ran it.
const StepAccount* only_step(const Report& report) {
  const auto& steps = report.judgement->steps;
  return steps.size() == 1 ? &steps.front() : nullptr;
}

// The step in a sentence of its own, and the rest of a verdict behind it.
std::string step_and(const StepAccount& step, std::string_view rest) {
  if (rest.starts_with("; ")) rest.remove_prefix(2);
  std::string text = words::step_in_short(step) + ".";
  if (rest.size() < 2) return text;
  text += fmt::format(" {}{}", static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0]))),
                      rest.substr(1));
  return text;
}

// What the first two findings that a reader needs are about, and how many more there are. Those:
// what comes first, and what has the gain.
std::string problems(std::span<const Finding* const> findings,
                     const std::function<std::string(const Finding&)>& gain_of) {
  const auto asks = [](const Finding* each) { return !is_remark(*each); };
  const auto first = std::find_if(findings.begin(), findings.end(), asks);
  if (first == findings.end()) return {};
  const Finding* gains = first_gain(findings);
  std::string text = words::clean((*first)->title);
  std::set<std::string_view> named = {(*first)->rule_id};
  if (gains != nullptr) {
    if (named.insert(gains->rule_id).second) text += "; " + words::clean(gains->title);
    text += "; " + gain_of(*gains);
  }
  std::set<std::string_view> more;
  for (const Finding* each : findings)
    if (asks(each) && !named.contains(each->rule_id)) more.insert(each->rule_id);
  return more.empty() ? text : fmt::format("{}; {} more to do", text, more.size());
}

// The sentence about what runs, and behind it that the rules found nothing.
std::string nothing_found(std::string text, const ConfigurationReport& report) {
  if (report.passed > 0) {
    text += "; ";
    if (report.decides.empty()) {
      text += report.configuration->from_program() ? "nothing to do in the layer itself: "
                                                   : "nothing to do: ";
      if (report.best_prediction != nullptr)
        text += words::why_nothing(*report.best_prediction) + "; ";
    }
    text += words::plural(report.passed, "rule") + " passed";
    return text +
           (report.unknown > 0 ? fmt::format(", {} could not be decided.", report.unknown) : ".");
  }
  if (report.unknown > 0) {
    return text + fmt::format("; not judged: {} could not be decided.",
                              words::plural(report.unknown, "rule"));
  }
  return text + (report.standing == Standing::unjudged ? "; not judged." : ".");
}

}  // namespace

bool promises_speed(const Finding& finding) {
  return finding.gain && finding.gain->speedup > 1.0005 && !finding.gain->another_model &&
         !is_remark(finding);
}

std::optional<Gain> step_gain(const Finding& finding) {
  if (!promises_speed(finding) || !finding.rule_saving || finding.gain->scope == "program step")
    return std::nullopt;
  const StepSaving& saving = *finding.rule_saving;
  const auto faster = [](double share) { return 1 / (1 - std::min(share, 0.99)); };
  Gain gain = *finding.gain;
  gain.speedup = faster(saving.share);
  gain.low = faster(saving.low);
  gain.high = saving.high > saving.low ? faster(saving.high) : 0;
  gain.scope = "program step";
  return gain;
}

std::optional<Gain> gain_in_program(const Finding& finding) {
  auto gain = step_gain(finding);
  return gain ? gain : finding.gain;
}

const Finding* first_gain(std::span<const Finding* const> findings) {
  const auto first = std::find_if(findings.begin(), findings.end(), [](const Finding* each) {
    return promises_speed(*each) || (each->possible && !is_remark(*each));
  });
  return first == findings.end() ? nullptr : *first;
}

Standing standing_of(const ConfigurationReport& report) {
  switch (report.configuration->outcome) {
    case Outcome::not_run:
    case Outcome::completed:
      break;
    case Outcome::interrupted:
      return Standing::unjudged;
    default:
      return Standing::error;
  }
  // Nothing that does not run is fine, whatever rules were left out.
  if (report.refusal || report.stops) return Standing::error;
  // Nor what may not reach cuDNN.
  const Standing best = report.decides.empty() ? Standing::fine : Standing::unjudged;
  Standing worst = report.verdicts.empty() && report.findings.empty() ? Standing::unjudged : best;
  if (report.findings.empty() && report.passed == 0) worst = Standing::unjudged;
  for (const Finding* finding : report.findings)
    if (finding->severity != Severity::info) worst = std::max(worst, standing_of(*finding));
  return worst;
}

Standing standing_of(const Finding& finding) {
  switch (finding.severity) {
    case Severity::error:
      return Standing::error;
    case Severity::warning:
      return Standing::warning;
    case Severity::opportunity:
      return Standing::opportunity;
    case Severity::info:
      break;
  }
  return Standing::fine;
}

std::string verdict_of(const ConfigurationReport& report) {
  if (const std::string broken = broken_sentence(report); !broken.empty()) return broken + ".";
  std::string found = counted(report.findings);
  if (const Finding* first = found.empty() ? nullptr : first_gain(report.findings))
    // Of a layer with several shapes the action adds up what all of them save.
    found += ", " + to_gain(*first, report.shapes.size() > 1 ? std::nullopt : first->saving);
  return found.empty() ? nothing_found(subject_sentence(report), report)
                       : fmt::format("{}; {}.", subject_sentence(report), found);
}

namespace {

std::string headline_of_recorded(const Report& report) {
  const std::size_t shown = report.shown();
  if (shown == 0) return nothing_recorded(*report.profile);
  const auto* step = only_step(report);
  if (const auto* only = report.only()) {
    if (!broken_sentence(*only).empty()) return only->verdict;
    std::vector<const Finding*> all;
    std::copy_if(report.findings.begin(), report.findings.end(), std::back_inserter(all),
                 [&](const Finding* each) {
                   return each->of_program || each->configuration == only->index;
                 });
    const auto found = problems(all, [&](const Finding& finding) {
      return step != nullptr
                 ? step_to_gain(finding)
                 : to_gain(finding, only->shapes.size() > 1 ? std::nullopt : finding.saving);
    });
    if (step == nullptr)
      return found.empty() ? only->verdict : fmt::format("{}. {}.", subject_sentence(*only), found);
    return found.empty() ? step_and(*step, nothing_found({}, *only))
                         : fmt::format("{}. {}.", words::step_in_short(*step), found);
  }
  std::string text = words::plural(static_cast<long long>(shown), "configuration");
  if (report.profile->devices.size() == 1) {
    text += " on " + words::clean(report.profile->devices.front().name);
  }
  if (const auto all = report.own_configurations(); all > shown)
    text += fmt::format(" ({} with all their shapes)", all);
  std::string parts;
  const auto add = [&](int count, std::string_view one, std::string_view many) {
    if (count > 0)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(report.standing_count(Standing::error), "does not work", "do not work");
  add(report.standing_count(Standing::warning), "should be changed", "should be changed");
  add(report.standing_count(Standing::opportunity), "could be faster or smaller",
      "could be faster or smaller");
  add(report.standing_count(Standing::fine), "is fine", "are fine");
  add(report.standing_count(Standing::unjudged), "could not be judged", "could not be judged");
  add(report.standing_count(Standing::refused), "is refused where another algorithm runs",
      "are refused where another algorithm runs");
  text += ": " + parts;
  if (const auto found = problems(report.findings, step_to_gain); !found.empty())
    text += ". " + found;
  text += ".";
  return step != nullptr ? step_and(*step, text) : text;
}

}  // namespace

std::string headline_of(const Report& report) {
  if (!report.end) return headline_of_recorded(report);
  // What could be faster is no matter of a program that does not run; its sections still tell it.
  const std::string text = ended_with(*report.end);
  return report.shown() > 0 ? text : text + " " + headline_of_recorded(report);
}

}  // namespace rnnadvisor::advisor
