// What a change does, in words: one wording for every report, the window and what is tried.
#include "advisor/change/in_words.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

// {} is the parameter. A value of its own comes before the wording of the whole kind.
struct ChangeWording {
  std::string_view kind, value, words;
};

constexpr std::array change_wordings = {
    ChangeWording{"algo", "", "the {} algorithm"},
    ChangeWording{"math_type", "default", "the default math type"},
    ChangeWording{"math_type", "fma", "arithmetic without Tensor Cores (math type fma)"},
    ChangeWording{"math_type", "tensor_op", "Tensor Core arithmetic (math type tensor_op)"},
    ChangeWording{"math_type", "tensor_op_allow_conversion",
                  "Tensor Cores with conversion to half (math type tensor_op_allow_conversion)"},
    ChangeWording{"math_type", "", "math type {}"},
    ChangeWording{"data_type", "half", "half precision"},
    ChangeWording{"data_type", "float", "single precision"},
    ChangeWording{"data_type", "double", "double precision"},
    ChangeWording{"data_type", "", "data type {}"},
    ChangeWording{"math_precision", "", "arithmetic in {}"},
    ChangeWording{"pad_hidden", "", "hidden size padded to a multiple of {}"},
    ChangeWording{"pad_input", "", "input size padded to a multiple of {}"},
    ChangeWording{"pad_batch", "", "batch padded to a multiple of {}"},
    ChangeWording{"set_batch", "", "batch size {}"},
    ChangeWording{"set_hidden", "", "hidden size {}"},
    ChangeWording{"set_dropout", "", "dropout {}"},
    ChangeWording{"lower_batch", "", "the batch in calls of {} sequences"},
    ChangeWording{"chunk_sequence", "", "the sequence in calls of {} steps"},
    ChangeWording{"split_layers", "", "one call per layer"},
    ChangeWording{"split_directions", "", "one call per layer and direction"},
    ChangeWording{"unpack_equal_lengths", "", "a plain tensor instead of packed sequences"},
    ChangeWording{"sort_lengths", "", "sequences sorted by length"},
    ChangeWording{"drop_empty_rows", "", "no sequences of length 0"},
    ChangeWording{"bucket_lengths", "", "sequences in {} buckets of similar length"},
    ChangeWording{"layout", "", "x and y in the layout {}"},
    ChangeWording{"padded_io", "true", "the padded-I/O flag on"},
    ChangeWording{"padded_io", "false", "the padded-I/O flag off"},
    ChangeWording{"bias_mode_double", "", "both bias vectors"},
    ChangeWording{"linear_input", "", "an input matrix instead of skip_input"},
    ChangeWording{"drop_projection", "", "no projection"},
    ChangeWording{"drop_clipping", "", "no clipping"},
    ChangeWording{"drop_dropout", "", "no dropout"},
    ChangeWording{"inference_mode", "", "inference mode"},
    ChangeWording{"cuda_graph", "", "a CUDA graph"},
    ChangeWording{"cudnn_enabled", "true", "cuDNN switched on"},
    ChangeWording{"cudnn_enabled", "false", "cuDNN switched off"},
    ChangeWording{"flatten_parameters", "", "weights in one buffer (flatten_parameters)"},
};

// Empty: not a change that has words.
std::string change_wording(const std::string& kind, const std::string& value) {
  const ChangeWording* found = nullptr;
  for (const auto& wording : change_wordings) {
    if (wording.kind != kind) continue;
    if (!wording.value.empty() && wording.value == value) {
      found = &wording;
      break;
    }
    if (wording.value.empty()) found = &wording;
  }
  if (found == nullptr) return {};
  std::string text(found->words);
  // A rule's card leaves a value open that the configuration gives.
  if (const auto at = text.find("{}"); at != std::string::npos)
    text.replace(at, 2, value.empty() ? "…" : to_valid_utf8(value));
  return text;
}

}  // namespace

std::string change_in_words(std::string_view transforms) {
  const auto list = nlohmann::ordered_json::parse(transforms, nullptr, false);
  if (!list.is_array() || list.empty()) return change_words(transforms);
  std::vector<std::string> parts;
  for (const auto& item : list) {
    if (!item.is_object() || !item.contains("kind") || !item.at("kind").is_string())
      return change_words(transforms);
    std::string value;
    if (const auto given = item.find("parameters");
        given != item.end() && given->is_object() && !given->empty()) {
      const auto& first = given->begin().value();  // no kind has more than one
      value = first.is_string() ? first.get<std::string>() : first.dump();
    }
    parts.push_back(change_wording(item.at("kind").get<std::string>(), value));
    if (parts.back().empty()) return change_words(transforms);
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace rnnadvisor::advisor
