// Nsight Systems' databases as profiles, in three forms of its export (nsys_databases.h,
// synthetic).
#include "profiler/import/nsys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "profiler/import/open_recording.h"
#include "profiler/profile/check.h"
#include "profiler/profile/recorder.h"
#include "tests/profiler/import/nsys_databases.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::import_trace {
namespace {

using test::NsysSchema;
constexpr NsysSchema schemas[] = {NsysSchema::y2020, NsysSchema::y2022, NsysSchema::y2025};

class Nsys : public testing::Test {
 protected:
  Profile import(NsysSchema schema, const std::string& more = {}) {
    const std::string path = folder_ / (std::to_string(files_++) + ".sqlite");
    EXPECT_TRUE(test::write_nsys_database(path, schema, more));
    EXPECT_EQ(recording_kind(path), RecordingKind::nsight_systems);
    auto profile = import_nsys(path, {});
    EXPECT_TRUE(profile) << profile.error().message;
    if (!profile) return {};
    const auto checked = check_profile(*profile, ErrorCode::internal);
    EXPECT_TRUE(checked) << checked.error().message;
    return std::move(*profile);
  }
  std::string bytes(NsysSchema schema) {
    const std::string path = folder_ / "bytes.sqlite";
    std::remove(path.c_str());
    EXPECT_TRUE(test::write_nsys_database(path, schema));
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TemporaryFolder folder_;
  int files_ = 0;
};

std::int64_t count_of(const Profile& profile, std::string_view code) {
  std::int64_t count = 0;
  for (const auto& note : profile.notes) count += note.code == code ? note.count : 0;
  return count;
}

TEST_F(Nsys, EverySchemaHasKernelsCallsOfCudaCopiesAndRanges) {
  for (const auto schema : schemas) {
    const Profile profile = import(schema);
    ASSERT_EQ(profile.kernels.size(), 4U);
    EXPECT_EQ(profile.text(profile.kernels.name[1]),
              "void elemWiseRNNcell<__half, float, (cudnnRNNMode_t)2>(int)");
    EXPECT_EQ(profile.kernels.end_ns[1] - profile.kernels.start_ns[1], 100);
    EXPECT_EQ(profile.kernels.stream[1], 7);
    EXPECT_EQ(profile.kernels.grid[1], (std::array<int, 3>{32, 1, 1}));
    EXPECT_EQ(profile.kernels.block[1], (std::array<int, 3>{256, 1, 1}));
    EXPECT_EQ(profile.kernels.registers[0], 168);
    EXPECT_EQ(profile.kernels.shared_dynamic[0], 196608);
    ASSERT_EQ(profile.api.size(), 5U);
    EXPECT_EQ(profile.text(profile.api.name[0]), "cudaMemcpyAsync_v3020");
    EXPECT_EQ(profile.api.thread[0], test::tid);
    EXPECT_EQ(std::count(profile.api.driver.begin(), profile.api.driver.end(), true), 1);
    ASSERT_EQ(profile.transfers.size(), 1U);
    EXPECT_EQ(profile.transfers.bytes[0], 4096);
    EXPECT_EQ(profile.transfers.kind[0], 1);
    ASSERT_GE(profile.nvtx.size(), 1U);
    EXPECT_EQ(profile.text(profile.nvtx.name[0]), "training step");
    ASSERT_EQ(profile.processes.size(), 1U);
    EXPECT_EQ(profile.processes[0].pid, test::pid);
    EXPECT_EQ(profile.processes[0].executable, "/usr/bin/python3");
    EXPECT_EQ(recorder_of(profile.processes[0]), Recorder::nsight_systems);
    EXPECT_EQ(profile.environment.host, "node7");
    EXPECT_EQ(profile.environment.cuda_driver_version, "12.4");
    EXPECT_TRUE(profile.environment.tracing);
  }
}

TEST_F(Nsys, NamesTheGpuThatTheProcessCallsZero) {
  const auto device = [&](NsysSchema schema) {
    const Profile profile = import(schema);
    return profile.devices[static_cast<std::size_t>(profile.kernels.device[0])];
  };
  EXPECT_EQ(device(NsysSchema::y2020).name, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(device(NsysSchema::y2020).sm_count, 80);
  EXPECT_DOUBLE_EQ(device(NsysSchema::y2020).boost_clock_hz, 1.53e9);
  EXPECT_EQ(device(NsysSchema::y2022).name, "NVIDIA H200");  // cuDevice
  EXPECT_EQ(device(NsysSchema::y2022).uuid, "GPU-b17c6502");
  EXPECT_EQ(device(NsysSchema::y2025).name, "NVIDIA A100-SXM4-80GB");  // TARGET_INFO_CUDA_DEVICE
}

TEST_F(Nsys, TimesAreUtcWhereTheBeginningIsKnown) {
  EXPECT_EQ(import(NsysSchema::y2022).kernels.start_ns[0], test::session_start_ns + 3000);
  const Profile old = import(NsysSchema::y2020);
  EXPECT_EQ(old.kernels.start_ns[0], 3000);
  EXPECT_EQ(count_of(old, "no-clock"), 1);
  const Profile normalized = import(
      NsysSchema::y2025, "UPDATE META_DATA_EXPORT SET value='true' WHERE name LIKE '%NORMALIZE'");
  EXPECT_EQ(normalized.kernels.start_ns[0], 3000);
}

TEST_F(Nsys, InfersCallsFromKernelsWithoutCudnnEvents) {
  for (const auto schema : {NsysSchema::y2020, NsysSchema::y2022}) {
    const Profile profile = import(schema);
    ASSERT_EQ(profile.calls.size(), 2U);
    EXPECT_EQ(profile.calls[0].source, CallSource::kernels);
    EXPECT_EQ(profile.calls[0].phase, Phase::forward_training);
    EXPECT_EQ(profile.calls[1].phase, Phase::backward_data);
    // A product between the two directions could be of either.
    EXPECT_EQ(profile.kernels.call, (std::vector<int>{0, 0, -1, 1}));
    EXPECT_EQ(count_of(profile, "rnn-kernels-without-calls"), 2);
  }
}

TEST_F(Nsys, TakesCallsAndTheirKernelsFromCudnnEvents) {
  const Profile profile = import(NsysSchema::y2025);
  ASSERT_EQ(profile.calls.size(), 2U);
  EXPECT_EQ(profile.calls[0].source, CallSource::hook);
  EXPECT_EQ(profile.calls[0].phase, Phase::forward_training);  // a backward pass follows
  EXPECT_EQ(profile.calls[0].host_start_ns, test::session_start_ns + 1000);
  EXPECT_EQ(profile.calls[0].host_end_ns, test::session_start_ns + 1500);
  EXPECT_EQ(profile.calls[0].thread, test::tid);
  EXPECT_EQ(profile.calls[0].stream, 7);
  EXPECT_EQ(profile.calls[0].device, profile.kernels.device[0]);
  EXPECT_EQ(profile.calls[1].phase, Phase::backward_data);
  EXPECT_EQ(profile.kernels.call, (std::vector<int>{0, 0, 1, 1}));
  // What they were given is not known, but what ran is.
  ASSERT_EQ(profile.configurations.size(), 1U);
  EXPECT_EQ(profile.calls[0].configuration, 0);
  EXPECT_EQ(profile.calls[1].configuration, 0);
  EXPECT_EQ(profile.configurations[0].origin, Origin::kernels);
  EXPECT_EQ(count_of(profile, "graphs-without-kernels"), 2);
  const Profile forward = import(NsysSchema::y2025, "DELETE FROM CUDNN_EVENTS WHERE nameId = 7");
  ASSERT_EQ(forward.calls.size(), 1U);
  EXPECT_EQ(forward.calls[0].phase, Phase::forward_inference);
}

TEST_F(Nsys, ReadsDomainsCategoriesPayloadsAndNames) {
  const Profile profile = import(NsysSchema::y2022);
  const auto& nvtx = profile.nvtx;
  ASSERT_EQ(nvtx.size(), 3U);  // the open one is left out
  EXPECT_EQ(profile.text(nvtx.domain[0]), "loop");
  EXPECT_EQ(profile.text(nvtx.category[0]), "phases");
  EXPECT_EQ(static_cast<std::uint32_t>(nvtx.color[0]), 0xff00ff00U);
  EXPECT_EQ(nvtx.payload[0], NvtxPayload(std::int64_t{17}));
  EXPECT_EQ(profile.text(nvtx.name[1]), "inner");
  EXPECT_EQ(nvtx.start_ns[2], nvtx.end_ns[2]);
  EXPECT_EQ(count_of(profile, "ranges-without-end"), 1);
  EXPECT_EQ(profile.thread_name(0, test::tid), "trainer");
}

// Values of other types, negative and huge ones, and tables that are something else.
TEST_F(Nsys, TakesNothingForGranted) {
  for (const auto schema : schemas) {
    for (const auto* more :
         {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon', streamId = x'00', gridX = -5",
          "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9223372036854775807, deviceId = -1",
          "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9223372036854775807, demangledName = 77",
          "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = -1, correlationId = 1.5",
          "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = 9223372036854775807, copyKind = -1",
          "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = 9223372036854775807, end = 0",
          "UPDATE StringIds SET value = x'ff00fe'", "DROP TABLE StringIds",
          "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL",
          "DROP TABLE PROCESSES; CREATE VIEW PROCESSES AS SELECT 1 AS globalPid, 'x' AS name",
          "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME COLUMN correlationId TO other"})
      import(schema, more);
  }
}

TEST_F(Nsys, OtherFilesAreErrors) {
  EXPECT_FALSE(import_nsys(folder_ / "nothing.sqlite", {}));
  std::ofstream(folder_ / "text.sqlite") << std::string(4096, 'x');
  const auto text = import_nsys(folder_ / "text.sqlite", {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::damaged);
}

TEST_F(Nsys, CanBeInterrupted) {
  const std::string path = folder_ / "long.sqlite";
  ASSERT_TRUE(test::write_nsys_database(
      path, NsysSchema::y2022,
      "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i+1 FROM n WHERE i < 70000) INSERT INTO "
      "StringIds SELECT i, 'x' FROM n"));
  ImportOptions options;
  options.keep_going = [](double) { return false; };
  const auto profile = import_nsys(path, options);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::interrupted);
}

// Property: a damaged database is an error or a profile that holds its invariants.
TEST_F(Nsys, DamageIsAnErrorOrAProfile) {
  std::mt19937 random(20261130);
  for (const auto schema : schemas) {
    const std::string whole = bytes(schema);
    for (int i = 0; i < 60; ++i) {
      std::string changed = whole;
      std::uniform_int_distribution<std::size_t> any(0, whole.size() - 1);
      if (i % 3 == 0) changed.resize(any(random));
      for (int change = 0; change < 20 && !changed.empty(); ++change)
        changed[any(random) % changed.size()] = static_cast<char>(any(random));
      const auto profile = import_nsys_bytes(changed, {});
      if (!profile) {
        EXPECT_FALSE(profile.error().message.empty());
        continue;
      }
      const auto checked = check_profile(*profile, ErrorCode::internal);
      EXPECT_TRUE(checked) << checked.error().message;
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::import_trace
