#include "advisor/sweep/config_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

#include "core/config/fields.h"
#include "core/config/key_scope.h"

namespace rnnadvisor::advisor {
namespace {

template <class T>
struct Inner {
  using type = T;
};
template <class T>
struct Inner<std::optional<T>> {
  using type = T;
};

template <class T>
FieldInfo describe(std::string key, std::string_view meaning, bool framework) {
  FieldInfo info{std::move(key), std::string(meaning), FieldKind::text, {}, framework};
  if constexpr (std::is_enum_v<T>) {
    info.kind = FieldKind::word;
    for (const auto word : Spellings<T>::values) info.words.emplace_back(word);
  } else if constexpr (std::is_same_v<T, bool>) {
    info.kind = FieldKind::boolean;
    info.words = {"true", "false"};
  } else if constexpr (std::is_integral_v<T>) {
    info.kind = FieldKind::integer;
  } else if constexpr (std::is_floating_point_v<T>) {
    info.kind = FieldKind::real;
  } else if constexpr (std::is_same_v<T, std::vector<int>>) {
    info.kind = FieldKind::integer_list;
  }
  return info;
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(Spellings<T>::values[static_cast<std::size_t>(value)]);
  } else if constexpr (std::is_same_v<T, std::vector<int>>) {
    return fmt::format("{}", fmt::join(value, ","));
  } else {
    return fmt::format("{}", value);
  }
}
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : std::string();
}

template <class Object, class Member>
using MemberType = std::remove_cvref_t<decltype(std::declval<Object>().*std::declval<Member>())>;

std::vector<FieldInfo> collect() {
  std::vector<FieldInfo> infos;
  visit_config_fields([&](std::string_view key, auto member, std::string_view meaning) {
    using T = typename Inner<MemberType<RnnConfig, decltype(member)>>::type;
    infos.push_back(describe<T>(std::string(key), meaning, false));
  });
  visit_context_fields([&](std::string_view key, auto member, std::string_view meaning) {
    using T = typename Inner<MemberType<ProgramContext, decltype(member)>>::type;
    infos.push_back(
        describe<T>(fmt::format("framework.{}", key), meaning_with_scope(key, meaning), true));
  });
  return infos;
}

}  // namespace

const std::vector<FieldInfo>& config_field_infos() {
  static const std::vector<FieldInfo> infos = collect();
  return infos;
}

const FieldInfo* find_field(std::string_view key) {
  for (const auto& info : config_field_infos()) {
    if (info.key == key) return &info;
  }
  return nullptr;
}

std::string field_text(const RnnConfig& config, std::string_view key) {
  std::string text;
  visit_config_fields([&](std::string_view name, auto member, std::string_view) {
    if (name == key) text = text_of(config.*member);
  });
  return text;
}

std::string field_text(const ConfigInput& input, std::string_view key) {
  constexpr std::string_view prefix = "framework.";
  if (!key.starts_with(prefix)) return field_text(input.config, key);
  key.remove_prefix(prefix.size());
  std::string text;
  visit_context_fields([&](std::string_view name, auto member, std::string_view) {
    if (name == key) text = text_of(input.program.*member);
  });
  return text;
}

}  // namespace rnnadvisor::advisor
