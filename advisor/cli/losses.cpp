#include "advisor/cli/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace rnnadvisor::cli {
namespace {

// A longer line is no report of a loss, and std::regex takes stack for each character.
constexpr std::size_t longest_line = 4096;
// A brace between word and number is source code in a warning or a traceback: f"loss {x:.6g}".
constexpr const char* usual_pattern =
    "loss(?![ _]?scale)[^0-9+\\-.{}]{0,24}?"
    "([-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:e[-+]?[0-9]+)?|[-+]?inf\\b|nan\\b)";
constexpr double margin = 1.5;

// "5.99": 0.01; "1e-05": 1e-5; "7": 1.
double unit_of(const std::string& number) {
  const auto exponent = number.find_first_of("eE");
  const auto point = number.find('.');
  const double digits =
      point == std::string::npos
          ? 0
          : static_cast<double>((exponent == std::string::npos ? number.size() : exponent) - point -
                                1);
  const double power =
      exponent == std::string::npos ? 0 : std::strtod(number.c_str() + exponent + 1, nullptr);
  return std::pow(10.0, power - digits);
}

void add_line(std::string_view line, const std::regex& pattern, PrintedLosses& out) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  line.remove_prefix(line.rfind('\r') + 1);  // npos: 0
  if (line.size() > longest_line) return;
  using Iterator = std::regex_iterator<std::string_view::const_iterator>;
  for (Iterator at(line.begin(), line.end(), pattern), end; at != end; ++at) {
    const auto& match = *at;
    const std::string number = match.size() > 1 ? match[1].str() : match[0].str();
    char* rest = nullptr;
    const double value = std::strtod(number.c_str(), &rest);
    if (rest == number.c_str()) continue;
    out.values.push_back(value);
    out.units.push_back(std::isfinite(value) ? unit_of(number) : 0);
  }
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return a.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.size()));
}

// Of all runs but `without`; -1: of all.
std::vector<double> mean(const std::vector<std::vector<double>>& runs, std::ptrdiff_t without) {
  std::vector<double> out(runs.front().size(), 0);
  const double count = static_cast<double>(runs.size()) - (without < 0 ? 0 : 1);
  for (std::ptrdiff_t run = 0; run < std::ssize(runs); ++run) {
    for (std::size_t i = 0; i < out.size() && run != without; ++i)
      out[i] += runs[static_cast<std::size_t>(run)][i] / count;
  }
  return out;
}

}  // namespace

Result<std::regex> loss_pattern(const std::string& text) {
  try {
    const auto flags = std::regex::ECMAScript | std::regex::icase;
    return text.empty() ? std::regex(usual_pattern, flags) : std::regex(text);
  } catch (const std::regex_error& error) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--loss '{}' is no regular expression: {}", text, error.what()),
                R"(write it as JavaScript does, with the number in brackets: 'ppl ([0-9.]+)')");
  }
}

PrintedLosses losses_in(std::string_view text, const std::regex& pattern) {
  PrintedLosses out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    add_line(text.substr(0, end), pattern, out);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::optional<LossComparison> compare_losses(const std::vector<PrintedLosses>& originals,
                                             const PrintedLosses& changed) {
  std::size_t count = changed.values.size();
  for (const auto& one : originals) count = std::min(count, one.values.size());
  if (count == 0 || originals.size() < 2) return std::nullopt;
  LossComparison out;
  std::vector<std::vector<double>> runs(originals.size());
  std::vector<double> other, units;
  for (std::size_t i = 0; i < count; ++i) {
    const bool finite = std::all_of(originals.begin(), originals.end(),
                                    [i](const auto& one) { return std::isfinite(one.values[i]); });
    if (!finite) continue;  // the program itself does that at times
    if (!std::isfinite(changed.values[i])) {
      out.finite = false;
      continue;
    }
    for (std::size_t run = 0; run < runs.size(); ++run)
      runs[run].push_back(originals[run].values[i]);
    other.push_back(changed.values[i]);
    units.push_back(changed.units[i]);
    for (const auto& one : originals) units.back() = std::min(units.back(), one.units[i]);
  }
  out.losses = other.size();
  if (other.empty()) return out.finite ? std::nullopt : std::optional(out);
  for (std::ptrdiff_t run = 0; run < std::ssize(runs); ++run) {
    const double own = distance(runs[static_cast<std::size_t>(run)], mean(runs, run));
    out.furthest = std::max(out.furthest, own);
  }
  const auto all = mean(runs, -1);
  out.changed = distance(other, all);
  // Half a unit of the mean's and half of the changed run's rounding, with room for its own error.
  const std::vector<double> zero(units.size(), 0);
  out.most = std::max(margin * out.furthest, distance(units, zero) * (1 + 1e-9));
  out.last_original = all.back();
  out.last_changed = other.back();
  return out;
}

}  // namespace rnnadvisor::cli
