// What docs/models.md says of cross-validation on the H200's times. Takes ten seconds or more: a
// program of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/model/time_cross_validation.h"
#include "core/model/time_model.h"
#include "tests/core/model/time_errors.h"
#include "tests/effort.h"

namespace rnnadvisor::model {
namespace {

const DeviceSpec& h200() {
  static const DeviceSpec device = *find_device("nvidia-h200");
  return device;
}

std::string times_file() {
  return RNNADVISOR_SOURCE_DIR "/core/device/devices/nvidia-h200.times.jsonl";
}

// All that cross-validation computes from and is compared with, as one number (FNV-1a).
std::string inputs() {
  namespace fs = std::filesystem;
  std::vector<fs::path> files = {RNNADVISOR_SOURCE_DIR "/docs/models.md"};
  for (const char* folder :
       {"core/base", "core/config", "core/device", "core/model", "tests/core/model"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(RNNADVISOR_SOURCE_DIR) / folder))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin() + 1, files.end());
  std::uint64_t sum = 14695981039346656037U;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
      sum = (sum ^ static_cast<unsigned char>(*at)) * 1099511628211U;
  }
  return fmt::format("{:016x}\n", sum);
}
const std::string inputs_file = RNNADVISOR_SOURCE_DIR "/tests/golden/cross-validation.inputs";

// The table of docs/models.md, and that the file of times keeps what cross-validation says. With
// RNNADVISOR_UPDATE_GOLDEN=1 all is chosen anew and written into the file first.
TEST(ShippedTimes, CrossValidationIsPublished) {
  if (test::draws() < test::all_draws && std::getenv("RNNADVISOR_UPDATE_GOLDEN") == nullptr)
    GTEST_SKIP() << "takes minutes; set RNNADVISOR_DRAWS=" << test::all_draws
                 << ", as CI does, to run it";
  std::ifstream known(inputs_file);
  if (std::string(std::istreambuf_iterator<char>(known), {}) == inputs())
    GTEST_SKIP() << "passed with these inputs: " << inputs_file;
  auto times = read_measured_times_file(times_file());
  ASSERT_TRUE(times) << to_text(times.error());
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr) {
    times->choices = chosen_for(*times, h200());
    std::ofstream(times_file(), std::ios::binary) << write_measured_times(*times);
  }
  std::vector<LeftOutTime> left_out = cross_validate(*times, h200());
  for (const auto& [key, factor] : interval_factors(*times, h200(), left_out)) {
    ASSERT_TRUE(times->choices.contains(key)) << key;
    EXPECT_NEAR(times->choices.at(key).front() / factor.front(), 1, 1e-2) << key;
  }
  widen_across_halves(*times, h200(), left_out);
  test::expect_written("cross-validation", test::split_table(*times, h200(), left_out));
  test::expect_written("cross-validation by kernels", test::kernel_table(*times, h200(), left_out));
  test::expect_written("repeats", test::repeat_line(*times));
  // Nine in ten are the aim. The factors were made from the other half of the shapes.
  for (const Split split : all_splits) {
    for (const auto& [group, phases] : judge(*times, h200(), left_out, split).errors) {
      TimeErrors all;
      for (const auto& [phase, errors] : phases) {
        all.covered += errors.covered;
        all.relative.insert(all.relative.end(), errors.relative.begin(), errors.relative.end());
      }
      constexpr int enough = 160;  // four phases of forty rows
      if (all.count() < enough) continue;
      // Less two standard errors of as many rows: the phases of one are off alike.
      const double rows = all.count() / 4.0;
      EXPECT_GE(static_cast<double>(all.covered) / all.count(), 0.9 - 2 * std::sqrt(0.09 / rows))
          << group << ", without " << to_string(split);
    }
  }
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr && !HasFailure())
    std::ofstream(inputs_file) << inputs();
}

// What is read at every start is what a fit of the shipped times would be. With
// RNNADVISOR_UPDATE_GOLDEN=1 the file is written first; the program takes it in with the next
// build.
TEST(ShippedTimes, StoredFitsAreThoseOfAFreshFit) {
  const auto times = read_measured_times_file(times_file());
  ASSERT_TRUE(times) << to_text(times.error());
  const TimeModel fresh(*times, h200());
  const std::string path = RNNADVISOR_SOURCE_DIR "/core/device/devices/nvidia-h200.fits.txt";
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr)
    std::ofstream(path, std::ios::binary) << fresh.stored();
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto stored = TimeModel::from_stored(text, h200());
  ASSERT_TRUE(stored) << path << ": make it with RNNADVISOR_UPDATE_GOLDEN=1";
  std::size_t compared = 0;
  for (std::size_t i = 0; i < times->rows.size(); i += 3) {
    RnnConfig config = times->rows[i].config;
    // Between the measured points, and beyond them.
    config.hidden_size += 24 * static_cast<int>(i % 5);
    config.input_size = config.proj_size = config.hidden_size;
    config.seq_length = 1 + config.seq_length * static_cast<int>(1 + i % 7) / 3;
    for (const Phase phase : all_phases) {
      const auto expected = fresh.predict(config, phase);
      const auto read = stored->predict(config, phase);
      ASSERT_EQ(expected.has_value(), read.has_value()) << summary(config);
      if (!expected) continue;
      ++compared;
      // Another processor sums in another order: rounding, no more.
      EXPECT_NEAR(read->seconds / expected->seconds, 1, 1e-6) << summary(config);
      EXPECT_NEAR(read->low_seconds / expected->low_seconds, 1, 1e-6) << summary(config);
      EXPECT_NEAR(read->high_seconds / expected->high_seconds, 1, 1e-6) << summary(config);
      EXPECT_EQ(read->extrapolated, expected->extrapolated) << summary(config);
      EXPECT_EQ(read->basis, expected->basis);
      EXPECT_EQ(read->cudnn_version, expected->cudnn_version);
    }
  }
  EXPECT_GT(compared, 3000U);
}

}  // namespace
}  // namespace rnnadvisor::model
