#include "advisor/sweep/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "advisor/sweep/config_fields.h"
#include "core/base/text.h"
#include "core/config/toml/parse_toml.h"

namespace rnnadvisor::advisor {
namespace {

class Reader {
 public:
  Reader(std::string_view file, std::size_t limit) : file_(file), limit_(limit) {}

  tl::expected<SweepDocument, std::vector<Error>> read(const toml::table& root) {
    SweepDocument document;
    std::vector<SweepAssignment> base;
    for (const auto& [key, node] : in_file_order(root)) {
      const std::string_view name = key->str();
      if (name == "sweep" || name == "figure") continue;
      if (name == "title") {
        read_text(*node, "title", document.title);
      } else {
        read_key(*key, *node, "", base, {"title", "sweep", "figure"});
      }
    }
    for_each_table(root, "sweep", [&](const toml::table& table) {
      document.blocks.push_back(read_block(table, base));
    });
    for_each_table(root, "figure", [&](const toml::table& table) {
      document.figures.push_back(read_figure(table));
    });
    if (document.blocks.empty() && errors_.empty()) {
      error(SourcePosition{std::string(file_), 0, 0}, "there is no [[sweep]] block",
            "add one with a grid or a list");
    }
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return document;
  }

 private:
  SourcePosition position(const toml::source_region& region) const {
    return {std::string(file_), static_cast<int>(region.begin.line),
            static_cast<int>(region.begin.column)};
  }
  void error(const SourcePosition& where, std::string message, std::string remedy = {}) {
    if (errors_.size() < 100) {
      errors_.push_back(Error{ErrorCode::parse, std::move(message), std::move(remedy), where, {}});
    }
  }
  void error(const toml::node& node, std::string message, std::string remedy = {}) {
    error(position(node.source()), std::move(message), std::move(remedy));
  }

  // toml++ keeps tables sorted by key; a grid varies in the order in which it is written.
  static std::vector<std::pair<const toml::key*, const toml::node*>> in_file_order(
      const toml::table& table) {
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (auto it = table.cbegin(); it != table.cend(); ++it) {
      entries.emplace_back(&it->first, &it->second);
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const auto& left = a.first->source().begin;
      const auto& right = b.first->source().begin;
      return left.line != right.line ? left.line < right.line : left.column < right.column;
    });
    return entries;
  }

  template <class Visit>
  void for_each_table(const toml::table& root, std::string_view name, Visit visit) {
    const toml::node* node = root.get(name);
    if (node == nullptr) return;
    if (const auto* table = node->as_table()) {
      visit(*table);
    } else if (const auto* array = node->as_array()) {
      for (const auto& element : *array) {
        if (const auto* entry = element.as_table()) {
          visit(*entry);
        } else {
          error(element, fmt::format("'{}' must hold tables", name),
                fmt::format("write [[{}]]", name));
        }
      }
    } else {
      error(*node, fmt::format("'{}' must be a table", name), fmt::format("write [[{}]]", name));
    }
  }

  bool read_text(const toml::node& node, std::string_view name, std::string& target) {
    if (const auto* text = node.as_string()) {
      target = text->get();
      return true;
    }
    error(node, fmt::format("'{}' must be a text", name));
    return false;
  }

  const FieldInfo* known_field(std::string_view key, const SourcePosition& where,
                               std::initializer_list<std::string_view> also = {}) {
    if (const auto* field = find_field(key)) return field;
    std::vector<std::string_view> candidates(also);
    for (const auto& info : config_field_infos()) candidates.push_back(info.key);
    error(where, fmt::format("unknown key '{}'", to_valid_utf8(key)),
          did_you_mean(key, candidates));
    return nullptr;
  }

  // One key of a block, a list entry or the base; [framework] is descended into.
  void read_key(const toml::key& key, const toml::node& node, std::string_view prefix,
                std::vector<SweepAssignment>& target,
                std::initializer_list<std::string_view> also = {}) {
    const std::string name = fmt::format("{}{}", prefix, key.str());
    if (const auto* table = node.as_table(); table != nullptr && name == "framework") {
      for (const auto& [inner, value] : in_file_order(*table)) {
        read_key(*inner, *value, "framework.", target);
      }
      return;
    }
    const auto where = position(key.source());
    const FieldInfo* field = known_field(name, where, also);
    if (field == nullptr) return;
    if (auto text = value_text(*field, node))
      assign(target, {name, *text, position(node.source())});
  }

  static void assign(std::vector<SweepAssignment>& target, SweepAssignment assignment) {
    for (auto& present : target) {
      if (present.key == assignment.key) {
        present = std::move(assignment);
        return;
      }
    }
    target.push_back(std::move(assignment));
  }

  std::optional<std::string> value_text(const FieldInfo& field, const toml::node& node) {
    const auto mismatch = [&](std::string_view wanted) -> std::optional<std::string> {
      error(node, fmt::format("'{}' must be {}", field.key, wanted));
      return std::nullopt;
    };
    switch (field.kind) {
      case FieldKind::text:
      case FieldKind::word:
        if (const auto* text = node.as_string()) return text->get();
        // Keras' use_cudnn is spelled "auto", "true" or "false": the two may be written as truth
        // values.
        if (const auto* flag = node.as_boolean();
            flag != nullptr && std::count(field.words.begin(), field.words.end(), "true") == 1) {
          return flag->get() ? "true" : "false";
        }
        return mismatch("a text");
      case FieldKind::boolean:
        if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
        return mismatch("true or false");
      case FieldKind::integer:
        if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
        return mismatch("a whole number");
      case FieldKind::real:
        if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
        if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
        return mismatch("a number");
      case FieldKind::integer_list: {
        const auto* array = node.as_array();
        if (array == nullptr) return mismatch("a list of whole numbers");
        std::vector<std::int64_t> numbers;
        for (const auto& element : *array) {
          const auto* number = element.as_integer();
          if (number == nullptr) return mismatch("a list of whole numbers");
          numbers.push_back(number->get());
        }
        return fmt::format("{}", fmt::join(numbers, ","));
      }
    }
    return std::nullopt;
  }

  SweepBlock read_block(const toml::table& table, const std::vector<SweepAssignment>& base) {
    SweepBlock block;
    block.where = position(table.source());
    block.base = base;
    for (const auto& [key, node] : in_file_order(table)) {
      const std::string_view name = key->str();
      if (name == "id") {
        read_text(*node, "id", block.id_template);
        block.id_where = position(node->source());
      } else if (name == "grid") {
        read_grid(*node, "", block);
      } else if (name == "list") {
        read_list(*node, block);
      } else if (name == "ties") {
        read_ties(*node, block);
      } else {
        read_key(*key, *node, "", block.base, {"grid", "list", "ties"});
      }
    }
    for (const auto& tie : block.ties) check_tie(block, tie);
    return block;
  }

  void read_grid(const toml::node& node, std::string_view prefix, SweepBlock& block) {
    const auto* table = node.as_table();
    if (table == nullptr) {
      error(node, "'grid' must be a table", "write grid = { hidden_size = [256, 512] }");
      return;
    }
    for (const auto& [key, value] : in_file_order(*table)) {
      const std::string name = fmt::format("{}{}", prefix, key->str());
      if (name == "framework") {
        read_grid(*value, "framework.", block);
        continue;
      }
      const FieldInfo* field = known_field(name, position(key->source()));
      if (field == nullptr) continue;
      SweepAxis axis{name, {}};
      if (const auto* range = value->as_table()) {
        read_range(*field, *range, axis);
      } else if (const auto* array = value->as_array()) {
        for (const auto& element : *array) {
          if (auto text = value_text(*field, element)) {
            axis.values.push_back({name, *text, position(element.source())});
          }
        }
      } else {
        error(*value, fmt::format("the values of '{}' must be a list or a range", name),
              fmt::format("write {} = [1, 2] or {} = {{ from = 1, to = 8, factor = 2 }}", name,
                          name));
        continue;
      }
      if (axis.values.empty() && errors_.empty()) {
        error(*value, fmt::format("'{}' has no values", name));
      }
      block.axes.push_back(std::move(axis));
    }
  }

  void read_range(const FieldInfo& field, const toml::table& table, SweepAxis& axis) {
    if (field.kind != FieldKind::integer && field.kind != FieldKind::real) {
      error(table, fmt::format("'{}' is no number: a range makes no sense", field.key));
      return;
    }
    std::optional<double> from, to, step, factor;
    for (const auto& [key, value] : in_file_order(table)) {
      const std::string_view name = key->str();
      auto* const target = name == "from"     ? &from
                           : name == "to"     ? &to
                           : name == "step"   ? &step
                           : name == "factor" ? &factor
                                              : nullptr;
      if (target == nullptr) {
        static constexpr std::string_view keys[] = {"from", "to", "step", "factor"};
        error(position(key->source()), fmt::format("unknown key '{}' in a range", name),
              did_you_mean(name, keys));
        continue;
      }
      const auto number = value->value<double>();
      if (!number || !value->is_number() || !std::isfinite(*number) || std::abs(*number) > 1e15) {
        error(*value, fmt::format("'{}' must be a finite number up to 1e15", name));
        continue;
      }
      *target = number;
    }
    if (!errors_.empty()) return;
    if (!from || !to || step.has_value() == factor.has_value()) {
      error(table,
            fmt::format("the range of '{}' needs from, to and either step or factor", field.key));
      return;
    }
    const bool whole = field.kind == FieldKind::integer;
    if (whole && (*from != std::floor(*from) || *to != std::floor(*to) ||
                  (step && *step != std::floor(*step)))) {
      error(table, fmt::format("'{}' takes whole numbers", field.key));
      return;
    }
    if (step && (*step == 0 || (*to - *from) * *step < 0)) {
      error(table,
            fmt::format("the step of '{}' does not lead from {} to {}", field.key, *from, *to));
      return;
    }
    if (factor && (*factor <= 1 || *from <= 0 || *to < *from)) {
      error(table, "a factor must be above 1, 'from' above 0 and 'to' not below 'from'");
      return;
    }
    fill_range(field, table, *from, *to, step, factor, axis);
  }

  void fill_range(const FieldInfo& field, const toml::table& table, double from, double to,
                  std::optional<double> step, std::optional<double> factor, SweepAxis& axis) {
    const bool whole = field.kind == FieldKind::integer;
    const double slack = whole ? 0 : 1e-9 * std::max(std::abs(from), std::abs(to));
    std::string previous;
    // Values are computed from the start, not by adding up, so that nothing drifts. A factor close
    // to 1 repeats whole numbers: repeats are left out and do not count.
    for (std::size_t n = 0;; ++n) {
      const double exact = step ? from + static_cast<double>(n) * *step
                                : from * std::pow(*factor, static_cast<double>(n));
      const double value = whole ? std::round(exact) : exact;
      const bool beyond = step && *step < 0 ? value < to - slack : value > to + slack;
      if (beyond) return;
      std::string text = whole ? fmt::format("{:.0f}", value) : fmt::format("{:.12g}", value);
      if (text != previous) axis.values.push_back({field.key, text, position(table.source())});
      previous = std::move(text);
      if (axis.values.size() > limit_ || n > 100 * limit_) {
        error(table, fmt::format("the range of '{}' has more than {} values", field.key,
                                 format_count(static_cast<long long>(limit_))));
        return;
      }
    }
  }

  void read_list(const toml::node& node, SweepBlock& block) {
    const auto* array = node.as_array();
    if (array == nullptr) {
      error(node, "'list' must be a list of tables", "write list = [{ batch_size = 8 }]");
      return;
    }
    if (array->empty()) error(node, "'list' is empty");
    for (const auto& element : *array) {
      const auto* table = element.as_table();
      if (table == nullptr) {
        error(element, "an entry of 'list' must be a table", "write { batch_size = 8 }");
        continue;
      }
      std::vector<SweepAssignment> entry;
      for (const auto& [key, value] : in_file_order(*table)) read_key(*key, *value, "", entry);
      block.list.push_back(std::move(entry));
    }
  }

  void read_ties(const toml::node& node, SweepBlock& block) {
    const auto* table = node.as_table();
    if (table == nullptr) {
      error(node, "'ties' must be a table", "write ties = { input_size = \"hidden_size\" }");
      return;
    }
    for (const auto& [key, value] : in_file_order(*table)) {
      SweepTie tie{std::string(key->str()), {}, position(value->source())};
      if (known_field(tie.key, position(key->source())) == nullptr) continue;
      if (!read_text(*value, tie.key, tie.source)) continue;
      if (known_field(tie.source, tie.where) == nullptr) continue;
      block.ties.push_back(std::move(tie));
    }
  }

  void check_tie(const SweepBlock& block, const SweepTie& tie) {
    const auto is_axis = [](const std::vector<SweepAxis>& axes, std::string_view key) {
      return std::any_of(axes.begin(), axes.end(),
                         [&](const SweepAxis& axis) { return axis.key == key; });
    };
    bool varied = is_axis(block.axes, tie.key);
    for (const auto& entry : block.list) {
      for (const auto& assignment : entry) varied = varied || assignment.key == tie.key;
    }
    if (varied) {
      error(tie.where, fmt::format("'{}' cannot be both tied and varied", tie.key));
    }
    for (const auto& other : block.ties) {
      if (other.key == tie.source) {
        error(tie.where, fmt::format("'{}' is tied itself", tie.source),
              fmt::format("tie '{}' to '{}'", tie.key, other.source));
      }
    }
  }

  SweepFigure read_figure(const toml::table& table) {
    SweepFigure result;
    Figure& figure = result.figure;
    for (const auto& [key, node] : in_file_order(table)) {
      const std::string_view name = key->str();
      std::string* const target = name == "id"           ? &figure.id
                                  : name == "title"      ? &figure.title
                                  : name == "x_key"      ? &figure.x_key
                                  : name == "series_key" ? &figure.series_key
                                  : name == "measure"    ? &figure.measure
                                  : name == "statement"  ? &figure.statement
                                  : name == "source"     ? &figure.source
                                                         : nullptr;
      if (target != nullptr) {
        read_text(*node, name, *target);
        check_figure_word(name, *target, *node);
      } else if (name == "configurations") {
        read_patterns(*node, result.patterns);
      } else {
        static constexpr std::string_view keys[] = {"id",         "title",         "x_key",
                                                    "series_key", "measure",       "statement",
                                                    "source",     "configurations"};
        error(position(key->source()), fmt::format("unknown key '{}' in a figure", name),
              did_you_mean(name, keys));
      }
    }
    for (const auto& [value, name] :
         {std::pair{&figure.id, "id"}, {&figure.x_key, "x_key"}, {&figure.measure, "measure"}}) {
      if (value->empty()) error(table, fmt::format("a figure needs '{}'", name));
    }
    return result;
  }

  void check_figure_word(std::string_view name, const std::string& value, const toml::node& node) {
    if (name == "x_key" || name == "series_key") {
      if (value != "used_steps" && find_field(value) == nullptr) {
        known_field(value, position(node.source()), {"used_steps"});
      }
    } else if (name == "measure") {
      static constexpr std::string_view measures[] = {"training_ms",
                                                      "tflops",
                                                      "forward_inference_ms",
                                                      "forward_training_ms",
                                                      "backward_data_ms",
                                                      "backward_weights_ms",
                                                      "forward_inference_tflops",
                                                      "forward_training_tflops",
                                                      "backward_data_tflops",
                                                      "backward_weights_tflops"};
      if (std::find(std::begin(measures), std::end(measures), value) == std::end(measures)) {
        const auto nearest = did_you_mean(value, measures);
        error(node, fmt::format("unknown measure '{}'", to_valid_utf8(value)),
              nearest.empty() ? fmt::format("one of {}", fmt::join(measures, ", ")) : nearest);
      }
    }
  }

  void read_patterns(const toml::node& node,
                     std::vector<std::pair<std::string, SourcePosition>>& patterns) {
    const auto* array = node.as_array();
    if (array == nullptr) {
      error(node, "'configurations' must be a list of ids", "an id may end with *");
      return;
    }
    for (const auto& element : *array) {
      if (const auto* text = element.as_string()) {
        patterns.emplace_back(text->get(), position(element.source()));
      } else {
        error(element, "an id must be a text");
      }
    }
  }

  std::string_view file_;
  std::size_t limit_;
  std::vector<Error> errors_;
};

}  // namespace

tl::expected<SweepDocument, std::vector<Error>> read_sweep_document(std::string_view text,
                                                                    std::string_view file,
                                                                    std::size_t limit) {
  const auto root = toml_text::parse_toml(text, file);
  if (!root) return tl::unexpected(std::vector{root.error()});
  return Reader(file, limit).read(*root);
}

}  // namespace rnnadvisor::advisor
