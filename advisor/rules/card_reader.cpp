#include "advisor/rules/card_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "advisor/rules/names.h"
#include "advisor/rules/text_template.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::size_t longest_message = 400;  // bytes

}  // namespace

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

std::vector<Error> CardReader::take_errors() {
  const auto place = [](const Error& error) {
    return error.where ? std::tuple(error.where->line, error.where->column) : std::tuple(0, 0);
  };
  std::stable_sort(errors_.begin(), errors_.end(),
                   [&](const Error& a, const Error& b) { return place(a) < place(b); });
  return std::move(errors_);
}

SourcePosition CardReader::position(const toml::source_region& at) const {
  return {file_, static_cast<int>(at.begin.line), static_cast<int>(at.begin.column)};
}

void CardReader::report(const toml::source_region& at, std::string message, std::string remedy) {
  // A "word" of the card can be a megabyte long; an error is there to be read.
  if (message.size() > longest_message)
    message = to_valid_utf8(message.substr(0, longest_message)) + " …";
  errors_.push_back({ErrorCode::parse, std::move(message), std::move(remedy), position(at), {}});
}

void CardReader::check_keys(const toml::table& table, std::span<const std::string_view> keys,
                            std::string_view what) {
  for (const auto& [key, node] : table) {
    if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
    report(key.source(), fmt::format("{} has no key '{}'", what, to_valid_utf8(key.str())),
           suggest_word(key.str(), keys));
  }
}

const toml::node* CardReader::find(const toml::table& table, std::string_view key, bool required) {
  const auto* node = table.get(key);
  if (!node && required) report(table, fmt::format("'{}' is missing", key));
  return node;
}

std::string CardReader::text(const toml::table& table, std::string_view key, bool required) {
  const auto* node = find(table, key, required);
  if (!node) return {};
  const auto* text = node->as_string();
  if (!text) {
    report(*node, fmt::format("'{}' must be a string, not {}", key, kind_of(*node)));
    return {};
  }
  if (required && text->get().find_first_not_of(" \t\r\n") == std::string::npos) {
    report(*node, fmt::format("'{}' is empty", key));
  }
  return text->get();
}

std::string CardReader::word(const toml::table& table, std::string_view key,
                             std::span<const std::string_view> words, bool required) {
  auto value = text(table, key, required);
  if (value.empty() || std::find(words.begin(), words.end(), value) != words.end()) return value;
  report(*table.get(key), fmt::format("'{}' cannot be '{}'", key, to_valid_utf8(value)),
         suggest_word(value, words));
  return {};
}

std::string CardReader::pattern(const toml::table& table, std::string_view key, bool required) {
  auto value = text(table, key, required);
  for (auto& mistake : check_template(value)) {
    report(*table.get(key), fmt::format("in '{}': {}", key, mistake.message),
           std::move(mistake.remedy));
  }
  return value;
}

std::vector<std::string> CardReader::texts(const toml::table& table, std::string_view key) {
  std::vector<std::string> list;
  const auto* node = table.get(key);
  if (!node) return list;
  const auto* array = node->as_array();
  if (!array) {
    report(*node, fmt::format("'{}' must be an array of strings, not {}", key, kind_of(*node)));
    return list;
  }
  for (const auto& item : *array) {
    if (const auto* text = item.as_string()) {
      list.push_back(text->get());
    } else {
      report(item, fmt::format("'{}' must contain strings, not {}", key, kind_of(item)));
    }
  }
  return list;
}

std::optional<double> CardReader::number(const toml::table& table, std::string_view key) {
  const auto* node = table.get(key);
  if (!node) return std::nullopt;
  std::optional<double> value;
  if (const auto* whole = node->as_integer()) value = static_cast<double>(whole->get());
  if (const auto* real = node->as_floating_point()) value = real->get();
  if (!value || !std::isfinite(*value)) {
    report(*node, fmt::format("'{}' must be a finite number", key));
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> CardReader::whole(const toml::table& table, std::string_view key) {
  const auto* node = table.get(key);
  if (!node) return std::nullopt;
  if (const auto* value = node->as_integer()) return value->get();
  report(*node, fmt::format("'{}' must be a whole number, not {}", key, kind_of(*node)));
  return std::nullopt;
}

std::vector<const toml::table*> CardReader::tables(const toml::table& table, std::string_view key) {
  std::vector<const toml::table*> list;
  const auto* node = table.get(key);
  if (!node) return list;
  const auto* array = node->as_array();
  if (!array) {
    report(*node, fmt::format("'{}' must be an array of tables, not {}", key, kind_of(*node)),
           fmt::format("write [[{}]]", key));
    return list;
  }
  for (const auto& item : *array) {
    if (const auto* inner = item.as_table()) {
      list.push_back(inner);
    } else {
      report(item, fmt::format("'{}' must contain tables, not {}", key, kind_of(item)));
    }
  }
  return list;
}

int CardReader::fact(const toml::node& node) {
  const auto* name = node.as_string();
  if (!name) {
    report(node, fmt::format("a fact is named by a string, not {}", kind_of(node)));
    return -1;
  }
  const int fact = find_fact(name->get());
  if (fact < 0) {
    report(node, fmt::format("no fact is called '{}'", to_valid_utf8(name->get())),
           suggest_fact(name->get()));
  }
  return fact;
}

int CardReader::fact(const toml::table& table, std::string_view key) {
  const auto* node = table.get(key);
  return node ? fact(*node) : -1;
}

}  // namespace rnnadvisor::advisor
