#include "advisor/change/transform_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "advisor/change/transform.h"
#include "core/base/embedded.h"
#include "core/base/text.h"
#include "core/config/toml/parse_toml.h"

namespace rnnadvisor::embedded {
std::span<const EmbeddedFile> transform_code();
}

namespace rnnadvisor::advisor {
namespace {

constexpr std::array frameworks_of_code = {
    CodeColumn{"cudnn", "the cuDNN C API", "cpp"}, CodeColumn{"pytorch", "PyTorch", "python"},
    CodeColumn{"keras", "Keras", "python"}, CodeColumn{"jax", "JAX", "python"},
    CodeColumn{"onnxruntime", "ONNX Runtime", "python"}};

struct CodeEntry {
  std::string code, cannot;
};
// By kind, column and value; the value is empty where all have one entry.
using Key = std::tuple<std::string, std::string, std::string>;
using CodeEntries = std::map<Key, CodeEntry>;

std::vector<std::string> values_of(const TransformKind& kind) {
  std::vector<std::string> values;
  for (const auto& parameter : kind.parameters) {
    if (parameter.type == ParameterType::text)
      values.assign(parameter.values.begin(), parameter.values.end());
    if (parameter.type == ParameterType::boolean) values = {"true", "false"};
  }
  return values;
}

// Lower-case words in braces are placeholders; braces of the languages themselves do not look so.
std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) break;
    const auto word = text.substr(at + 1, end - at - 1);
    const bool name = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    });
    if (name) found.emplace_back(word);
  }
  return found;
}

Result<CodeEntry> read_entry(const toml::table& table, const TransformKind& kind,
                             const std::string& where) {
  CodeEntry entry;
  for (const auto& [key, node] : table) {
    const auto text = node.value<std::string>();
    if ((key != "code" && key != "cannot") || !text || text->empty())
      return fail(ErrorCode::parse,
                  fmt::format("{}: '{}' is no code and no reason", where, std::string(key.str())));
    (key == "code" ? entry.code : entry.cannot) = *text;
  }
  if (entry.code.empty() == entry.cannot.empty())
    return fail(ErrorCode::parse, fmt::format("{}: give code or cannot, one of them", where));
  for (const auto& name : placeholders(entry.code)) {
    const bool known = std::any_of(
        kind.parameters.begin(), kind.parameters.end(), [&](const TransformParameter& parameter) {
          return parameter.name == name || (name == "VALUE" && parameter.name == "value");
        });
    if (!known) return fail(ErrorCode::parse, fmt::format("{}: no parameter {}", where, name));
  }
  return entry;
}

Result<void> read_column(CodeEntries& entries, const TransformKind& kind, const CodeColumn& column,
                         const toml::table& table) {
  const auto where = fmt::format("{}.{}", kind.name, column.key);
  if (table.contains("code") || table.contains("cannot")) {
    auto entry = read_entry(table, kind, where);
    if (!entry) return fail(std::move(entry).error());
    entries[{std::string(kind.name), std::string(column.key), ""}] = std::move(*entry);
    return {};
  }
  const auto values = values_of(kind);
  for (const auto& value : values) {
    const auto* of_value = table[value].as_table();
    if (of_value == nullptr)
      return fail(ErrorCode::parse, fmt::format("{}: nothing for '{}'", where, value));
    auto entry = read_entry(*of_value, kind, fmt::format("{}.{}", where, value));
    if (!entry) return fail(std::move(entry).error());
    entries[{std::string(kind.name), std::string(column.key), value}] = std::move(*entry);
  }
  if (table.size() != values.size() || values.empty())
    return fail(ErrorCode::parse, fmt::format("{}: an entry that no value has", where));
  return {};
}

Result<CodeEntries> read_table(std::string_view text, std::string_view name) {
  const auto table = toml_text::parse_toml(text, name);
  if (!table) return fail(table.error());
  CodeEntries entries;
  for (const auto& kind : transform_kinds()) {
    const auto* of_kind = (*table)[kind.name].as_table();
    if (of_kind == nullptr)
      return fail(ErrorCode::parse, fmt::format("{}: nothing for '{}'", name, kind.name));
    for (const auto& column : frameworks_of_code) {
      const auto* cell = (*of_kind)[column.key].as_table();
      if (cell == nullptr) {
        return fail(ErrorCode::parse,
                    fmt::format("{}: nothing for '{}' in {}", name, kind.name, column.name));
      }
      if (auto read = read_column(entries, kind, column, *cell); !read)
        return fail(std::move(read).error());
    }
    if (of_kind->size() != frameworks_of_code.size())
      return fail(ErrorCode::parse, fmt::format("{}: '{}' has an unknown column", name, kind.name));
  }
  if (table->size() != transform_kinds().size())
    return fail(ErrorCode::parse, fmt::format("{}: a table that is no kind of change", name));
  return entries;
}

const CodeEntries& code_entries() {
  static const CodeEntries shipped = read_table(transform_code_text(), "transform_code.toml")
                                         .value_or(CodeEntries{});  // read by a test
  return shipped;
}

// The line that calls the layer, in the code of a column; empty where the code does not stand
// around one call.
std::string call_of(const CodeColumn& column) {
  if (column.key == "pytorch") return "y = rnn(x)[0]";
  if (column.key == "keras") return "y = layer(x)";
  if (column.key == "jax")
    return "y, h, c = jax.experimental.rnn.lstm(x, h0, c0, weights, lengths, x.shape[-1], "
           "hidden_size, ...)";
  return {};
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

void replace(std::string& text, const std::string& name, const std::string& value) {
  const std::string mark = "{" + name + "}";
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
}

}  // namespace

std::span<const CodeColumn> code_columns() { return frameworks_of_code; }

const CodeColumn& code_column(Framework framework) {
  switch (framework) {
    case Framework::cudnn_api:
      break;
    case Framework::pytorch:
      return frameworks_of_code[1];
    case Framework::keras2:
    case Framework::keras3:
    case Framework::tensorflow:
      return frameworks_of_code[2];
    case Framework::jax:
      return frameworks_of_code[3];
    case Framework::onnxruntime:
      return frameworks_of_code[4];
  }
  return frameworks_of_code[0];
}

TransformCode code_for(const Transform& transform, const CodeColumn& column) {
  const auto parameters = nlohmann::json::parse(transform.json, nullptr, false);
  std::string value;
  if (parameters.is_object() && parameters.contains("value")) {
    const auto& given = parameters.at("value");
    value = given.is_string() ? given.get<std::string>() : given.dump();
  }
  auto found = code_entries().find({transform.kind, std::string(column.key), value});
  if (found == code_entries().end())
    found = code_entries().find({transform.kind, std::string(column.key), ""});
  TransformCode made;
  if (found == code_entries().end()) {
    made.cannot = fmt::format("'{}' is no known change", to_valid_utf8(transform.kind));
    return made;
  }
  if (!found->second.cannot.empty()) {
    made.cannot = fmt::format("cannot be expressed in {}: {}", column.name, found->second.cannot);
    return made;
  }
  made.code = found->second.code;
  replace(made.code, "VALUE", in_capitals(value));
  if (parameters.is_object()) {
    for (const auto& [name, given] : parameters.items())
      replace(made.code, name, given.is_string() ? given.get<std::string>() : given.dump());
  }
  return made;
}

TransformCode code_for(const Transform& transform, Framework framework) {
  return code_for(transform, code_column(framework));
}

TransformCode code_for(std::span<const Transform> transforms, Framework framework) {
  const std::string call = call_of(code_column(framework));
  TransformCode made;
  std::string before, after;
  bool calls = false;
  const auto add = [](std::string& to, std::string_view lines) {
    if (!lines.empty()) to.append(to.empty() ? "" : "\n").append(lines);
  };
  for (const auto& transform : transforms) {
    const auto code = code_for(transform, framework);
    if (made.cannot.empty()) made.cannot = code.cannot;
    const std::string_view lines = code.code;
    const auto at = call.empty() ? lines.npos : lines.find(call);
    add(before, lines.substr(0, at == 0 || at == lines.npos ? at : at - 1));
    if (at == lines.npos) continue;
    calls = true;
    add(after, lines.substr(std::min(at + call.size() + 1, lines.size())));
  }
  add(made.code, before);
  if (calls) add(made.code, call);
  add(made.code, after);
  return made;
}

Result<void> check_transform_code(std::string_view toml, std::string_view name) {
  const auto read = read_table(toml, name);
  if (!read) return fail(read.error());
  return {};
}

std::string_view transform_code_text() { return embedded::transform_code().front().text; }

}  // namespace rnnadvisor::advisor
