#include "advisor/change/change.h"

#include <algorithm>
#include <array>

namespace rnnadvisor::advisor {
namespace {

constexpr auto meanings = std::to_array<std::string_view>({"exact", "padded", "numerics", "model"});
constexpr auto efforts =
    std::to_array<std::string_view>({"command", "line", "module", "precision", "model"});

}  // namespace

std::string_view to_string(Meaning value) {
  const auto index = static_cast<std::size_t>(value);
  return index < meanings.size() ? meanings[index] : "?";
}

std::string_view to_string(Effort value) {
  const auto index = static_cast<std::size_t>(value);
  return index < efforts.size() ? efforts[index] : "?";
}

std::optional<Meaning> parse_meaning(std::string_view text) {
  const auto found = std::find(meanings.begin(), meanings.end(), text);
  if (found == meanings.end()) return std::nullopt;
  return static_cast<Meaning>(found - meanings.begin());
}

Meaning widest_meaning(std::span<const Transform> changes) {
  Meaning widest = Meaning::exact;
  for (const auto& change : changes) widest = std::max(widest, change.meaning);
  return widest;
}

Effort effort_of(std::span<const Transform> changes, bool by_command) {
  constexpr auto with_code_around = std::to_array<std::string_view>(
      {"pad_hidden", "pad_input", "pad_batch", "lower_batch", "chunk_sequence", "split_layers",
       "split_directions", "drop_empty_rows", "bucket_lengths", "cuda_graph"});
  const auto any = [&](const auto& is) { return std::any_of(changes.begin(), changes.end(), is); };
  if (widest_meaning(changes) == Meaning::model) return Effort::model;
  if (any([](const Transform& change) {
        return change.kind == "data_type" || change.kind == "math_precision" ||
               change.json.find("tensor_op_allow_conversion") != std::string::npos;
      }))
    return Effort::precision;
  if (by_command) return Effort::command;
  return any([&](const Transform& change) {
    return std::find(with_code_around.begin(), with_code_around.end(), change.kind) !=
           with_code_around.end();
  })
             ? Effort::module
             : Effort::line;
}

}  // namespace rnnadvisor::advisor
