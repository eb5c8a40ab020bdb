#include "profiler/import/cudnn_log_records.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rnnadvisor::import_trace {
namespace {

struct Read {
  std::vector<LogRecord> records;
  std::int64_t count = 0, foreign = 0, damaged = 0, legacy = 0;
};

Read read(std::initializer_list<std::string_view> lines) {
  Read result;
  LogRecords log([&](const LogRecord& record) { result.records.push_back(record); });
  for (const auto line : lines) log.add(line);
  log.finish();
  result.count = log.records();
  result.foreign = log.foreign_lines();
  result.damaged = log.damaged();
  result.legacy = log.legacy_calls();
  return result;
}

constexpr std::string_view begin = "I! CuDNN (v91900 56) function cudnnRNNForward() called:";
constexpr std::string_view time = "i! Time: 2026-11-28T22:19:52.550466 (0d+0h+0m+6s since start)";
constexpr std::string_view place =
    "i! Process=2804; Thread=2866; GPU=0; Handle=0xbcc4290; StreamId=0x6bdcad0.";

TEST(CudnnLogRecords, ReadsFieldsOfStructuresByTheirPath) {
  const auto result = read(
      {begin, "i!     rnnDesc: type=cudnnRNNDescriptor_t:",
       "i!         algo: type=cudnnRNNAlgo_t; val=CUDNN_RNN_ALGO_STANDARD (0);",
       "i!         dropoutDesc: type=cudnnDropoutDescriptor_t:",
       "i!             seed: type=size_t; val=123;", "i!         hiddenSize: type=int; val=128;",
       "i!     x: location=dev; addr=0x7faa23600200;",
       "i!     cDesc: type=cudnnTensorDescriptor_t; val=NULL_PTR;",
       "i!         deviceName: type=string; val=\"NVIDIA (R) H200\";",
       "i!     dimA: type=int; val=[64,32,128];", time, place, "", ""});
  ASSERT_EQ(result.records.size(), 1U);
  const auto& record = result.records[0];
  EXPECT_TRUE(record.whole);
  EXPECT_EQ(record.version, 91900);
  EXPECT_EQ(record.process, 2804);
  EXPECT_EQ(record.thread, 2866);
  EXPECT_EQ(record.gpu, 0);
  EXPECT_EQ(record.stream, "0x6bdcad0");
  EXPECT_EQ(record.word("rnnDesc.algo"), "CUDNN_RNN_ALGO_STANDARD");
  EXPECT_EQ(record.number("rnnDesc.dropoutDesc.seed"), 123);
  EXPECT_EQ(record.number("rnnDesc.hiddenSize"), 128);
  EXPECT_EQ(record.field("x"), "0x7faa23600200");
  EXPECT_EQ(record.field("cDesc"), "NULL_PTR");
  EXPECT_EQ(record.word("deviceName"), "NVIDIA (R) H200");
  EXPECT_EQ(record.numbers("dimA"), (std::vector<std::int64_t>{64, 32, 128}));
  EXPECT_EQ(record.number("dimA"), std::nullopt);
}

// As cuDNN 9.19 writes them for bfloat16.
TEST(CudnnLogRecords, KnowsTheLineWithoutASemicolon) {
  const auto result =
      read({begin, "i!     paddingFill: type=INVALID_DATA_TYPE; val=NULL", time, place});
  ASSERT_EQ(result.records.size(), 1U);
  EXPECT_TRUE(result.records[0].whole);
}

TEST(CudnnLogRecords, TakesTheFirstReasonOfARefusal) {
  const auto result = read({"E! CuDNN (v91900 56) function cudnnRNNForward() called:",
                            "e!     Info: Traceback contains 2 message(s)",
                            "e!         Error: CUDNN_STATUS_BAD_PARAM; Reason: !rnnDesc || !handle",
                            "e!         Error: CUDNN_STATUS_INTERNAL_ERROR; Reason: status",
                            "e! Time: 2026-11-28T22:19:52.550466 (0d+0h+0m+6s since start)",
                            "e! Process=1; Thread=2; GPU=NULL; Handle=NULL; StreamId=NULL."});
  ASSERT_EQ(result.records.size(), 1U);
  EXPECT_TRUE(result.records[0].refusal);
  EXPECT_EQ(result.records[0].status, "CUDNN_STATUS_BAD_PARAM");
  EXPECT_EQ(result.records[0].reason, "!rnnDesc || !handle");
  EXPECT_EQ(result.records[0].gpu, -1);
}

TEST(CudnnLogRecords, CountsWhatItPassesOver) {
  // Two calls whose lines were written into each other, one without an end, and a print between.
  const auto result = read({begin, "i!     addGrad: type=int; val=0;", "hello",
                            "i!     addGrad: type=int; val=1;", time, place, begin, time});
  ASSERT_EQ(result.records.size(), 2U);
  EXPECT_FALSE(result.records[0].whole);
  EXPECT_FALSE(result.records[1].whole);
  EXPECT_EQ(result.damaged, 2);
  EXPECT_EQ(result.foreign, 1);
  EXPECT_EQ(result.count, 2);
}

TEST(CudnnLogRecords, CountsFunctionsThatCudnn9HasNoMore) {
  const auto result =
      read({"I! CuDNN (v7605) function cudnnRNNForwardTraining() called:", time, place});
  EXPECT_EQ(result.records.size(), 0U);
  EXPECT_EQ(result.legacy, 1);
}

TEST(CudnnLogRecords, ReadsTimes) {
  EXPECT_EQ(parse_log_time("1970-01-02T00:00:01.5 (x)"), 86401'500'000'000);
  EXPECT_EQ(parse_log_time("2024-02-29T12:00:00"), 1709208000'000'000'000);
  for (const auto* wrong : {"", "2023-02-29T12:00:00.1", "2026-11-28", "2026-11-28T24:00:00.1",
                            "9999-01-01T00:00:00.1", "2026-11-28T01:00:00.-1"})
    EXPECT_EQ(parse_log_time(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace rnnadvisor::import_trace
