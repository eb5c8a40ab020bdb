#include "advisor/sweep/config_fields.h"

#include <gtest/gtest.h>

namespace rnnadvisor::advisor {
namespace {

TEST(ConfigFields, TextOfAFieldReadsBack) {
  ConfigInput input;
  input.config.seq_lengths = {3, 2, 1};
  input.config.dropout = 0.1;
  input.program.name = Framework::keras3;
  input.program.use_cudnn = KerasCudnn::no;
  input.program.pointer_alignment = 16;
  ConfigInput copy;
  for (const auto& field : config_field_infos()) {
    const auto text = field_text(input, field.key);
    if (text.empty()) continue;
    EXPECT_TRUE(set_field(copy, field.key, text)) << field.key << " = " << text;
  }
  EXPECT_EQ(copy.config, input.config);
  EXPECT_EQ(copy.program, input.program);
}

}  // namespace
}  // namespace rnnadvisor::advisor
