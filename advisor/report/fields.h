// The words in which finding_fields.h lists what formats for machines write: a field has a name, a
// value, a meaning and a unit. Its type is that of the value.
#pragma once

#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/base/text.h"

namespace rnnadvisor::advisor::fields {

using Json = nlohmann::ordered_json;

// `of`: a member or a function of the object. Values are texts, numbers, truth values, enumerations
// with to_string(), Json objects, types with Fields, and std::optional (else null) and std::vector
// of these.
template <class Of>
struct Field {
  std::string_view name;
  Of of;
  std::string_view meaning = {}, unit = {};
};
// Specialised for each type that has fields: `name`, `meaning` and a tuple `list` of Field.
template <class T>
struct Fields;

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;

template <class T, class Visitor>
constexpr void visit_fields(Visitor&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Fields<T>::list);
}

template <class T>
Json to_value(const T& value) {
  if constexpr (std::is_same_v<T, Json> || std::is_arithmetic_v<T>) {
    return Json(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return Json(to_valid_utf8(value));
  } else if constexpr (std::is_enum_v<T>) {
    return Json(to_string(value));
  } else if constexpr (is_optional<T>) {
    return value ? to_value(*value) : Json(nullptr);
  } else if constexpr (is_vector<T>) {
    Json list = Json::array();
    for (const auto& each : value) list.push_back(to_value(each));
    return list;
  } else {
    Json object = Json::object();
    visit_fields<T>([&](const auto& field) {
      object[std::string(field.name)] = to_value(std::invoke(field.of, value));
    });
    return object;
  }
}

// Of an object the fields with these names, under names such as SARIF has: "savedBytes".
template <class T>
Json pick(const T& value, std::initializer_list<std::string_view> names) {
  Json object = Json::object();
  for (const auto name : names) {
    std::string key;
    for (std::size_t i = 0; i < name.size(); ++i)
      key += name[i] == '_' ? static_cast<char>(name[++i] - 'a' + 'A') : name[i];
    visit_fields<T>([&](const auto& field) {
      if (field.name == name) object[key] = to_value(std::invoke(field.of, value));
    });
  }
  return object;
}

}  // namespace rnnadvisor::advisor::fields
