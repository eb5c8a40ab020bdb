#include "core/device/device_spec.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace rnnadvisor {
namespace {

using testing::HasSubstr;

TEST(ShippedDevices, AllDescriptionsRead) {
  const std::filesystem::path folder = std::string(RNNADVISOR_SOURCE_DIR) + "/core/device/devices";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;  // measured times
    const auto device = find_device(entry.path().string());
    ASSERT_TRUE(device) << to_text(device.error());
    EXPECT_EQ(device->id + ".toml", entry.path().filename().string());
    EXPECT_EQ(find_device(device->id).value(), *device);
    ++files;
  }
  EXPECT_EQ(shipped_devices().size(), files);
  EXPECT_EQ(files, 17u);
}

TEST(ShippedDevices, AreInOrderOfTheirIdsAndPlausible) {
  std::string previous;
  for (const auto& device : shipped_devices()) {
    EXPECT_LT(previous, device.id);
    previous = device.id;
    EXPECT_FALSE(device.source.empty()) << device.id;
    EXPECT_FALSE(device.live);
    // Dense rates: a Tensor Core unit is never slower than the vector unit, and TF32 at most half
    // of fp16.
    if (device.has_tensor_cores()) {
      EXPECT_GE(device.fp16_tensor_flops, device.fp16_flops) << device.id;
    }
    if (device.has_tf32()) {
      EXPECT_LE(device.tf32_tensor_flops, 0.51 * device.fp16_tensor_flops) << device.id;
      EXPECT_TRUE(device.compute_at_least(8)) << device.id;
    }
    EXPECT_EQ(device.has_bf16(), device.compute_at_least(8)) << device.id;
    // Two operations per lane and clock: fp32 within 3 % of SMs × lanes × clock, or below for other
    // clocks.
    const bool pascal_6_1 = device.compute_major == 6 && device.compute_minor == 1;
    const double lanes = device.compute_at_least(8, 6) || pascal_6_1 ? 128 : 64;
    const double vector = 2 * lanes * device.sm_count * device.boost_clock_hz;
    EXPECT_NEAR(device.fp32_flops / vector, 1.0, device.compute_major >= 10 ? 0.1 : 0.03)
        << device.id;
    // Nothing but the H200 was measured.
    EXPECT_EQ(device.measured_bandwidth.has_value(), device.id == "nvidia-h200");
    EXPECT_EQ(device.hidden_limits.empty(), device.id != "nvidia-h200");
    for (const auto& limit : device.hidden_limits) EXPECT_FALSE(limit.source.empty());
    for (const auto& point : device.crossovers) EXPECT_FALSE(point.source.empty());
  }
}

TEST(FindDevice, TakesAnySpelling) {
  for (const char* name :
       {"nvidia-h200", "h200", "H200", "NVIDIA H200", "H200 SXM", "nvidia_h200"}) {
    ASSERT_TRUE(find_device(name)) << name;
    EXPECT_EQ(find_device(name)->id, "nvidia-h200") << name;
  }
  for (const auto& [name, id] : std::initializer_list<std::pair<const char*, const char*>>{
           {"p100", "nvidia-p100-sxm2-16gb"},
           {"v100", "nvidia-v100-sxm2-16gb"},
           {"t4", "nvidia-t4"},
           {"a100", "nvidia-a100-sxm4-80gb"},
           {"a100-40gb", "nvidia-a100-sxm4-40gb"},
           {"a30", "nvidia-a30"},
           {"a10", "nvidia-a10"},
           {"l4", "nvidia-l4"},
           {"l40s", "nvidia-l40s"},
           {"h100", "nvidia-h100-sxm5-80gb"},
           {"h100-pcie", "nvidia-h100-pcie-80gb"},
           {"b200", "nvidia-b200"},
           {"rtx 3080", "nvidia-rtx-3080"},
           {"RTX3090", "nvidia-rtx-3090"},
           {"GeForce RTX 4090", "nvidia-rtx-4090"},
           {"NVIDIA A100-SXM4-40GB", "nvidia-a100-sxm4-40gb"}}) {
    ASSERT_TRUE(find_device(name)) << name;
    EXPECT_EQ(find_device(name)->id, id);
  }
}

TEST(FindDevice, NoTwoDevicesShareAWord) {
  std::set<std::string> words;
  for (const auto& device : shipped_devices()) {
    EXPECT_TRUE(words.insert(device.name).second);
    for (const auto& alias : device.aliases) {
      EXPECT_TRUE(words.insert(alias).second) << alias;
      EXPECT_EQ(find_device(alias)->id, device.id) << alias;
    }
  }
}

TEST(FindDevice, SuggestsTheNearest) {
  const auto device = find_device("nvidia-h20O");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::not_found);
  EXPECT_EQ(device.error().remedy, "did you mean 'nvidia-h200'?");
  EXPECT_THAT(device.error().notes, testing::Contains(HasSubstr("nvidia-a30")));
  EXPECT_FALSE(find_device(""));
  EXPECT_FALSE(find_device("nvidia"));
  EXPECT_FALSE(find_device(std::string(100000, 'x')));
  EXPECT_THAT(find_device("a radeon of some kind").error().remedy, HasSubstr(".toml"));
}

TEST(FindDevice, SaysWhichFileIsMissing) {
  const auto device = find_device("/nowhere/my-gpu.toml");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::io);
  EXPECT_THAT(device.error().message, HasSubstr("/nowhere/my-gpu.toml"));
}

constexpr const char* minimal = R"(id = "mine"
name = "My GPU"
architecture = "Hopper"
compute_capability = "9.0"
sm_count = 4
memory_bytes = 1_000_000_000
shared_memory_per_sm = 233472
shared_memory_per_block = 232448
registers_per_sm = 65536
memory_bandwidth = 1e12
boost_clock_hz = 1.5e9
source = "test"
[peak]
fp32 = 10e12
)";

TEST(ReadDevice, ReadsAUsersOwn) {
  const auto device = read_device_toml(minimal, "mine.toml");
  ASSERT_TRUE(device) << to_text(device.error());
  EXPECT_EQ(device->compute_major, 9);
  EXPECT_EQ(device->sm_count, 4);
  EXPECT_EQ(device->memory_bytes, 1000000000);
  EXPECT_DOUBLE_EQ(device->fp32_flops, 10e12);
  EXPECT_FALSE(device->has_tensor_cores());
  EXPECT_EQ(device->l2_bytes, 0);
}

struct BadToml {
  const char* find;
  const char* replace;
  int line;
  int column;
  const char* message;
};

class BadDescription : public testing::TestWithParam<BadToml> {};

TEST_P(BadDescription, NamesTheLineAndTheRemedy) {
  const BadToml& bad = GetParam();
  std::string text = minimal;
  const auto at = text.find(bad.find);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(bad.find).size(), bad.replace);
  const auto device = read_device_toml(text, "mine.toml");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::parse);
  EXPECT_THAT(to_text(device.error()), HasSubstr(bad.message));
  ASSERT_TRUE(device.error().where);
  EXPECT_EQ(device.error().where->file, "mine.toml");
  EXPECT_EQ(device.error().where->line, bad.line);
  EXPECT_EQ(device.error().where->column, bad.column);
  EXPECT_FALSE(device.error().remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, BadDescription,
    testing::Values(
        BadToml{"sm_count", "sm_cout", 5, 1, "did you mean 'sm_count'?"},
        BadToml{"sm_count = 4", "sm_count = -4", 5, 12, "sm_count must be a whole number"},
        BadToml{"sm_count = 4", "sm_count = 4.5", 5, 12, "sm_count must be a whole number"},
        BadToml{"sm_count = 4\n", "", 1, 1, "needs 'sm_count'"},
        BadToml{"memory_bandwidth = 1e12", "memory_bandwidth = nan", 10, 20,
                "memory_bandwidth must be"},
        BadToml{"memory_bandwidth = 1e12", "memory_bandwidth = inf", 10, 20,
                "memory_bandwidth must be"},
        BadToml{"1_000_000_000", "9223372036854775807", 6, 16, "memory_bytes must be"},
        BadToml{"\"9.0\"", "9.0", 4, 22, "compute_capability must be a text"},
        BadToml{"\"9.0\"", "\"9\"", 4, 22, "compute_capability must be a text"},
        BadToml{"fp32 = 10e12", "fp32 = 10e12\nfp33 = 1", 15, 1, "did you mean 'fp32'?"},
        BadToml{"fp32 = 10e12", "fp32 = \"fast\"", 14, 8, "fp32 must be a number"},
        BadToml{"[peak]", "[measured]\nbandwidth = 4e12\n[peak]", 14, 13, "value and source"},
        BadToml{"[peak]", "[[hidden_limit]]\nalgo = \"persist_statik\"\n[peak]", 14, 8,
                "did you mean 'persist_static'?"},
        BadToml{"[peak]", "[[crossover]]\ncell = 3\n[peak]", 14, 8, "cell has no such value"},
        BadToml{"id = \"mine\"", "id = \"mine", 1, 11, "TOML"},
        BadToml{"[peak]", "[=]", 13, 2, "[key]"}));

TEST(ReadDevice, DeepNestingIsAnErrorNotACrash) {
  EXPECT_FALSE(read_device_toml("a = " + std::string(100000, '['), "deep.toml"));
  std::string dotted = "a";
  for (int i = 0; i < 100000; ++i) dotted += ".a";
  const auto deep = read_device_toml(dotted + " = 1", "deep.toml");
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().where, (SourcePosition{"deep.toml", 1, 32}));
  EXPECT_FALSE(read_device_toml("", "empty.toml"));
}

TEST(ReadDevice, LimitsMustBeInOrder) {
  const std::string text =
      std::string(minimal) +
      "[[hidden_limit]]\nalgo = \"persist_static\"\ncell = \"lstm\"\naccepted = 10\n"
      "rejected = 10\nsource = \"s\"\n";
  const auto device = read_device_toml(text, "mine.toml");
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().message, HasSubstr("larger than accepted"));
}

}  // namespace
}  // namespace rnnadvisor
