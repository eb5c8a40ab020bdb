#include "advisor/whatif/plain_words.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "advisor/whatif/transform.h"

namespace rnnadvisor::advisor {
namespace {

struct ChangeWords {
  std::string_view kind, words;  // {} is the parameter
};

constexpr std::array change_words_table = {
    ChangeWords{"algo", "the algorithm {}"},
    ChangeWords{"math_type", "math type {}"},
    ChangeWords{"data_type", "{} data"},
    ChangeWords{"math_precision", "arithmetic in {}"},
    ChangeWords{"set_batch", "batch {}"},
    ChangeWords{"set_hidden", "{} units"},
    ChangeWords{"set_dropout", "dropout {}"},
    ChangeWords{"lower_batch", "the batch in calls of {} sequences"},
    ChangeWords{"chunk_sequence", "the sequence in calls of {} steps"},
    ChangeWords{"split_layers", "a call of its own for each layer"},
    ChangeWords{"split_directions", "a call of its own for each direction"},
    ChangeWords{"unpack_equal_lengths", "a plain tensor instead of packed sequences"},
    ChangeWords{"sort_lengths", "sequences sorted by falling length"},
    ChangeWords{"drop_empty_rows", "no sequences of length 0"},
    ChangeWords{"bucket_lengths", "sequences of similar length together, in {} calls"},
    ChangeWords{"layout", "the layout {}"},
    ChangeWords{"cuda_graph", "the launches replayed as a CUDA graph"},
    ChangeWords{"inference_mode", "inference, which keeps nothing for a backward pass"},
};

std::string value_of(const Transform& change) {
  for (const std::string_view name : {"value", "length", "buckets", "multiple"}) {
    const auto value = parameter_of(change, name);
    if (!value) continue;
    if (const auto* text = std::get_if<std::string>(&*value)) return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&*value)) return fmt::format("{}", *whole);
    if (const auto* real = std::get_if<double>(&*value)) return fmt::format("{:g}", *real);
  }
  return {};
}

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
  for (const auto& [kind, words] : change_words_table) {
    if (kind != change.kind) continue;
    const auto hole = words.find("{}");
    if (hole == std::string_view::npos) return std::string(words);
    return std::string(words.substr(0, hole)) + value_of(change) +
           std::string(words.substr(hole + 2));
  }
  const auto* known = find_transform_kind(change.kind);
  return known != nullptr ? std::string(known->description) : change.kind;
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
