#include "advisor/compare/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/text.h"

namespace rnnadvisor::compare {
namespace limits {
namespace {

constexpr std::array measures = {Measure::step, Measure::kernels, Measure::calls,
                                 Measure::findings};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

LimitResult of_time(double before_ms, double after_ms, double most, bool slower,
                    std::string_view what) {
  LimitResult result;
  result.value = after_ms / before_ms;
  const std::string times =
      fmt::format("{} takes {:.3g} times as long as before", what, result.value);
  if (result.value <= most) {
    result.verdict = LimitResult::Verdict::kept;
    result.reason = times;
  } else if (slower) {
    result.verdict = LimitResult::Verdict::exceeded;
    result.reason = fmt::format("{}, more than {}", times, most);
  } else {
    result.verdict = LimitResult::Verdict::noise;
    result.reason = fmt::format("{}, which is within noise", times);
  }
  return result;
}

}  // namespace
}  // namespace limits

std::string_view to_string(Measure measure) {
  switch (measure) {
    case Measure::step:
      return "step";
    case Measure::kernels:
      return "kernels";
    case Measure::calls:
      return "calls";
    case Measure::findings:
      return "findings";
  }
  return "?";
}

Result<Limit> parse_limit(std::string_view text) {
  const auto wrong = [&] {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is no limit", to_valid_utf8(text)),
                "write 'step > 1.05', 'kernels > 1.05', 'calls > 1.1' or 'findings > 0'");
  };
  const auto sign = text.find('>');
  if (sign == std::string_view::npos) return wrong();
  const auto name = limits::trimmed(text.substr(0, sign));
  const auto number = limits::trimmed(text.substr(sign + 1));
  const auto found = std::find_if(limits::measures.begin(), limits::measures.end(),
                                  [&](Measure each) { return to_string(each) == name; });
  Limit limit;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), limit.most);
  if (found == limits::measures.end() || error != std::errc() ||
      end != number.data() + number.size() || !std::isfinite(limit.most) || limit.most < 0)
    return wrong();
  limit.measure = *found;
  return limit;
}

LimitResult check(const Limit& limit, const Comparison& comparison) {
  switch (limit.measure) {
    case Measure::step: {
      const auto& step = comparison.step;
      if (!step || step->ratio() <= 0 || step->change == Change::unclear)
        return {.reason = "no step was timed often enough in both profiles"};
      return limits::of_time(step->before_ms.median, step->after_ms.median, limit.most,
                             step->change == Change::slower, "a step");
    }
    case Measure::kernels: {
      const auto& step = comparison.step;
      if (!step || step->before_kernels_ms <= 0 || step->after_kernels_ms <= 0)
        return {.reason = "no step was timed without tracing and traced in both profiles"};
      return limits::of_time(
          step->before_kernels_ms, step->after_kernels_ms, limit.most,
          step->after_kernels_ms > step->before_kernels_ms * (1 + kernels_between_runs),
          "what runs on the GPU in a step");
    }
    case Measure::calls: {
      if (comparison.before_ms <= 0 || comparison.after_ms <= 0)
        return {.reason = "no RNN call has times in both profiles"};
      if (comparison.spread_ms < 0)
        return {.reason = "some RNN calls have too few times to tell a change from noise"};
      const bool slower = comparison.after_ms - comparison.before_ms > comparison.spread_ms;
      return limits::of_time(comparison.before_ms, comparison.after_ms, limit.most, slower,
                             "what both have of RNN calls");
    }
    case Measure::findings: {
      LimitResult result;
      result.value = static_cast<double>(comparison.appeared.size());
      const bool more = result.value > limit.most;
      result.verdict = more ? LimitResult::Verdict::exceeded : LimitResult::Verdict::kept;
      result.reason = plural(static_cast<long long>(comparison.appeared.size()),
                             "rule fires that did not before", "rules fire that did not before");
      return result;
    }
  }
  return {};
}

}  // namespace rnnadvisor::compare
