// What docs/models.md says of cross-validation on the H200's times. Takes ten seconds or more: a
// program of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/model/time_cross_validation.h"
#include "tests/core/model/time_errors.h"

namespace rnnadvisor::model {
namespace {

const DeviceSpec& h200() {
  static const DeviceSpec device = *find_device("nvidia-h200");
  return device;
}

std::string times_file() {
  return RNNADVISOR_SOURCE_DIR "/core/device/devices/nvidia-h200.times.jsonl";
}

// The table of docs/models.md, and that the file of times keeps what cross-validation says. With
// RNNADVISOR_UPDATE_GOLDEN=1 all is chosen anew and written into the file first.
TEST(ShippedTimes, CrossValidationIsPublished) {
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
}

}  // namespace
}  // namespace rnnadvisor::model
