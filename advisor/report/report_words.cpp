// How the writers say things of a whole report, of a configuration and of what it ran on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "advisor/facts/experiments.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/fields.h"
#include "core/cudnn/machine.h"

namespace rnnadvisor::advisor::words {
namespace {

// Of a list the first `most` values.
template <class T>
std::string value_text(const T& value, [[maybe_unused]] std::size_t most = 16) {
  if constexpr (std::is_same_v<T, std::string>) {
    return clean(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::vector<int>>) {
    std::string out;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i == most) return out + fmt::format(", … ({} in all)", value.size());
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

std::vector<std::string> rule_counts(const ConfigurationReport& report) {
  std::vector<std::string> counts = {fmt::format("{} fired", report.fired),
                                     fmt::format("{} passed", report.passed),
                                     fmt::format("{} not applicable", report.not_applicable),
                                     fmt::format("{} unknown", report.unknown)};
  if (report.told_by_another > 0)
    counts.push_back(fmt::format("{} covered by another finding", report.told_by_another));
  if (report.broken > 0) counts.push_back(fmt::format("{} could not be evaluated", report.broken));
  return counts;
}

std::string why_not_title(const ConfigurationReport& report, const model::WhyNot& table) {
  if (table.clauses.empty()) return {};
  const auto all = static_cast<long long>(table.clauses.size());
  const auto holding = std::count_if(table.clauses.begin(), table.clauses.end(),
                                     [](const auto& c) { return c.holds == model::Holds::yes; });
  const auto implementation =
      report.ran ? *report.ran : report.expected.value_or(report.predicted.implementation);
  const bool runs = implementation == model::implementation_of(table.algo);
  if (runs && holding == all) return {};
  if (runs)
    return fmt::format("{} {}; {} of {} conditions for its full speed hold", to_string(table.algo),
                       report.ran ? "runs" : "would run", holding, all);
  if (holding < all)
    return fmt::format("Why not {}? {} of {} conditions hold", to_string(table.algo), holding, all);
  const bool asked = report.configuration->config.algo == table.algo;
  if (!table.refused.empty())
    return fmt::format(
        "All {} conditions of {} hold, but cuDNN refuses the call for another reason", all,
        to_string(table.algo));
  return asked && report.ran
             ? fmt::format("{} was asked for and did not run, although all {} conditions hold",
                           to_string(table.algo), all)
             : fmt::format("{} would run if it were asked for: all {} conditions hold",
                           to_string(table.algo), all);
}

std::string_view holds(model::Holds value) {
  return value == model::Holds::yes ? "yes" : value == model::Holds::no ? "no" : "unknown";
}

std::string_view kind(const model::Clause& condition) {
  return condition.required ? "required" : "for speed";
}

std::string why_not_nearest(const model::WhyNot& table) {
  if (!table.refused.empty())
    return fmt::format("cuDNN would refuse what satisfies all: {}.", clean(table.refused));
  if (!table.has_nearest) return "No change of this configuration alone reaches it.";
  std::string text;
  for (const auto& change : table.changes) text += (text.empty() ? "" : ", ") + clean(change);
  return text.empty() ? text : "Nearest configuration that satisfies all: " + text;
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
  const auto shown = devices_at_once(profile);
  for (std::size_t i = 0; i < profile.devices.size(); ++i) {
    if (!shown[i]) continue;
    const auto& each = profile.devices[i];
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
  add(label_created, e.created);
  add(label_command, e.command_line);
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
      rows.emplace_back(key, value_text(config.*member, 5));
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
