// What a user writes in their own code for a change: data, one table per kind of transform in
// transform_code.toml. Where a framework cannot express a change it says why.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "advisor/change/change.h"
#include "core/base/result.h"
#include "core/config/program_context.h"

namespace rnnadvisor::advisor {

// One column of the table: "cudnn" (the C API), "pytorch", "keras" (2 and 3 on TensorFlow), "jax",
// "onnxruntime".
struct CodeColumn {
  std::string_view key;   // in the data
  std::string_view name;  // for people: "cuDNN C API"
  std::string_view language;
};
std::span<const CodeColumn> code_columns();
const CodeColumn& code_column(Framework framework);

struct TransformCode {
  std::string code;    // the parameters are filled in
  std::string cannot;  // "cannot be expressed in JAX: …"; empty: it can
  bool can() const { return cannot.empty(); }
};

// Never empty for a kind of transform_kinds(): the data is ours and tests read all of it.
TransformCode code_for(const Transform& transform, const CodeColumn& column);
TransformCode code_for(const Transform& transform, Framework framework);

// Of several changes as one piece of code: it calls the layer once. `cannot` is the first reason.
TransformCode code_for(std::span<const Transform> transforms, Framework framework);

// Reads and checks a table as shipped: every kind, every column, every value of an enumerated
// parameter, no unknown key or placeholder. The first mistake, with its place.
Result<void> check_transform_code(std::string_view toml, std::string_view name);
// The one that travels in the program.
std::string_view transform_code_text();

}  // namespace rnnadvisor::advisor
