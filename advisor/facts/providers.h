// How the catalogue is put together: one function per group of facts, and the helper they define
// facts with. Private to advisor/facts.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "advisor/facts/fact.h"

namespace rnnadvisor::advisor {

using Catalogue = std::vector<FactDefinition>;

void add_call_facts(Catalogue& catalogue);
void add_program_facts(Catalogue& catalogue);
void add_device_facts(Catalogue& catalogue);
void add_memory_facts(Catalogue& catalogue);
void add_program_memory_facts(Catalogue& catalogue);
void add_step_facts(Catalogue& catalogue);
void add_capture_facts(Catalogue& catalogue);
void add_model_facts(Catalogue& catalogue);
void add_predicted_facts(Catalogue& catalogue);
void add_measured_facts(Catalogue& catalogue);
void add_trace_facts(Catalogue& catalogue);
void add_sibling_facts(Catalogue& catalogue);
void add_experiment_facts(Catalogue& catalogue);
void add_framework_facts(Catalogue& catalogue);

// The device of the subject, or null when the profile names none.
const DeviceSpec* device_of(const Subject& subject);
// Its memory, where it is known.
std::optional<std::int64_t> device_bytes(const Subject& subject);
// The framework around the subject: what the user or the capture said. Nothing when neither did.
std::optional<Framework> framework_of(const Subject& subject);
// The cuDNN version the subject is judged for: the target's when the user named one, else the
// profiled one.
std::optional<Version> cudnn_version_of(const Subject& subject);

namespace detail {

template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};

template <class T>
constexpr FactType type_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return FactType::boolean;
  } else if constexpr (std::is_integral_v<T>) {
    return FactType::integer;
  } else if constexpr (std::is_floating_point_v<T>) {
    return FactType::real;
  } else if constexpr (std::is_same_v<T, Version>) {
    return FactType::version;
  } else {
    return FactType::text;
  }
}

template <class T>
FactValue value_of(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Version>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return std::string(value);
  }
}

// What is written in a configuration is `captured` when we read it from a running program.
inline Provenance provenance_here(Provenance declared, const Subject& subject) {
  return declared == Provenance::configured && subject.get().from_program() ? Provenance::captured
                                                                            : declared;
}

}  // namespace detail

// Facts of these groups do not need a configuration: they are known of a recurrence that was seen
// by its kernels only, too.
inline bool needs_no_configuration(std::string_view name) {
  for (const std::string_view group : {"device.", "environment.", "program.", "trace."})
    if (name.starts_with(group)) return true;
  return false;
}

// Defines one fact. `provide` takes (const Subject&) or (const Subject&, const ProfileIndex&) and
// returns a value or an optional; the fact's type follows from what it returns. Values that are not
// finite count as not known.
template <class Provide>
void define(Catalogue& catalogue, std::string name, std::string unit, Provenance provenance,
            std::string description, Provide provide, std::vector<std::string> values = {}) {
  constexpr bool wants_index = std::is_invocable_v<Provide, const Subject&, const ProfileIndex&>;
  const auto call = [provide = std::move(provide)](const Subject& subject,
                                                   [[maybe_unused]] const ProfileIndex& index) {
    if constexpr (wants_index) {
      return provide(subject, index);
    } else {
      return provide(subject);
    }
  };
  using Returned =
      decltype(call(std::declval<const Subject&>(), std::declval<const ProfileIndex&>()));
  using Value = std::remove_cvref_t<typename detail::Unwrapped<Returned>::type>;
  FactDefinition definition;
  definition.name = std::move(name);
  definition.type = detail::type_of<Value>();
  definition.unit = std::move(unit);
  definition.description = std::move(description);
  definition.values = std::move(values);
  const bool always = needs_no_configuration(definition.name);
  definition.provide = [call, provenance, always](
                           const Subject& subject,
                           const ProfileIndex& index) -> std::optional<Fact> {
    if (!always && !subject.get().described()) return std::nullopt;
    const std::optional<Value> value = call(subject, index);
    if (!value) return std::nullopt;
    if constexpr (std::is_floating_point_v<Value>) {
      if (!std::isfinite(*value)) return std::nullopt;
    }
    return Fact{detail::value_of(*value), detail::provenance_here(provenance, subject)};
  };
  catalogue.push_back(std::move(definition));
}

// The same for a fact that is the gain of a change: a card can claim it for that change alone.
template <class Provide>
void define_gain(Catalogue& catalogue, std::string change, std::string name, std::string unit,
                 Provenance provenance, std::string description, Provide provide) {
  define(catalogue, std::move(name), std::move(unit), provenance, std::move(description),
         std::move(provide));
  catalogue.back().gain_of = std::move(change);
}

// The spellings of an enumeration, for FactDefinition::values.
template <class Enum>
std::vector<std::string> spellings() {
  return {Spellings<Enum>::values.begin(), Spellings<Enum>::values.end()};
}

}  // namespace rnnadvisor::advisor
