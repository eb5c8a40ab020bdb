// Large files: read by two threads, shown in part before they are whole, cancelled, damaged.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "profiler/profile/file.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor {
namespace {

constexpr std::size_t many = 900'000;  // more than what is worth a thread, and more than 16 MiB

Profile large() {
  Profile p;
  DeviceSpec device;
  device.id = "test";
  p.devices.push_back(device);
  p.processes.emplace_back();
  Configuration configuration;
  p.configurations.push_back(configuration);
  p.strings = {"a", "b"};
  RnnCall call;
  call.configuration = 0;
  call.process = 0;
  p.calls.push_back(call);
  auto& k = p.kernels;
  for (std::size_t i = 0; i < many; ++i) {
    const auto n = static_cast<std::int64_t>(i);
    k.start_ns.push_back(1'000'000'000 + n * 1000);
    k.end_ns.push_back(k.start_ns.back() + 100 + n % 700);
    k.name.push_back(static_cast<int>(i % 2));
    k.call.push_back(i % 3 == 0 ? 0 : -1);
    k.device.push_back(0);
    k.stream.push_back(static_cast<int>(i % 5));
    k.process.push_back(0);
    k.correlation.push_back(n * 1'000'003);
    k.grid.push_back({1, 2, 3});
    k.block.push_back({4, 5, 6});
    k.registers.push_back(static_cast<int>(i % 7));
    k.shared_static.push_back(0);
    k.shared_dynamic.push_back(0);
    k.family.push_back(model::Implementation::standard);
    k.role.push_back(KernelRole::pointwise);
  }
  return p;
}

struct LargeFile : testing::Test {
  static void SetUpTestSuite() {
    folder.emplace();
    path = folder->file("large.rnnprof");
    profile = large();
    ASSERT_TRUE(write_profile(profile, path, true));
    ASSERT_GT(std::filesystem::file_size(path), std::uintmax_t{16} << 20);
  }
  static void TearDownTestSuite() { folder.reset(); }
  // A copy for what changes it.
  static std::string copy(const char* name) {
    auto to = folder->file(name);
    std::filesystem::copy_file(path, to, std::filesystem::copy_options::overwrite_existing);
    return to;
  }
  inline static std::optional<TemporaryFolder> folder;
  inline static std::string path;
  inline static Profile profile;
};

TEST_F(LargeFile, ComesBackAsItWasWithoutRoomToSpare) {
  const auto read = read_profile(path);
  ASSERT_TRUE(read) << read.error().message;
  const auto &a = read->kernels, &b = profile.kernels;
  EXPECT_EQ(a.start_ns, b.start_ns);
  EXPECT_EQ(a.end_ns, b.end_ns);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.call, b.call);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.correlation, b.correlation);
  EXPECT_EQ(a.grid, b.grid);
  EXPECT_EQ(a.registers, b.registers);
  EXPECT_EQ(a.start_ns.capacity(), many);
}

TEST_F(LargeFile, ShowsItsCallsBeforeItsRecords) {
  int given = 0;
  ProfileReadOptions options;
  options.outline = [&](const Profile& outline) {
    ++given;
    EXPECT_EQ(outline.calls.size(), 1U);
    EXPECT_EQ(outline.strings.size(), 2U);
    EXPECT_EQ(outline.kernels.size(), 0U);
  };
  ASSERT_TRUE(read_profile(path, options));
  EXPECT_EQ(given, 1);
}

TEST_F(LargeFile, SaysHowFarItIsAndCanBeCancelled) {
  double last = 0;
  ProfileReadOptions options;
  options.keep_going = [&](double share) {
    EXPECT_GE(share, last);
    EXPECT_LE(share, 1);
    last = share;
    return share < 0.3;
  };
  const auto read = read_profile(path, options);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::interrupted);
  EXPECT_GE(last, 0.3);
}

TEST_F(LargeFile, RowsThatAreNotNumberedFromZeroAreReadAllTheSame) {
  const std::string changed = copy("large-gap.rnnprof");
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(changed.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "DELETE FROM kernel_records WHERE id IN (7, 800000)", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const auto read = read_profile(changed);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->kernels.size(), many - 2);
  EXPECT_EQ(read->kernels.start_ns[7], profile.kernels.start_ns[8]);
  EXPECT_EQ(read->kernels.start_ns.back(), profile.kernels.start_ns.back());
}

TEST_F(LargeFile, DamageAnywhereIsFound) {
  for (const double where : {0.2, 0.5, 0.9}) {
    const std::string damaged = copy("large-damaged.rnnprof");
    std::fstream file(damaged, std::ios::binary | std::ios::in | std::ios::out);
    const auto size = std::filesystem::file_size(damaged);
    file.seekp(static_cast<std::streamoff>(static_cast<double>(size / 4096) * where) * 4096);
    file << std::string(4096, '\x77');
    file.close();
    const auto read = read_profile(damaged);
    ASSERT_FALSE(read) << where;
    EXPECT_EQ(read.error().code, ErrorCode::damaged);
  }
}

}  // namespace
}  // namespace rnnadvisor
