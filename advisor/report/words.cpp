#include "advisor/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include "advisor/rules/describe.h"
#include "core/base/text.h"
#include "core/config/fields.h"
#include "core/cudnn/machine.h"

namespace rnnadvisor::advisor::words {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// One code point of valid UTF-8; `at` moves behind it.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(i < text.size() ? text[i] : '\0'));
  };
  const char32_t lead = byte(at);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t value = length == 1   ? lead
                   : length == 2 ? lead & 0x1FU
                   : length == 3 ? lead & 0x0FU
                                 : lead & 0x07U;
  for (std::size_t k = 1; k < length; ++k) value = (value << 6U) | (byte(at + k) & 0x3FU);
  at = std::min(at + length, text.size());
  return value;
}

// Characters that would drive a terminal, reorder a line, or cannot stand in XML.
bool dangerous(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x200E || c == 0x200F || c == 0x061C ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF ||
         c == 0xFFFE || c == 0xFFFF;
}

std::string cleaned(std::string_view raw, bool keep_lines) {
  const std::string text = to_valid_utf8(raw);
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at);
    if (c == '\n') {
      out += keep_lines ? '\n' : ' ';
    } else if (c == '\t') {
      out += keep_lines ? "  " : " ";
    } else if (c == '\r') {
      if (!keep_lines) out += ' ';
    } else if (dangerous(c)) {
      out += replacement;
    } else {
      out.append(text, start, at - start);
    }
  }
  return out;
}

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

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return clean(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::vector<int>>) {
    std::string out;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i == 16) return out + fmt::format(", … ({} in all)", value.size());
      out += fmt::format("{}{}", i > 0 ? ", " : "", value[i]);
    }
    return out;
  } else if constexpr (std::is_same_v<T, std::optional<Algo>>) {
    return value ? value_text(*value) : std::string("as algo");
  } else if constexpr (std::is_enum_v<T>) {
    const auto index = static_cast<std::size_t>(value);
    const auto& spellings = Spellings<T>::values;
    return index < spellings.size() ? std::string(spellings[index]) : "?";
  } else {
    return fmt::format("{}", value);
  }
}

// A profile has CUPTI's own number: "130001" is "13.0 (API version 130001)".
std::string cupti(const std::string& version) {
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  if (error != std::errc() || end != version.data() + version.size()) return version;
  const std::string release = cupti_release(number);
  return release.empty() ? "API version " + version
                         : fmt::format("{} (API version {})", release, version);
}

}  // namespace

std::string clean(std::string_view text) { return cleaned(text, false); }
std::string clean_lines(std::string_view text) { return cleaned(text, true); }

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
      return "told by another";
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

namespace {

// Records of `rules validate` keep their effects in ASCII, as a terminal shows them.
std::string with_times_sign(const std::string& text) {
  static const std::regex factor("([0-9])x\\b");
  return std::regex_replace(text, factor, "$1×");
}

}  // namespace

std::string times(double value) { return number(value) + "×"; }

std::string gain(const std::optional<Gain>& g) {
  if (!g) return {};
  std::string text;
  if (g->speedup > 1.0005) {
    text = times(g->speedup);
  } else if (g->saved_bytes > 0) {
    text = "saves " + format_bytes(static_cast<double>(g->saved_bytes));
  }
  return text.empty() || !g->another_model ? text : text + " with another model";
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

std::string gain_in_full(const Gain& g) {
  std::string text = gain(g);
  if (text.empty()) return text;
  if (g.speedup > 1.0005 && g.high > 0)
    text += fmt::format(" ({} to {})", number(g.low), number(g.high));
  if (!g.scope.empty()) text += fmt::format(", {}", clean(g.scope));
  if (g.speedup > 1.0005 && g.saved_bytes > 0) {
    text += fmt::format(", saves {}", format_bytes(static_cast<double>(g.saved_bytes)));
  }
  return text;
}

std::string_view basis(GainBasis value) {
  switch (value) {
    case GainBasis::measured_here:
      return "measured here";
    case GainBasis::measured_elsewhere:
      return "measured elsewhere";
    case GainBasis::modelled:
      return "estimate";
  }
  return "?";
}

std::string_view findings_lead() {
  return "Ordered by the time that each is expected to save; what measuring refuted comes last. "
         "Measured gains come from runs, here or elsewhere; estimates are computed: from times "
         "that a calibration of this kind of GPU predicts, from the recording, or from the cost "
         "model.";
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
    if (f.all_kernels > kept_kernels)
      text = fmt::format("the {} longest of {}", kept_kernels, text);
  }
  if (!f.calls.empty()) {
    text += (text.empty() ? "" : " in ") +
            plural(std::max(f.all_calls, static_cast<std::int64_t>(f.calls.size())), "RNN call");
  }
  return text;
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

std::string plural(long long count, std::string_view singular, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", singular);
  return many.empty() ? fmt::format("{} {}s", format_count(count), singular)
                      : fmt::format("{} {}", format_count(count), many);
}

std::string interval(const MedianInterval& i) {
  if (i.count < 2 || i.low <= 0 || i.high < i.low) return {};
  std::string low = format_milliseconds(i.low);
  std::string high = format_milliseconds(i.high);
  if (low == high && i.low < i.high) {  // format_milliseconds shows two digits below 1 ms
    low = fmt::format("{:.3g} ms", i.low);
    high = fmt::format("{:.3g} ms", i.high);
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

std::string busy_note(const ConfigurationReport& report) {
  bool of_median = false;
  std::string traced;  // phases that were not timed
  for (const auto& row : report.phases) {
    if (row.busy < 0) continue;
    if (row.busy_of_traced_call) {
      traced += fmt::format("{}{}", traced.empty() ? "" : ", ", phase(row.phase));
    } else {
      of_median = true;
    }
  }
  if (!of_median && traced.empty()) return {};
  const bool left_out =
      std::any_of(report.phases.begin(), report.phases.end(),
                  [](const PhaseRow& row) { return row.first_calls_left_out > 0; });
  const std::string_view warm_up =
      left_out ? " Each process's first call, in which kernels are loaded, is not counted." : "";
  if (traced.empty())
    return fmt::format("Busy: the share of the median in which a kernel ran.{}", warm_up);
  const std::string_view what =
      "the share of the traced call in which a kernel ran; tracing slows calls of many kernels";
  return of_median ? fmt::format(
                         "Busy: the share of the median in which a kernel ran; {} not "
                         "timed: {}.{}",
                         traced, what, warm_up)
                   : fmt::format("Busy: {}.{}", what, warm_up);
}

std::string device(const DeviceSpec& d) {
  std::string text = clean(d.name.empty() ? d.id : d.name);
  std::string details = clean(d.architecture);
  if (d.compute_major > 0) {
    details += fmt::format("{}compute capability {}.{}", details.empty() ? "" : ", ",
                           d.compute_major, d.compute_minor);
  }
  if (d.memory_bytes > 0) {
    details += fmt::format("{}{}", details.empty() ? "" : ", ",
                           format_bytes(static_cast<double>(d.memory_bytes)));
  }
  return details.empty() ? text : fmt::format("{} ({})", text, details);
}

std::vector<std::string> devices(const Profile& profile, bool details) {
  std::vector<std::pair<std::string, int>> counted;
  for (const auto& each : profile.devices) {
    const std::string text = details ? device(each) : clean(each.name);
    const auto known = std::find_if(counted.begin(), counted.end(),
                                    [&](const auto& pair) { return pair.first == text; });
    if (known == counted.end())
      counted.emplace_back(text, 1);
    else
      ++known->second;
  }
  std::vector<std::string> texts;
  for (const auto& [text, count] : counted)
    texts.push_back(count > 1 ? fmt::format("{} x {}", count, text) : text);
  return texts;
}

std::vector<std::pair<std::string, std::string>> environment(const Environment& e) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) rows.emplace_back(label, clean(value));
  };
  add("rnnadvisor", e.rnnadvisor_version);
  add("cuDNN", e.cudnn_version);
  add("CUDA driver API", e.cuda_driver_version);
  add("CUDA runtime", e.cuda_runtime_version);
  add("NVIDIA driver", e.driver_version);
  add("CUPTI", cupti(e.cupti_version));
  add("Framework", e.framework.empty() ? std::string() : e.framework + " " + e.framework_version);
  add("Operating system", e.operating_system);
  add("CPU", e.cpu);
  add("Host", e.host);
  add("Created", e.created);
  add("Command", e.command_line);
  add("cuDNN library", e.cudnn_path);
  add("CUPTI library", e.cupti_path);
  return rows;
}

std::vector<std::pair<std::string, std::string>> all_parameters(const RnnConfig& config) {
  std::vector<std::pair<std::string, std::string>> rows;
  visit_config_fields([&](std::string_view key, auto member, std::string_view) {
    if (key == "id") return;
    rows.emplace_back(key, value_text(config.*member));
  });
  return rows;
}

std::vector<std::pair<std::string, std::string>> parameters(const RnnConfig& config) {
  static constexpr std::array<std::string_view, 9> always = {
      "cell",        "algo",       "data_type",  "math_type", "input_size",
      "hidden_size", "num_layers", "seq_length", "batch_size"};
  RnnConfig plain;
  plain.proj_size = config.hidden_size;
  plain.math_precision = natural_math_precision(config.data_type);
  plain.padded_io = config.layout != Layout::seq_major_packed;
  std::vector<std::pair<std::string, std::string>> rows;
  visit_config_fields([&](std::string_view key, auto member, std::string_view) {
    if (key == "id") return;
    const bool wanted = std::find(always.begin(), always.end(), key) != always.end();
    if (wanted || !(config.*member == plain.*member))
      rows.emplace_back(key, value_text(config.*member));
  });
  return rows;
}

std::vector<std::pair<std::string, std::string>> program(const ProgramContext& context) {
  std::vector<std::pair<std::string, std::string>> rows;
  visit_context_fields([&](std::string_view key, auto member, std::string_view) {
    if (const auto& value = context.*member) rows.emplace_back(key, value_text(*value));
  });
  return rows;
}

std::string program_memory(const MemoryUse& use) {
  std::string text;
  if (use.peak >= 0)
    text =
        fmt::format("the program held {} at its peak", format_bytes(static_cast<double>(use.peak)));
  if (use.reserve_held >= 0)
    text += fmt::format("{}{} of reserve space at once", text.empty() ? "the program held " : ", ",
                        format_bytes(static_cast<double>(use.reserve_held)));
  return text;
}

}  // namespace rnnadvisor::advisor::words
