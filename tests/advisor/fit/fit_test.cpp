#include "advisor/fit/fit.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "profiler/profile/file.h"
#include "tests/advisor/fit/fit_case.h"
#include "tests/effort.h"

namespace rnnadvisor::advisor {
namespace {

// PyTorch asks for a persistent algorithm, with a far larger workspace, at batches up to 128 that
// are multiples of 8: what fits has gaps.
TEST(Fit, PytorchAgreesWithTryingAllAcrossItsChoiceOfAlgorithm) {
  FitQuestion question;
  question.input.config = lstm_config();
  question.input.config.num_layers = 1;
  question.input.config.hidden_size = question.input.config.input_size =
      question.input.config.proj_size = 256;
  question.input.config.seq_length = 100;
  question.input.program.name = Framework::pytorch;
  question.device = *find_device("nvidia-h200");
  int irregular = 0;
  for (std::size_t index = 0; const int mebibytes : {60, 80, 100, 120, 140, 180, 250, 400}) {
    if (test::left_out(index++, 4)) continue;
    question.room.bytes = mebibytes * (std::int64_t{1} << 20);
    int expected = 0, gaps = 0;
    for (int size = 1; size <= 1200; ++size) {
      if (!need_of(question, size).fits) continue;
      gaps += size - expected - 1;
      expected = size;
    }
    irregular += gaps > 0 ? 1 : 0;
    EXPECT_EQ(largest_that_fits(question), expected) << mebibytes;
  }
  EXPECT_TRUE(irregular > 0 || test::sanitized());
}

// Programs of people, with what their frameworks asked cuDNN for: rows that no formula was made
// with.
TEST(RecordedPrograms, HaveTheBuffersOfTheModel) {
  int programs = 0, calls = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs")) {
    if (entry.path().extension() != ".rnnprof") continue;
    const auto profile = read_profile(entry.path().string());
    ASSERT_TRUE(profile);
    int of_this = 0;
    for (const auto& each : profile->calls) {
      if (each.configuration < 0 || each.workspace_bytes < 0) continue;
      const auto& configuration =
          profile->configurations[static_cast<std::size_t>(each.configuration)];
      if (!configuration.described()) continue;
      const auto sizes = model::space_sizes(configuration.config);
      const bool inference = each.phase == Phase::forward_inference;
      ASSERT_EQ(each.workspace_bytes,
                inference ? sizes.workspace_inference.value : sizes.workspace_training.value)
          << entry.path();
      ASSERT_EQ(each.weights_bytes, sizes.weights.value) << entry.path();
      if (!inference) {
        ASSERT_EQ(each.reserve_bytes, sizes.reserve_training.value) << entry.path();
      }
      ++of_this;
    }
    calls += of_this;
    programs += of_this > 0 ? 1 : 0;
  }
  EXPECT_EQ(programs, 19);
  EXPECT_EQ(calls, 889);
}

TEST(ParseBytes, ReadsUnits) {
  EXPECT_EQ(parse_bytes("40GiB"), 40 * gib);
  EXPECT_EQ(parse_bytes("1.5GiB"), gib + gib / 2);
  EXPECT_EQ(parse_bytes("80 GB"), 80'000'000'000);
  EXPECT_EQ(parse_bytes("1048576"), 1 << 20);
  EXPECT_EQ(parse_bytes("12B"), 12);
  for (const char* wrong : {"", ".", "GiB", "1..5GiB", "0", "0.1", "4gib", "nan", "1 2"})
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
}

}  // namespace
}  // namespace rnnadvisor::advisor
