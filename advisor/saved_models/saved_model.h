// Recurrent layers of a model file, as the runtime that loads it would describe them to cuDNN:
// ONNX, Keras 3 (.keras) and safetensors with PyTorch's parameter names. Files are not trusted:
// depth, sizes and counts are bounded, weights are not read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/read_config.h"

namespace rnnadvisor::advisor {

// A size or setting that the file leaves open.
struct OpenField {
  std::string key;     // of RnnConfig: "batch_size"
  std::string symbol;  // its name in the model, "N"; may be empty

  bool operator==(const OpenField&) const = default;
};

struct SavedLayer {
  // `config.id` is the layer's name in the model; `given` has the keys that the file holds, and
  // resolve_defaults() was not called. `program` is the runtime with what the file says of it.
  ConfigInput input;
  std::vector<OpenField> open;
  std::vector<std::string> remarks;  // sentences
};

struct SavedModel {
  std::string format;              // "ONNX", "Keras", "safetensors"
  std::string producer;            // "pytorch 1.13.1"; empty: not in the file
  std::vector<SavedLayer> layers;  // in the order of the file; may be empty
  std::vector<std::string> remarks;
  std::vector<std::string> holds;  // what else the file has, "12 Conv", for a file without layers
};

// By the name's ending: .onnx, .keras, .safetensors.
bool names_saved_model(std::string_view path);
Result<SavedModel> read_saved_model(const std::string& path);

// Sources: onnx/onnx.proto and docs/Operators.md of github.com/onnx/onnx; keras/src/saving of
// github.com/keras-team/keras; github.com/huggingface/safetensors, README, "Format".
}  // namespace rnnadvisor::advisor
