// What holds of every model that could be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "advisor/saved_models/readers.h"

namespace rnnadvisor::fuzz {

inline int check_saved_model(Result<advisor::SavedModel> (*read)(FileBytes&),
                             const std::uint8_t* data, std::size_t size) {
  FileBytes file(std::string(reinterpret_cast<const char*>(data), size));
  const auto model = read(file);
  if (!model) {
    if (model.error().message.empty()) __builtin_trap();
    return 0;
  }
  for (const auto& layer : model->layers) {
    ConfigInput input = layer.input;
    resolve_defaults(input);
    const auto& config = input.config;
    if (config.hidden_size < 1 || config.input_size < 1 || config.batch_size < 1 ||
        config.seq_length < 1 || config.num_layers < 1 || !input.program.name)
      __builtin_trap();
  }
  return 0;
}

}  // namespace rnnadvisor::fuzz
