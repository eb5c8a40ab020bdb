// Which data types, math precisions and math types go together.
#include <fmt/format.h>

#include "core/config/constraints/constraint.h"

namespace rnnadvisor::constraints {
namespace {

// Pairs that at least the standard algorithm takes. Only half data has a choice.
bool legal_pair(DataType data, DataType math) {
  return math == natural_math_precision(data) || (data == DataType::half && math == DataType::half);
}

Breach explain_math_type(const RnnConfig& c, std::string_view documented, std::string_view remedy) {
  return {fmt::format("math_type {} with {} data, for which {} documented", to_string(c.math_type),
                      to_string(c.data_type), documented),
          std::string(remedy)};
}

}  // namespace

std::vector<Constraint> type_constraints() {
  return {
      {.id = "math-precision",
       .title = "math_precision is double for double data, float for float and bfloat16 data, "
                "float or half for half data",
       .keys = {"data_type", "math_precision"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = not_supported,
       .citation = reference_8(),
       .broken = [](const RnnConfig& c) { return !legal_pair(c.data_type, c.math_precision); },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("math_precision {} with {} data",
                                       to_string(c.math_precision), to_string(c.data_type)),
                           fmt::format("set math_precision to {}",
                                       to_string(natural_math_precision(c.data_type)))};
           }},
      {.id = "math-type-half",
       .title = "half data is used with math_type default, tensor_op or tensor_op_allow_conversion",
       .keys = {"data_type", "math_type"},
       .enforcement = Enforcement::not_caught,
       .status = {},
       .citation = reference_8(),
       .broken =
           [](const RnnConfig& c) {
             return c.data_type == DataType::half && c.math_type == MathType::fma;
           },
       .explain =
           [](const RnnConfig& c) {
             return explain_math_type(c, "default and tensor_op are",
                                      "use tensor_op to permit Tensor Cores");
           }},
      // fma is not in the list of the cuDNN 8 reference either, but PyTorch and JAX use it to
      // switch TF32 off.
      {.id = "math-type-float",
       .title = "float data is used with math_type default, tensor_op_allow_conversion or fma",
       .keys = {"data_type", "math_type"},
       .enforcement = Enforcement::not_caught,
       .status = {},
       .citation = reference_8(),
       .broken =
           [](const RnnConfig& c) {
             return c.data_type == DataType::float32 && c.math_type == MathType::tensor_op;
           },
       .explain =
           [](const RnnConfig& c) {
             return explain_math_type(
                 c, "default and tensor_op_allow_conversion are",
                 "use default, or tensor_op_allow_conversion to compute in half precision");
           }},
      {.id = "math-type-double",
       .title = "double data is used with math_type default",
       .keys = {"data_type", "math_type"},
       .enforcement = Enforcement::not_caught,
       .status = {},
       .citation = reference_8(),
       .broken =
           [](const RnnConfig& c) {
             return c.data_type == DataType::float64 && c.math_type != MathType::default_math;
           },
       .explain =
           [](const RnnConfig& c) {
             return explain_math_type(c, "only default is", "use default");
           }},
  };
}

}  // namespace rnnadvisor::constraints
