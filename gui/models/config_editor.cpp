#include "gui/models/config_editor.h"

#include <vector>

#include "core/config/fields.h"

namespace rnnadvisor::gui {
namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

ConfigEditor::ConfigEditor() { resolve(input_); }

void ConfigEditor::resolve(ConfigInput& input) const {
  resolve_defaults(input.config, std::vector<std::string_view>(set_.begin(), set_.end()));
}

void ConfigEditor::take(const ConfigInput& input) {
  input_ = input;
  set_.clear();
  visit_config_fields([&](std::string_view key, auto, std::string_view) { set_.emplace(key); });
}

Result<void> ConfigEditor::set(std::string_view key, std::string_view value) {
  ConfigInput next = input_;
  if (key == "seq_lengths" && is_blank(value)) {
    next.config.seq_lengths.clear();
  } else if (key == "id" && is_blank(value)) {
    next.config.id.clear();
  } else if (key == "backward_algo" && is_blank(value)) {
    next.config.backward_algo.reset();
  } else if (auto good = set_field(next, key, value); !good) {
    return good;
  }
  set_.emplace(key);
  if (key == "seq_lengths") {
    // The lengths say how many sequences there are, and how long the longest is.
    set_.erase("batch_size");
    set_.erase("seq_length");
    if (next.config.seq_lengths.empty()) set_.insert({"batch_size", "seq_length"});
  }
  if ((key == "batch_size" || key == "seq_length") && !next.config.seq_lengths.empty())
    next.config.seq_lengths.clear();
  // A size equal to the hidden size follows it.
  if (key == "hidden_size") {
    if (input_.config.input_size == input_.config.hidden_size) set_.erase("input_size");
    if (input_.config.proj_size == input_.config.hidden_size) set_.erase("proj_size");
  }
  if (key == "data_type") set_.erase("math_precision");
  if (key == "layout") set_.erase("padded_io");
  resolve(next);
  input_ = std::move(next);
  return {};
}

}  // namespace rnnadvisor::gui
