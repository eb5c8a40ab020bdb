#include "advisor/facts/fact.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "advisor/facts/framework_around.h"
#include "advisor/facts/providers.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::array<std::string_view, 5> types = {"boolean", "integer", "real", "text", "version"};
constexpr std::array<std::string_view, 5> provenances = {"configured", "captured", "measured",
                                                         "modelled", "documented"};

const Catalogue& catalogue() {
  static const Catalogue facts = [] {
    Catalogue list;
    add_call_facts(list);
    add_program_facts(list);
    add_device_facts(list);
    add_memory_facts(list);
    add_program_memory_facts(list);
    add_step_facts(list);
    add_capture_facts(list);
    add_model_facts(list);
    add_predicted_facts(list);
    add_measured_facts(list);
    add_trace_facts(list);
    add_sibling_facts(list);
    add_experiment_facts(list);
    add_framework_facts(list);
    return list;
  }();
  return facts;
}

// Three significant digits without an exponent for sizes people meet, no trailing zeros.
std::string format_real(double value) {
  if (value == std::trunc(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  const double size = std::fabs(value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 0.01) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string format_number(double value, std::string_view unit) {
  if (unit == "B") return format_bytes(value);
  if (unit == "ms") return format_milliseconds(value);
  if (unit == "FLOP/s") return fmt::format("{} TFLOP/s", format_real(value / 1e12));
  if (unit == "B/s") return fmt::format("{} GB/s", format_real(value / 1e9));
  if (unit == "FLOP") return fmt::format("{} GFLOP", format_real(value / 1e9));
  if (unit == "%") return fmt::format("{:.0f} %", value);
  if (unit.empty() || unit == "1") return format_real(value);
  return fmt::format("{} {}", format_real(value), unit);
}

}  // namespace

std::string_view to_string(FactType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < types.size() ? types[index] : std::string_view("?");
}

std::string_view to_string(Provenance provenance) {
  const auto index = static_cast<std::size_t>(provenance);
  return index < provenances.size() ? provenances[index] : std::string_view("?");
}

std::optional<Version> parse_version(std::string_view text) {
  std::array<int, 3> parts{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, parts[i]);
    if (error != std::errc{} || parts[i] < 0) return std::nullopt;
    at = next;
    if (at == end) return Version{parts[0], parts[1], parts[2]};
    // "2.11.0+cu130", "9.19.0-1", "2.11.0a0": what follows the numbers is no part of the
    // comparison.
    if (*at != '.')
      return i > 0 ? std::optional(Version{parts[0], parts[1], parts[2]}) : std::nullopt;
    ++at;
  }
  // A fourth part ("580.159.04.1", "9.19.0.56") is read over.
  return Version{parts[0], parts[1], parts[2]};
}

std::string to_string(const Version& version) {
  return version.patch != 0 ? fmt::format("{}.{}.{}", version.major, version.minor, version.patch)
                            : fmt::format("{}.{}", version.major, version.minor);
}

std::span<const FactDefinition> fact_catalogue() { return catalogue(); }

const FactDefinition& fact_definition(int fact) {
  return fact_catalogue()[static_cast<std::size_t>(fact)];
}

int find_fact(std::string_view name) {
  static const std::unordered_map<std::string_view, int> by_name = [] {
    std::unordered_map<std::string_view, int> map;
    int index = 0;
    for (const auto& fact : catalogue()) map.emplace(fact.name, index++);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? -1 : found->second;
}

std::string format_fact(const FactValue& value, std::string_view unit) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* version = std::get_if<Version>(&value)) return to_string(*version);
  if (const auto* real = std::get_if<double>(&value)) return format_number(*real, unit);
  const auto number = std::get<std::int64_t>(value);
  return unit.empty() ? fmt::format("{}", number)
                      : format_number(static_cast<double>(number), unit);
}

const DeviceSpec* device_of(const Subject& subject) {
  const auto index = static_cast<std::size_t>(subject.get().device);
  const auto& devices = subject.profile->devices;
  return subject.get().device >= 0 && index < devices.size() ? &devices[index] : nullptr;
}

std::optional<Framework> framework_of(const Subject& subject) {
  return framework_around(*subject.profile, subject.configuration);
}

std::optional<Version> assumed_cudnn_version(const DeviceSpec* device) {
  return device != nullptr ? parse_version(device->cudnn_version) : std::nullopt;
}

std::optional<Version> judged_cudnn_version(const Profile& profile, const Configuration& own) {
  if (own.program.cudnn_version) return parse_version(*own.program.cudnn_version);
  const auto& recorded = profile.environment.cudnn_version;
  if (!recorded.empty() || own.origin != Origin::checked) return parse_version(recorded);
  const auto at = static_cast<std::size_t>(own.device);
  return assumed_cudnn_version(own.device >= 0 && at < profile.devices.size() ? &profile.devices[at]
                                                                              : nullptr);
}

std::optional<Version> cudnn_version_of(const Subject& subject) {
  return judged_cudnn_version(*subject.profile, subject.get());
}

}  // namespace rnnadvisor::advisor
