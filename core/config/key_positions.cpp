#include "core/config/key_positions.h"

#include "core/config/toml/parse_toml.h"

namespace rnnadvisor {
namespace {

constexpr std::string_view framework_table = "framework", configuration_list = "configuration";
using Positions = std::map<std::string, SourcePosition>;

SourcePosition toml_position(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

void add_toml_keys(const toml::table& table, const std::string& file, Positions& positions) {
  for (const auto& [key, node] : table) {
    positions.insert_or_assign(std::string(key.str()), toml_position(key.source(), file));
    const auto* below = key.str() == framework_table ? node.as_table() : nullptr;
    if (below == nullptr) continue;
    for (const auto& [name, value] : *below)
      positions.insert_or_assign("framework." + std::string(name.str()),
                                 toml_position(name.source(), file));
  }
}

Positions toml_keys(std::string_view text, const SourcePosition& configuration) {
  Positions positions;
  const auto parsed = toml_text::parse_toml(text, configuration.file);
  if (!parsed) return positions;
  const toml::table& root = *parsed;
  add_toml_keys(root, configuration.file, positions);
  if (const auto* list = root[configuration_list].as_array()) {
    for (const auto& element : *list) {
      const auto* table = element.as_table();
      if (table != nullptr && toml_position(element.source(), configuration.file) == configuration)
        add_toml_keys(*table, configuration.file, positions);
    }
  }
  positions.erase(std::string(configuration_list));
  return positions;
}

// Steps through JSON that was read before, counting lines and characters as people do.
class JsonScanner {
 public:
  JsonScanner(std::string_view text, std::string file) : text_(text), at_{std::move(file), 1, 1} {}

  bool ended() const { return offset_ >= text_.size(); }
  char current() const { return text_[offset_]; }
  const SourcePosition& position() const { return at_; }
  void step() {
    if (current() == '\n') {
      ++at_.line;
      at_.column = 1;
    } else if ((static_cast<unsigned char>(current()) & 0xC0U) != 0x80U) {
      ++at_.column;
    }
    ++offset_;
  }
  // The string that begins here, without its quotes; keys of ours have no escapes.
  std::string string() {
    std::string out;
    for (step(); !ended() && current() != '"'; step()) {
      out += current();
      if (current() == '\\') {
        step();
        if (ended()) break;
      }
    }
    if (!ended()) step();
    return out;
  }
  bool colon_follows() const {
    const auto next = text_.find_first_not_of(" \t\r\n", offset_);
    return next != std::string_view::npos && text_[next] == ':';
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  SourcePosition at_;
};

Positions json_keys(std::string_view text, const SourcePosition& configuration) {
  Positions positions;
  JsonScanner scanner(text, configuration.file);
  while (!scanner.ended() && scanner.position() != configuration) scanner.step();
  int depth = 0;
  std::string outer;  // the key at depth 1
  while (!scanner.ended()) {
    const char c = scanner.current();
    if (c == '"') {
      const auto begin = scanner.position();
      auto key = scanner.string();
      if (!scanner.colon_follows()) continue;
      if (depth == 1) {
        outer = key;
        positions.insert_or_assign(std::move(key), begin);
      } else if (depth == 2 && outer == framework_table) {
        positions.insert_or_assign("framework." + key, begin);
      }
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth <= 0) break;
    scanner.step();
  }
  return positions;
}

}  // namespace

std::map<std::string, SourcePosition> key_positions(std::string_view text,
                                                    const SourcePosition& configuration) {
  return configuration.file.ends_with(".toml") ? toml_keys(text, configuration)
                                               : json_keys(text, configuration);
}

}  // namespace rnnadvisor
