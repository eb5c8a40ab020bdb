#include "advisor/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <set>

#include "advisor/facts/experiments.h"
#include "advisor/rules/describe.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::words {
namespace {

std::size_t width_of(char32_t c) {
  const bool combining = (c >= 0x0300 && c <= 0x036F) || (c >= 0x200B && c <= 0x200D) ||
                         (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0x20D0 && c <= 0x20FF);
  if (combining) return 0;
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                    (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                    (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                    (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::string clean(std::string_view text) { return printable(text); }
std::string clean_lines(std::string_view text) { return printable_lines(text); }

std::string escape_markup(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
  return width;
}

std::string shorten(std::string_view text, std::size_t columns, std::string_view mark) {
  if (display_width(text) <= columns) return std::string(text);
  const std::size_t room = columns > display_width(mark) ? columns - display_width(mark) : 0;
  const std::size_t head = room - room / 3;
  std::size_t at = 0;
  std::size_t used = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const std::size_t width = width_of(next_code_point(text, next));
    if (used + width > head) break;
    used += width;
    at = next;
  }
  // The tail: drop characters from the front until the rest fits.
  std::size_t tail = at;
  std::size_t left = display_width(text.substr(at));
  while (tail < text.size() && left > room - used) left -= width_of(next_code_point(text, tail));
  return std::string(text.substr(0, at)) + std::string(mark) + std::string(text.substr(tail));
}

std::string position(const SourcePosition& where) {
  std::string text = where.file == "-" ? "standard input" : clean(where.file);
  if (where.line > 0) text += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
  return text;
}

std::string_view phase(Phase value) {
  switch (value) {
    case Phase::forward_inference:
      return "forward inference";
    case Phase::forward_training:
      return "forward training";
    case Phase::backward_data:
      return "backward data";
    case Phase::backward_weights:
      return "backward weights";
  }
  return "?";
}

std::string_view implementation(model::Implementation value) {
  switch (value) {
    case model::Implementation::none:
      return "none";
    case model::Implementation::standard:
      return "standard";
    case model::Implementation::persistent:
      return "persistent";
    case model::Implementation::persistent_dynamic:
      return "persistent dynamic";
    case model::Implementation::persistent_small_h:
      return "persistent small-H";
  }
  return "?";
}

std::string_view outcome(Outcome value) {
  switch (value) {
    case Outcome::not_run:
      return "not run";
    case Outcome::completed:
      return "completed";
    case Outcome::refused:
      return "refused";
    case Outcome::out_of_memory_predicted:
      return "out of memory (predicted)";
    case Outcome::out_of_memory:
      return "out of memory";
    case Outcome::failed:
      return "failed";
    case Outcome::crashed:
      return "crashed";
    case Outcome::timed_out:
      return "timed out";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "?";
}

std::string_view standing(Standing value) {
  return value == Standing::unjudged ? "not judged" : to_string(value);
}

std::string_view verdict(VerdictKind value) {
  switch (value) {
    case VerdictKind::told_by_another:
      return "covered by another finding";
    case VerdictKind::not_applicable:
      return "not applicable";
    case VerdictKind::fired:
    case VerdictKind::passed:
    case VerdictKind::unknown:
    case VerdictKind::error:
      break;
  }
  return to_string(value);
}

std::string_view severity_plural(Severity value, int count) {
  switch (value) {
    case Severity::error:
      return count == 1 ? "error" : "errors";
    case Severity::warning:
      return count == 1 ? "warning" : "warnings";
    case Severity::opportunity:
      return count == 1 ? "opportunity" : "opportunities";
    case Severity::info:
      return count == 1 ? "remark" : "remarks";
  }
  return "?";
}

std::string_view meaning(Meaning value) {
  switch (value) {
    case Meaning::exact:
      return "exact: the same function with the same weights";
    case Meaning::padded:
      return "padded: the same function once the added part is masked";
    case Meaning::numerics:
      return "numerics: the same function in another precision";
    case Meaning::model:
      return "model: another model, which needs your consent and new training";
  }
  return "?";
}

std::string comparison(const Comparison& c) {
  const auto known = operator_words(c.op);
  const std::string op = known.empty() ? clean(c.op) : std::string(known);
  const std::string observed = clean(c.observed);
  const std::string threshold = clean(c.threshold);
  if (c.op == "is" && observed == threshold)
    return fmt::format("{} is {}", clean(c.fact), observed);
  return fmt::format("{} = {} {} {}", clean(c.fact), observed, op, threshold);
}

bool readable(const Comparison& c) {
  if (c.observed == "true" || c.observed == "false" || c.observed == "unknown") return false;
  // Estimates of the step: the message has them.
  if (c.provenance == Provenance::modelled && c.fact.starts_with("program.")) return false;
  constexpr auto groups = std::to_array<std::string_view>(
      {"call.", "device.", "environment.", "measured.", "memory.", "program.", "trace."});
  return std::any_of(groups.begin(), groups.end(),
                     [&](std::string_view group) { return c.fact.starts_with(group); });
}

std::string meanings(const Report& report) {
  std::set<Meaning> met;
  for (const auto& group : report.actions)
    for (const auto& suggestion : group.first().suggestions)
      if (suggestion.transform) met.insert(widest_meaning(changes_of(suggestion)));
  std::string text;
  for (const Meaning each : met)
    text += fmt::format("{}{}", text.empty() ? "In brackets: " : "; ", meaning(each));
  return text.empty() ? text : text + ".";
}

std::string with_times_sign(const std::string& text) {
  static const std::regex factor("([0-9])x\\b");
  return std::regex_replace(text, factor, "$1×");
}

std::string times(double value) { return number(value) + "×"; }

namespace {

// Without its change.
std::string size_of(const Gain& g) {
  if (g.speedup > 1.0005) return times(g.speedup);
  return g.saved_bytes > 0 ? "saves " + format_bytes(static_cast<double>(g.saved_bytes))
                           : std::string();
}

}  // namespace

std::string gain_change(const Gain& g) {
  if (g.another_model)
    return g.change.empty() ? " with another model"
                            : fmt::format(" with another model ({})", clean(g.change));
  return g.change.empty() ? std::string() : " with " + clean(g.change);
}

std::string gain_interval(const Gain& g) {
  return g.speedup > 1.0005 && g.high > 0
             ? fmt::format(" ({} to {})", number(g.low), number(g.high))
             : std::string();
}

std::string gain(const std::optional<Gain>& g) {
  if (!g) return {};
  const std::string text = size_of(*g);
  return text.empty() || !g->another_model ? text : text + " with another model";
}

std::string gain_of_change(const std::optional<Gain>& g) {
  if (!g) return {};
  const std::string text = size_of(*g);
  return text.empty() ? text : text + gain_change(*g);
}

std::string gain(const ConfigurationReport& each) {
  if (each.best_gain() > 1.0005) return times(each.best_gain());
  if (each.model_gain() > 1.0005) return times(each.model_gain()) + " with another model";
  return {};
}

std::string refuted(const Finding& finding) {
  if (finding.refuted_here)
    return "Measuring refuted it: tried here, it did not do what it claims.";
  if (!advisor::refuted(finding)) return {};
  const auto& record = *finding.refuted_by;
  std::string text = fmt::format("Measuring refuted it: {} of {} pairs", record.refute,
                                 record.agree + record.refute);
  if (!record.device.empty()) text += " on " + clean(record.device);
  if (!record.cudnn.empty()) text += ", cuDNN " + clean(record.cudnn);
  if (!record.date.empty()) text += ", " + clean(record.date);
  return text + ". The change that its source suggests is no advice there.";
}

std::string scope(std::string_view scope) {
  if (scope == "program step") return "step of the program";
  return scope == "training step" ? "training step of the layer" : clean(scope);
}

std::string gain_in_full(const Gain& g) {
  std::string text = size_of(g);
  if (text.empty()) return text;
  text += gain_interval(g) + gain_change(g);
  if (!g.scope.empty()) text += fmt::format(", {}", scope(g.scope));
  if (g.speedup > 1.0005 && g.saved_bytes > 0) {
    text += fmt::format(", saves {}", format_bytes(static_cast<double>(g.saved_bytes)));
  }
  return text;
}

std::string_view what_to_do(const Report& report) {
  return report.end ? "What to do once the program runs" : "What to do first";
}

std::string_view findings_order(const Report& report) {
  if (report.errors > 0) return "errors first, then by the time saved";
  return "by the time saved; less effort first, where it saves at least half as much";
}

std::string_view findings_lead() {
  return "Ordered by the time that each is expected to save. Of similar savings the one that takes "
         "less effort comes first; an estimate for the whole step stands behind what takes less "
         "effort and saves at least half as much. Measured gains are of this configuration; "
         "estimates come from a measurement of a similar "
         "layer, from times that a calibration of this kind of GPU predicts, from the recording, "
         "or from the cost model.";
}

std::string_view remarks_lead() {
  return "No action needed: information, and advice that measurements on this kind of GPU refuted.";
}

std::string citation(const Citation& c) { return clean(describe(c)); }

bool is_web_address(std::string_view url) {
  return (url.starts_with("https://") || url.starts_with("http://")) &&
         std::all_of(url.begin(), url.end(), [](char c) {
           return c > ' ' && c < 0x7F &&
                  std::string_view("\"<>\\()").find(c) == std::string_view::npos;
         });
}
std::string_view citation_tag(char tag) { return describe_tag(tag); }

std::string validity(const ValidityRecord& r) {
  std::string text = fmt::format("{} agree, {} refute", r.agree, r.refute);
  std::string where;
  for (const auto& part :
       {clean(r.device), r.cudnn.empty() ? std::string() : "cuDNN " + clean(r.cudnn),
        clean(r.date)}) {
    if (!part.empty()) where += (where.empty() ? "" : ", ") + part;
  }
  if (!where.empty()) text += " on " + where;
  if (!r.effect.empty()) text += ": " + with_times_sign(clean(r.effect));
  return text;
}

std::string evidence(const Finding& f) {
  std::string text;
  const auto kept_kernels = static_cast<std::int64_t>(f.kernels.size());
  if (!f.kernels.empty()) {
    text = plural(std::max(f.all_kernels, kept_kernels), "kernel");
    // Which kernels are long is no evidence that the GPU waits.
    if (f.all_kernels > kept_kernels && f.criterion != "LAUNCH-BOUND")
      text = fmt::format("the {} longest of {}", kept_kernels, text);
  }
  if (!f.calls.empty()) {
    text += (text.empty() ? "" : " in ") +
            plural(std::max(f.all_calls, static_cast<std::int64_t>(f.calls.size())), "RNN call");
  }
  return text;
}

std::vector<PartOfStep> parts_of(const StepAccount& step) {
  std::vector<PartOfStep> parts;
  for (std::size_t p = 0; p < step_parts; ++p) {
    const auto part = static_cast<StepPart>(p);
    if (step.share[p] > 0) parts.push_back({to_string(part), part, step.share[p]});
  }
  if (step.idle_in_rnn > 0) parts.push_back({idle_in_rnn, std::nullopt, step.idle_in_rnn});
  if (step.idle_for_host > 0) parts.push_back({idle_for_host, std::nullopt, step.idle_for_host});
  if (step.idle_elsewhere > 0) parts.push_back({idle_elsewhere, std::nullopt, step.idle_elsewhere});
  return parts;
}

std::string step_in_short(const StepAccount& step) {
  const std::string idle = percent(step.idle());
  if (step.untraced == 0 && step.traced > 0) {
    return fmt::format(
        "A step of the program takes {} with tracing, and the GPU is idle {} of the "
        "recorded time",
        format_milliseconds(step.traced_ns / 1e6), idle);
  }
  if (step.untraced == 0)
    return fmt::format("In the recorded steps the GPU is idle {} of the time", idle);
  const std::string time = format_milliseconds(step.step_ns / 1e6);
  std::string text = fmt::format("A step of the program takes {}", time);
  if (step.high_ns > step.low_ns) {
    const std::string_view unit = std::string_view(time).substr(time.rfind(' '));
    std::string spread = interval({.median = step.step_ns / 1e6,
                                   .low = step.low_ns / 1e6,
                                   .high = step.high_ns / 1e6,
                                   .confidence = 0.95,
                                   .count = step.untraced});
    if (spread.ends_with(unit)) spread.erase(spread.size() - unit.size());
    if (!spread.empty()) text += fmt::format(" ({})", spread);
  }
  return text + fmt::format(", and the GPU is idle {} of it", idle);
}

std::string step_source(const StepAccount& step) {
  if (step.untraced == 0) {
    std::string text =
        "From the second half of the recorded kernels, with tracing, which slows launches: without "
        "it the GPU is idle for less of the time.";
    if (step.traced > 0)
      text += fmt::format(
          " The time of a step is the median of {}, each from its first kernel to "
          "that of the next.",
          plural(step.traced, "traced step"));
    return text;
  }
  return fmt::format(
      "Median and 95 % interval of {} without tracing; the parts are the time of their kernels and "
      "copies in traced steps.",
      plural(step.untraced, "step"));
}

std::string_view where(Outside outside) {
  switch (outside) {
    case Outside::no:
      return "in a step";
    case Outside::before:
      return "before the first training step";
    case Outside::after:
      return "after the last training step";
    case Outside::apart:
      return "outside of training steps";
  }
  return "";
}

std::string part_saved(const StepSaving& saving) {
  return percent(saving.share) +
         (saving.outside == Outside::no
              ? " of a step"
              : fmt::format(" of the recorded time, {}", where(saving.outside)));
}

std::string why_nothing(const BestPrediction& best) {
  if (best.speedup < least_told_gain)
    return "no change with the same data type is predicted to make it faster";
  return fmt::format(
      "of all changes with the same data type {} is predicted to gain most, {}, which is too "
      "little to be sure of",
      clean(best.change), times(best.speedup));
}

std::string possible_gain(const Gain& g) {
  return fmt::format("{}{} once {}", times(g.speedup), gain_interval(g), clean(g.once));
}

std::string saving_of(const StepSaving& saving) {
  std::string shares;
  if (saving.high > saving.low)
    shares = saving.low > 0 ? fmt::format("{:.0f} to {}", 100 * saving.low, percent(saving.high))
                            : fmt::format("at most {}", percent(saving.high));
  if (saving.step_ms <= 0)
    return part_saved(saving) + (shares.empty() ? shares : " (" + shares + ")");
  return fmt::format("{} of a step of {} ({}{})",
                     format_milliseconds(saving.share * saving.step_ms),
                     format_milliseconds(saving.step_ms), percent(saving.share),
                     shares.empty() ? shares : "; " + shares);
}

std::string_view effort(Effort value) {
  switch (value) {
    case Effort::command:
      return "a command, no code";
    case Effort::line:
      return "a line of code";
    case Effort::module:
      return "code around the layer or the step";
    case Effort::precision:
      return "another precision";
    case Effort::model:
      return "another model";
  }
  return "";
}

std::string percent(double share) {
  const double value = share * 100.0;
  if (value > 0 && value < 0.5) return "< 1 %";
  if (value > 99.5 && value < 100.0) return "> 99 %";
  return fmt::format("{:.0f} %", value);
}

std::string number(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  if (magnitude >= 0.0995 || magnitude == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

std::string interval(const MedianInterval& i) {
  if (i.count < 2 || i.low <= 0 || i.high < i.low) return {};
  std::string low = format_milliseconds(i.low);
  std::string high = format_milliseconds(i.high);
  if (low == high && i.low < i.high) {  // format_milliseconds shows two digits below 1 ms
    low = fmt::format("{:#.4g} ms", i.low);
    high = fmt::format("{:#.4g} ms", i.high);
  }
  // The unit once, when it is the same.
  const std::size_t unit = low.rfind(' ');
  if (high.ends_with(low.substr(unit))) low.erase(unit);
  std::string text = fmt::format("{} to {}", low, high);
  if (i.confidence < 0.5) return text + " (range)";
  return i.confidence < 0.945 ? text + fmt::format(" ({:.0f} %)", i.confidence * 100) : text;
}

std::string_view tensor_cores(std::string_view full) {
  if (full == "yes (inferred from kernel names)") return "yes (inferred)";
  if (full == "no (inferred from kernel names)") return "no (inferred)";
  if (full == "in products only (inferred from kernel names)") return "products only (inferred)";
  if (full == "in products only (counters and kernel names)") return "products only";
  return full;
}

}  // namespace rnnadvisor::advisor::words
