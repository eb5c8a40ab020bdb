// Configurations from TOML.
#include <algorithm>
#include <tuple>

#include "core/config/fields/assign.h"
#include "core/config/read_config.h"
#include "core/config/toml/parse_toml.h"

namespace rnnadvisor {
namespace {

using fields::FieldSet;
using fields::Problem;
using fields::Value;

constexpr std::string_view list_key = "configuration";

// The strings of the Value live in the node.
Value to_value(const toml::node& node) {
  Value value;
  if (const auto* text = node.as_string()) {
    value.kind = Value::Kind::string;
    value.string = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value = Value::of_integer(integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = Value::Kind::real;
    value.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Value::Kind::boolean;
    value.boolean = boolean->get();
  } else if (const auto* list = node.as_array()) {
    value.kind = Value::Kind::list;
    for (const auto& element : *list) {
      if (element.is_array() ||
          element.is_table()) {  // no field nests lists, so their content does not matter
        value.list.emplace_back().kind =
            element.is_array() ? Value::Kind::list : Value::Kind::table;
      } else {
        value.list.push_back(to_value(element));
      }
    }
  } else {
    value.kind = node.is_table() ? Value::Kind::table : Value::Kind::other;
  }
  return value;
}

class TomlReader {
 public:
  explicit TomlReader(std::string_view file) : file_(file) {}

  std::vector<Error> errors;

  // The keys of `table` into `input`; `met` grows by the fields that were given. `list` is the
  // [[configuration]] node where one may stand.
  void read_table(const toml::table& table, ConfigInput& input, FieldSet& met,
                  const toml::node** list) {
    for (const auto& [key, node] : table) {
      if (list != nullptr && key.str() == list_key) {
        *list = &node;
      } else if (key.str() == fields::framework_key) {
        read_framework(key, node, input.program);
      } else if (const auto index = fields::find_key(fields::config_keys, key.str(), 0)) {
        met.insert(*index);
        assign(node, [&](const Value& value) {
          return fields::assign_config(input.config, *index, value);
        });
      } else if (key.str() == list_key) {
        report({"configuration within a configuration",
                "write [[configuration]] at the left margin only",
                {}},
               key.source());
      } else {
        report(fields::unknown_config_key(key.str()), key.source());
      }
    }
  }

  std::vector<ConfigInput> read_list(const toml::node& node, const ConfigInput& defaults,
                                     const FieldSet& default_keys) {
    std::vector<ConfigInput> inputs;
    const auto* list = node.as_array();
    if (list == nullptr) {
      report({"configuration is " + fields::describe(to_value(node)) +
                  ", but must be a list of tables",
              "write [[configuration]] with two brackets before each one",
              {}},
             node.source());
      return inputs;
    }
    for (const auto& element : *list) {
      const auto* table = element.as_table();
      if (table == nullptr) {
        report({"configuration contains " + fields::describe(to_value(element)) +
                    ", but may contain only tables",
                "write [[configuration]] and the keys below it",
                {}},
               element.source());
        continue;
      }
      ConfigInput input = defaults;
      FieldSet met = default_keys;
      read_table(*table, input, met, nullptr);
      fields::resolve(input.config, met);
      input.given = met;
      input.position = position(element.source());
      inputs.push_back(std::move(input));
    }
    return inputs;
  }

  SourcePosition position(const toml::source_region& region) const {
    return {file_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }

  void report(Problem problem, const toml::source_region& region) {
    errors.push_back(fields::to_error(std::move(problem), position(region)));
  }

 private:
  void read_framework(const toml::key& key, const toml::node& node, ProgramContext& program) {
    const auto* table = node.as_table();
    if (table == nullptr) {
      report({"framework is " + fields::describe(to_value(node)) + ", but must be a table",
              "write [framework] and below it name = \"pytorch\"",
              {}},
             key.source());
      return;
    }
    for (const auto& [name, value] : *table) {
      if (const auto index = fields::find_key(fields::context_keys, name.str(), 0)) {
        assign(value,
               [&](const Value& given) { return fields::assign_context(program, *index, given); });
      } else {
        report(fields::unknown_context_key(name.str()), name.source());
      }
    }
  }

  template <class Assign>
  void assign(const toml::node& node, Assign&& into) {
    if (auto problem = into(to_value(node))) {
      const toml::node* culprit = &node;
      if (problem->element) culprit = node.as_array()->get(*problem->element);
      report(std::move(*problem), culprit->source());
    }
  }

  std::string file_;
};

std::vector<Error> one_error(std::string message, std::string remedy, SourcePosition where) {
  return {Error{ErrorCode::parse, std::move(message), std::move(remedy), std::move(where), {}}};
}

}  // namespace

tl::expected<std::vector<ConfigInput>, std::vector<Error>> read_toml(std::string_view text,
                                                                     std::string_view file) {
  auto parsed = toml_text::parse_toml(text, file);
  if (!parsed) return tl::unexpected(std::vector{std::move(parsed.error())});
  const toml::table& root = *parsed;
  if (root.empty()) {
    return tl::unexpected(one_error("no configuration: the text has no keys",
                                    "write at least hidden_size = 512", {std::string(file), 1, 1}));
  }

  TomlReader reader(file);
  ConfigInput defaults;
  FieldSet met;
  const toml::node* list = nullptr;
  reader.read_table(root, defaults, met, &list);
  std::vector<ConfigInput> inputs;
  if (list != nullptr) {
    inputs = reader.read_list(*list, defaults, met);
  } else {
    fields::resolve(defaults.config, met);
    defaults.given = met;
    defaults.position = {std::string(file), 1, 1};
    inputs.push_back(std::move(defaults));
  }
  if (reader.errors.empty()) return inputs;
  // Tables are kept by key; people read from top to bottom.
  std::stable_sort(reader.errors.begin(), reader.errors.end(), [](const Error& a, const Error& b) {
    return std::tie(a.where->line, a.where->column) < std::tie(b.where->line, b.where->column);
  });
  return tl::unexpected(std::move(reader.errors));
}

}  // namespace rnnadvisor
