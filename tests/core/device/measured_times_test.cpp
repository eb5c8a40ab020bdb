#include "core/device/measured_times.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace rnnadvisor {
namespace {

using ::testing::HasSubstr;

MeasuredTimes some_times() {
  MeasuredTimes times;
  times.device = "NVIDIA Made Up";
  times.cudnn_version = "9.19.0";
  times.driver_version = "580.0";
  times.cpu = "a \"quoted\" processor";
  times.date = "2026-11-22T00:00:00Z";
  times.command = "rnnadvisor calibrate";
  times.choices["standard: forward_training"] = {1.5, 0.25};
  MeasuredRow row;
  row.config.id = "a";
  row.config.data_type = DataType::half;
  row.config.math_type = MathType::tensor_op;
  row.config.hidden_size = row.config.proj_size = 100;
  row.config.input_size = 40;
  row.seconds = {0, 1.25e-3, 0.5e-3, 0};
  times.rows.push_back(row);
  row.config = {};
  row.config.layout = Layout::seq_major_packed;
  row.config.padded_io = false;
  row.config.data_type = DataType::float64;
  row.config.math_precision = DataType::float64;
  row.config.hidden_size = 7;
  row.config.input_size = row.config.proj_size = 5;
  times.rows.push_back(row);
  return times;
}

TEST(MeasuredTimes, SurviveTheFile) {
  const MeasuredTimes times = some_times();
  const auto read = read_measured_times(write_measured_times(times), "f");
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(*read, times);
}

TEST(MeasuredTimes, StayShort) {
  const std::string text = write_measured_times(some_times());
  const auto line = text.substr(text.find('\n') + 1);
  EXPECT_LT(line.find('\n'), 260U) << line;
  EXPECT_THAT(line, ::testing::Not(HasSubstr("dropout")));
}

struct Wrong {
  const char* text;
  const char* message;
  int line;
};
class WrongTimes : public ::testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(
    All, WrongTimes,
    ::testing::Values(
        Wrong{"", "is empty", 0}, Wrong{"# a comment\n\n", "is empty", 0},
        Wrong{"no JSON", "no file of times", 1}, Wrong{"{\"device\": \"x\"}", "times_version", 1},
        Wrong{"{\"times_version\": 2, \"device\": \"x\"}", "is 2", 1},
        Wrong{"{\"times_version\": 1}", "need the device", 1},
        Wrong{"{\"times_version\": 1, \"device\": 3}", "must be a text", 1},
        Wrong{"{\"times_version\": 1, \"device\": \"x\", \"choices\": [1]}", "an object", 1},
        Wrong{"{\"times_version\": 1, \"device\": \"x\", \"choices\": {\"a\": [\"b\"]}}",
              "lists of numbers", 1},
        Wrong{"{\"times_version\": 1, \"device\": \"x\"}\n{\"cell\": \"lstm\"}", "no times", 2},
        Wrong{"{\"times_version\": 1, \"device\": \"x\"}\n{\"cell\": \"lst\", \"ms\": {}}", "cell",
              2},
        Wrong{"{\"times_version\": 1, \"device\": \"x\"}\n\n{\"ms\": {\"forward\": 1}}", "no phase",
              3},
        Wrong{"{\"times_version\": 1, \"device\": \"x\"}\n{\"ms\": {\"backward_data\": 0}}",
              "no positive number", 2},
        Wrong{"{\"times_version\": 1, \"device\": \"x\"}\n{\"ms\": {\"backward_data\": -1e-3}}",
              "no positive number", 2},
        Wrong{"{\"times_version\": 1, \"device\": \"x\"}\n{\"ms\": {\"backward_data\": \"1\"}}",
              "no positive number", 2},
        Wrong{"{\"times_version\": 1, \"device\": \"x\"}\n{\"ms\": [", "", 2}));

TEST_P(WrongTimes, AreErrorsWithTheirLine) {
  const auto read = read_measured_times(GetParam().text, "f.times.jsonl");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr(GetParam().message));
  ASSERT_TRUE(read.error().where);
  EXPECT_EQ(read.error().where->file, "f.times.jsonl");
  EXPECT_EQ(read.error().where->line, GetParam().line);
}

TEST(MeasuredTimes, LieBesideADescription) {
  EXPECT_EQ(times_path("a/my.toml"), "a/my.times.jsonl");
  const std::string folder = ::testing::TempDir() + "/measured_times_test";
  std::filesystem::create_directories(folder);
  const DeviceSpec device = *find_device("nvidia-h200");
  std::filesystem::remove(folder + "/my.times.jsonl");
  const auto none = find_measured_times(folder + "/my.toml", device);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none) << "another GPU's times must not stand in for this one's";
  std::ofstream(folder + "/my.times.jsonl") << write_measured_times(some_times());
  const auto found = find_measured_times(folder + "/my.toml", device);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->device, "NVIDIA Made Up");
  std::ofstream(folder + "/my.times.jsonl") << "broken";
  EXPECT_FALSE(find_measured_times(folder + "/my.toml", device));
}

TEST(MeasuredTimes, OfTheH200Travel) {
  DeviceSpec device = *find_device("h200");
  const auto times = find_measured_times("h200", device);
  ASSERT_TRUE(times && *times);
  EXPECT_GT((*times)->rows.size(), 1000U);
  EXPECT_EQ((*times)->cudnn_version, "9.19.0");
  // A slice of the GPU is another machine; so is an A100.
  device.sm_count = 16;
  EXPECT_FALSE(*find_measured_times("", device));
  EXPECT_FALSE(*find_measured_times("a100", *find_device("a100")));
}

TEST(WriteDevice, EveryShippedDescriptionReadsBackEqual) {
  for (const DeviceSpec& device : shipped_devices()) {
    const auto read = read_device_toml(write_device_toml(device, "one\ntwo"), device.id);
    ASSERT_TRUE(read) << to_text(read.error());
    EXPECT_EQ(*read, device) << device.id;
  }
}

TEST(WriteDevice, KnowsGpusWithoutADatasheet) {
  DeviceSpec device;
  device.id = "gpu";
  device.name = "A \"GPU\" \\ \x01";
  device.source = "read from the GPU";
  device.compute_major = 12;
  device.sm_count = 70;
  device.memory_bytes = 1'000'000;
  device.shared_memory_per_sm = device.shared_memory_per_block = device.registers_per_sm = 65536;
  device.boost_clock_hz = 2.5e9;
  device.hidden_limits = {{Algo::persist_static_small_h, Cell::gru, true, 128, 129, "here"}};
  device.cudnn_version = "9.20.0";
  const auto read = read_device_toml(write_device_toml(device, ""), "gpu.toml");
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(*read, device);
}

}  // namespace
}  // namespace rnnadvisor
