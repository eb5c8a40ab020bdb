#include "core/cudnn/tolerance.h"

#include <cmath>

namespace rnnadvisor {

double correctness_tolerance(const RnnConfig& config) {
  if (config.data_type == DataType::float64) return 1e-10;
  if (config.data_type == DataType::bfloat16) return 4e-2;
  if (config.data_type == DataType::half)
    return config.math_precision == DataType::half ? 4e-2 : 1e-2;
  if (config.math_type == MathType::tensor_op_allow_conversion) return 1e-2;
  return config.math_type == MathType::fma ? 1e-5 : 3e-3;  // default: TF32, 10-bit mantissa
}

double correctness_tolerance(const RnnConfig& config, std::string_view tensor) {
  const double tolerance = correctness_tolerance(config);
  // A rounding error that moves a value across the kink of ReLU changes its gradient by all of it:
  // with the share p of such values proportional to the roundoff, the error of the gradient's norm
  // grows as sqrt(p), not as p.
  return config.cell == Cell::rnn_relu && tensor.starts_with('d') ? std::sqrt(tolerance)
                                                                  : tolerance;
}

}  // namespace rnnadvisor
