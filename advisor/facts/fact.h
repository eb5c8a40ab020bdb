// Facts: named, typed values with a unit and a provenance. Rules compare facts and nothing else;
// all arithmetic is here, in providers, where it is tested.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/never_held.h"
#include "core/config/rnn_config.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

enum class FactType { boolean, integer, real, text, version };
std::string_view to_string(FactType type);

// How a value is known, from the surest to the least sure.
enum class Provenance { configured, captured, measured, modelled, documented };
std::string_view to_string(Provenance provenance);

// A version number compared part by part: 9.19.0 > 9.9.
struct Version {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const Version&) const = default;
};
std::optional<Version> parse_version(std::string_view text);
std::string to_string(const Version& version);

using FactValue = std::variant<bool, std::int64_t, double, std::string, Version, NeverHeld>;

struct Fact {
  FactValue value;
  Provenance provenance = Provenance::configured;
};

// What a rule is applied to: one configuration of a profile.
struct Subject {
  const Profile* profile = nullptr;
  int configuration = 0;  // index into profile->configurations
  const Configuration& get() const {
    return profile->configurations[static_cast<std::size_t>(configuration)];
  }
};

// The cuDNN version a configuration is judged for: the one its program names, else the one of the
// profile, else, of what was only described, the one with which its kind of GPU was measured: it is
// that of predicted times, too.
std::optional<Version> judged_cudnn_version(const Profile& profile,
                                            const Configuration& configuration);
// The last of these; nothing where nothing was measured.
std::optional<Version> assumed_cudnn_version(const DeviceSpec* device);

// Values computed once per profile and shared by its subjects (calls by configuration, siblings,
// kernel sums). Opaque to rules.
class ProfileIndex;

struct FactDefinition {
  std::string name;  // "call.batch_size"
  FactType type = FactType::integer;
  std::string unit;                 // "", "B", "ms", "1" (ratio), "FLOP/B"
  std::string description;          // one line
  std::vector<std::string> values;  // for text facts: the spellings it can take; empty: free
  // Of a fact that is a gain: which change gains it, a kind of advisor/change/transform.h, or as
  // SuggestionTemplate names changes that are found when judging. Empty: it is no gain of a change.
  std::string gain_of = {};
  // The value for a subject, or nothing when it is not known there. Must not throw.
  std::function<std::optional<Fact>(const Subject&, const ProfileIndex&)> provide;
};

// All facts, by name order of definition. Built once; thread-safe.
std::span<const FactDefinition> fact_catalogue();
// Index into fact_catalogue(), or -1.
int find_fact(std::string_view name);
// The definition at an index that find_fact() gave.
const FactDefinition& fact_definition(int fact);

// For people: "1000", "true", "160 MiB", "0.82".
std::string format_fact(const FactValue& value, std::string_view unit);

}  // namespace rnnadvisor::advisor
