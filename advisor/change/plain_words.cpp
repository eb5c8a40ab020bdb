#include <fmt/format.h>

#include <optional>
#include <vector>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/change/transform.h"

namespace rnnadvisor::advisor {
namespace {

// "1024 units instead of 1000 (padded)"; nothing for what pads nothing here.
std::optional<std::string> padding(const Transform& change, const RnnConfig& before,
                                   const RnnConfig& after) {
  const auto sizes = [](int to, int from, std::string_view unit) {
    return fmt::format("{} {} instead of {} (padded)", to, unit, from);
  };
  if (change.kind == "pad_hidden") return sizes(after.hidden_size, before.hidden_size, "units");
  if (change.kind == "pad_input") return sizes(after.input_size, before.input_size, "inputs");
  if (change.kind == "pad_batch") return sizes(after.batch_size, before.batch_size, "sequences");
  return std::nullopt;
}

std::string one_change(const Transform& change, const RnnConfig& before, const RnnConfig* after) {
  if (after != nullptr) {
    if (auto words = padding(change, before, *after)) return *words;
  }
  return change_in_words(to_json(std::span(&change, 1)));
}

}  // namespace

std::string in_plain_words(std::span<const Transform> changes, const RnnConfig& config) {
  std::vector<std::string> parts;
  std::optional<RnnConfig> now = config;  // nothing behind what makes several calls
  for (const auto& change : changes) {
    std::optional<RnnConfig> after;
    if (now) {
      auto calls = expand(change, *now);
      if (calls && !calls->empty()) after = std::move(calls->front());
    }
    parts.push_back(one_change(change, now.value_or(config), after ? &*after : nullptr));
    if (after) now = std::move(after);
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace rnnadvisor::advisor
