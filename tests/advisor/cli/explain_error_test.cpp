// `rnnadvisor explain-error`: what it takes, and a recording as the report explains it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "profiler/classify/memory_use.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* recorded_program =
    RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof";

constexpr const char* exception_text =
    "Traceback (most recent call last):\n"
    "RuntimeError: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR";

// A recording whose program ended with an exception, with so much memory free.
std::string write_failed(const TemporaryFolder& folder, const std::string& exception,
                         std::int64_t free) {
  auto profile = read_profile(recorded_program);
  EXPECT_TRUE(profile);
  auto& process = profile->processes.at(0);
  process.end = ProcessEnd::exited;
  process.exit_status = 1;
  process.memory_free_bytes = free;
  profile->notes.push_back({NoteSeverity::warning, program_exception, exception, 1});
  auto path = folder / "failed.rnnprof";
  EXPECT_TRUE(write_profile(*profile, path, true));
  return path;
}

void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(ExplainError, ARecordingIsExplainedAsItsReportExplainsIt) {
  TemporaryFolder folder;
  for (const std::int64_t free : {std::int64_t{3} << 20, std::int64_t{30} << 30}) {
    const auto path = write_failed(folder, exception_text, free);
    const auto called = call({"explain-error", path, "--json"});
    EXPECT_EQ(called.status, 0) << called.err;
    const auto report = Json::parse(call({"report", path, "--json"}).out);
    const auto& errors = report["program_end"]["exceptions"][0]["errors"];
    EXPECT_EQ(Json::parse(called.out)["errors"], errors);
    EXPECT_EQ(errors[0]["id"] == "cudnn-memory-in-disguise", free < little_memory);
  }
  const auto unknown = call({"explain-error", write_failed(folder, "ValueError: of ours", -1)});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.out, HasSubstr("ValueError: of ours"));
}

TEST(ExplainError, RecordingsWithoutAnExceptionNameWhatJudgesThem) {
  const std::string traces = RNNADVISOR_SOURCE_DIR "/tests/data/traces/";
  for (const std::string& path :
       {std::string(recorded_program), std::string("sample:gnmt"),
        traces + "jax_small.trace.json.gz", traces + "jax_small.xplane.pb.gz"}) {
    const auto called = call({"explain-error", path});
    EXPECT_EQ(called.status, 2) << path;
    EXPECT_EQ(called.out, "") << path;
    EXPECT_THAT(called.err, HasSubstr("rnnadvisor advise " + path));
  }
}

TEST(ExplainError, WhatIsNoTextIsRefused) {
  TemporaryFolder folder;
  std::string compressed("\x1f\x8b\x08\x01", 4);  // of a compressed log, without a NUL
  for (int i = 0; i < 4096; ++i) compressed += static_cast<char>(1 + i * 37 % 255);
  for (const std::string& bytes :
       {std::string("RuntimeError: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR\0", 55), compressed}) {
    const auto path = folder / "log";
    write_bytes(path, bytes);
    const auto called = call({"explain-error", path});
    EXPECT_EQ(called.status, 2);
    EXPECT_EQ(called.out, "");
    EXPECT_THAT(called.err, HasSubstr("rnnadvisor advise"));
  }
}

// Logs of other encodings, with colours and progress bars, and with the log of cuDNN in them.
TEST(ExplainError, LogsOfAnyEncodingAreRead) {
  TemporaryFolder folder;
  const auto path = folder / "log";
  const std::string cudnn =
      "I! CuDNN (v91900 56) function cudnnCreate() called:\n"
      "i! Time: 2026-11-27T10:00:00 (0d+0h+0m+0s since start)\n\n";
  for (const std::string& before : {std::string("Gr\xf6\xdf"
                                                "e\r\n\x1b[31m 50%\r\b\b\x1b[0m\n"),
                                    cudnn}) {
    write_bytes(path, before + exception_text);
    const auto called = call({"explain-error", path, "--json"});
    EXPECT_EQ(called.status, 0) << called.err;
    EXPECT_FALSE(Json::parse(called.out)["errors"].empty());
  }
}

}  // namespace
}  // namespace rnnadvisor::cli
