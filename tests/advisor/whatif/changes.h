// Changes and layers that tests of what-ifs begin with.
#pragma once

#include <gtest/gtest.h>

#include "advisor/change/compose.h"

namespace rnnadvisor::advisor {

inline Transform make(std::string_view kind, std::string_view json = "{}") {
  auto transform = parse_transform(kind, json);
  EXPECT_TRUE(transform) << kind;
  return transform.value_or(Transform{});
}

inline RnnConfig lstm(int hidden = 1024, int batch = 32) {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.input_size = config.hidden_size = config.proj_size = hidden;
  config.seq_length = 32;
  config.batch_size = batch;
  return config;
}

}  // namespace rnnadvisor::advisor
