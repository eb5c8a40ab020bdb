#include "advisor/saved_models/saved_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

#include "advisor/saved_models/readers.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

struct SavedFormat {
  std::string_view ending;
  Result<SavedModel> (*read)(FileBytes&);
};
constexpr auto saved_formats = std::to_array<SavedFormat>(
    {{".onnx", read_onnx}, {".keras", read_keras}, {".safetensors", read_safetensors}});

const SavedFormat* saved_format(std::string_view path) {
  const auto* found =
      std::find_if(saved_formats.begin(), saved_formats.end(),
                   [&](const SavedFormat& each) { return path.ends_with(each.ending); });
  return found == saved_formats.end() ? nullptr : found;
}

}  // namespace

void set_layer_field(SavedLayer& layer, std::string_view key, std::string_view value) {
  if (auto set = set_field(layer.input, key, value); !set) {
    layer.remarks.push_back(fmt::format("{}: {}", key, set.error().message));
    leave_open(layer, key);
  }
}

void set_layer_size(SavedLayer& layer, std::string_view key, std::int64_t value) {
  set_layer_field(layer, key, fmt::format("{}", value));
}

void leave_open(SavedLayer& layer, std::string_view key, std::string symbol) {
  layer.open.push_back({std::string(key), std::move(symbol)});
}

std::vector<std::string> most_frequent(const std::map<std::string, int>& counts) {
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t shown = 8;
  std::vector<std::string> words;
  for (const auto& [name, count] : sorted) {
    if (words.size() == shown) {
      words.push_back(fmt::format("{} more", sorted.size() - shown));
      break;
    }
    words.push_back(fmt::format("{} {}", count, printable(name)));
  }
  return words;
}

bool names_saved_model(std::string_view path) { return saved_format(path) != nullptr; }

Result<SavedModel> read_saved_model(const std::string& path) {
  const auto* format = saved_format(path);
  if (format == nullptr)
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' does not end in .onnx, .keras or .safetensors", path),
                "rename it by what it contains");
  auto file = FileBytes::open(path);
  if (!file) return fail(std::move(file.error()));
  auto model = format->read(*file);
  if (!model) {
    model.error().message = fmt::format("'{}': {}", path, model.error().message);
    return model;
  }
  for (auto& layer : model->layers) layer.input.position.file = path;
  return model;
}

}  // namespace rnnadvisor::advisor
