// Integers of the worker's protocol. The JSON library casts silently: a number that the type does
// not hold becomes another one, and a floating point one beyond it is undefined behaviour.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

namespace rnnadvisor {

// The integer that `value` is. Throws nlohmann::json::out_of_range when T does not hold it, and
// nlohmann::json::type_error when it is no integer: callers catch nlohmann::json::exception
// already.
template <class T>
T integer(const nlohmann::json& value) {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
  using Limits = std::numeric_limits<T>;
  if (!value.is_number_integer()) {
    throw nlohmann::json::type_error::create(
        302, "type must be an integer, but is " + std::string(value.type_name()), &value);
  }
  bool holds = false;
  if (value.is_number_unsigned()) {
    holds = value.get<nlohmann::json::number_unsigned_t>() <=
            static_cast<nlohmann::json::number_unsigned_t>(Limits::max());
  } else {
    const auto number = value.get<nlohmann::json::number_integer_t>();
    if constexpr (std::is_signed_v<T>) {
      holds = number >= Limits::min() && number <= Limits::max();
    } else {
      holds =
          number >= 0 && static_cast<nlohmann::json::number_unsigned_t>(number) <= Limits::max();
    }
  }
  if (!holds) {
    throw nlohmann::json::out_of_range::create(406, "number " + value.dump() + " is out of range",
                                               &value);
  }
  return value.get<T>();
}

}  // namespace rnnadvisor
