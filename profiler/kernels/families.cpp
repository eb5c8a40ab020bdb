#include "profiler/kernels/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/embedded.h"
#include "core/base/text.h"
#include "core/config/toml/parse_toml.h"
#include "profiler/kernels/kernel_name.h"

namespace rnnadvisor {
namespace embedded {
std::span<const EmbeddedFile> kernel_families();
}

namespace classify {
namespace {

constexpr std::array implementations = {
    model::Implementation::none, model::Implementation::standard, model::Implementation::persistent,
    model::Implementation::persistent_dynamic, model::Implementation::persistent_small_h};
constexpr std::array<std::string_view, 9> keys = {"id",          "match",        "implementation",
                                                  "call",        "role",         "seen",
                                                  "serves_gemm", "tensor_cores", "source"};

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Result<std::vector<Family>> read(std::string_view text) {
    const auto root = toml_text::parse_toml(text, file_);
    if (!root) return fail(root.error());
    std::vector<Family> result;
    const toml::array* list = (*root)["family"].as_array();
    if (list == nullptr) return fail(ErrorCode::parse, fmt::format("{} has no [[family]]", file_));
    for (const toml::node& node : *list) {
      const toml::table* table = node.as_table();
      if (table == nullptr) return fail(wrong(node, "[[family]] must be a table"));
      auto family = read_family(*table);
      if (!family) return fail(std::move(family.error()));
      result.push_back(std::move(*family));
    }
    return result;
  }

 private:
  SourcePosition position(const toml::source_position& at) const {
    return {file_, static_cast<int>(at.line), static_cast<int>(at.column)};
  }

  Error wrong(const toml::node& node, std::string message) const {
    return {ErrorCode::parse, std::move(message), {}, position(node.source().begin), {}};
  }

  Result<Family> read_family(const toml::table& table) {
    Family family;
    for (const auto& [key, node] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        return fail(wrong(
            node, fmt::format("unknown key '{}' {}", key.str(), did_you_mean(key.str(), keys))));
      }
    }
    family.id = table["id"].value_or(std::string());
    family.source = table["source"].value_or(std::string());
    family.serves_gemm = table["serves_gemm"].value_or(false);
    if (family.id.empty()) return fail(wrong(table, "a family needs an id"));
    if (family.source.empty())
      return fail(wrong(table, fmt::format("family '{}' has no source", family.id)));
    if (!strings(table, "match", family.patterns) || family.patterns.empty()) {
      return fail(
          wrong(table, fmt::format("family '{}': match must be a list of patterns", family.id)));
    }
    if (!strings(table, "seen", family.seen)) {
      return fail(
          wrong(table, fmt::format("family '{}': seen must be a list of texts", family.id)));
    }
    for (auto [key, target] :
         {std::pair{"implementation", &family.implementation}, {"call", &family.call}}) {
      if (!table.contains(key)) continue;
      *target = implementation(table[key].value_or(std::string()));
      if (!*target)
        return fail(wrong(*table.get(key), fmt::format("'{}' is no implementation", key)));
    }
    const auto role = table["role"].value_or(std::string());
    for (int i = 0; i <= static_cast<int>(KernelRole::unknown); ++i) {
      if (to_string(static_cast<KernelRole>(i)) == role) family.role = static_cast<KernelRole>(i);
    }
    if (family.role == KernelRole::unknown) {
      return fail(wrong(table, fmt::format("family '{}': unknown role '{}'", family.id, role)));
    }
    return tensor_cores(table, std::move(family));
  }

  static bool strings(const toml::table& table, std::string_view key,
                      std::vector<std::string>& into) {
    if (!table.contains(key)) return true;
    const toml::array* list = table[key].as_array();
    if (list == nullptr) return false;
    for (const toml::node& node : *list) {
      const auto text = node.value<std::string>();
      if (!text || text->empty()) return false;
      into.push_back(*text);
    }
    return true;
  }

  static std::optional<model::Implementation> implementation(std::string_view text) {
    for (const auto value : implementations) {
      if (model::to_string(value) == text) return value;
    }
    return std::nullopt;
  }

  static std::optional<TensorCoreHint> hint(const toml::node* node) {
    const auto text = node == nullptr ? std::nullopt : node->value<std::string>();
    if (text == "yes") return TensorCoreHint::yes;
    if (text == "no") return TensorCoreHint::no;
    return std::nullopt;
  }

  Result<Family> tensor_cores(const toml::table& table, Family family) {
    const toml::node* node = table.get("tensor_cores");
    if (node == nullptr) return family;
    if (const toml::table* by_argument = node->as_table()) {
      const auto argument = (*by_argument)["argument"].value_or(std::int64_t{0});
      const auto yes = hint(by_argument->get("true")), no = hint(by_argument->get("false"));
      if (argument < 1 || argument > 64 || !yes || !no) {
        return fail(wrong(*node, "tensor_cores by argument needs argument, true and false"));
      }
      family.tensor_core_argument = static_cast<int>(argument);
      family.when_true = *yes;
      family.when_false = *no;
      return family;
    }
    const auto value = hint(node);
    if (!value) return fail(wrong(*node, "tensor_cores is \"yes\", \"no\" or a table"));
    family.tensor_cores = *value;
    return family;
  }

  std::string file_;
};

}  // namespace

Result<std::vector<Family>> read_families(std::string_view toml, std::string_view file) {
  return Reader(file).read(toml);
}

std::span<const Family> families() {
  static const std::vector<Family> table = [] {
    std::vector<Family> all;
    for (const auto& file : embedded::kernel_families()) {
      auto read = read_families(file.text, file.name);
      if (read) all.insert(all.end(), read->begin(), read->end());
    }
    return all;
  }();
  return table;
}

int family_of(std::string_view demangled) {
  const auto name = without_return_type(demangled);
  const auto all = families();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& pattern : all[i].patterns) {
      if (matches(pattern, name)) return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace classify
}  // namespace rnnadvisor
