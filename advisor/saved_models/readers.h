// The reader of each format, and what they share. Each takes any bytes.
#pragma once

#include <map>
#include <string>

#include "advisor/saved_models/saved_model.h"
#include "core/base/file_bytes.h"

namespace rnnadvisor::advisor {

Result<SavedModel> read_onnx(FileBytes& file);
Result<SavedModel> read_keras(FileBytes& file);
Result<SavedModel> read_safetensors(FileBytes& file);

// set_field(), where a value that is refused becomes a remark and leaves the field open.
void set_layer_field(SavedLayer& layer, std::string_view key, std::string_view value);
void set_layer_size(SavedLayer& layer, std::string_view key, std::int64_t value);
void leave_open(SavedLayer& layer, std::string_view key, std::string symbol = {});

// "12 Conv", the most frequent first, a few of them.
std::vector<std::string> most_frequent(const std::map<std::string, int>& counts);

constexpr std::size_t most_layers = 10'000;  // of one file
}  // namespace rnnadvisor::advisor
