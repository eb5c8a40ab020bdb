// NVTX ranges and marks out of CUPTI's markers, whatever the order in which they come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "profiler/cupti/records.h"
#include "tests/profiler/cupti/hand_built_buffer.h"

namespace rnnadvisor {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

CUpti_ActivityMarker2 marker(CUpti_ActivityFlag flag, std::uint32_t id, std::uint64_t time,
                             const char* name = nullptr, const char* domain = nullptr) {
  CUpti_ActivityMarker2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER;
  record.flags = flag;
  record.id = id;
  record.timestamp = time;
  record.name = name;
  record.domain = domain;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = 4000;
  record.objectId.pt.threadId = 77;
  return record;
}

CUpti_ActivityMarkerData2 data(std::uint32_t id) {
  CUpti_ActivityMarkerData2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER_DATA;
  record.id = id;
  record.payloadKind = CUPTI_METRIC_VALUE_KIND_UINT64;  // with 0: as CUPTI tells "no payload"
  return record;
}

class MarkersTest : public testing::Test {
 protected:
  ActivityBatch read_all(HandBuiltBuffer& buffer) {
    reader_.read(buffer.data(), buffer.size());
    return reader_.take(end_of_recording);
  }
  NvtxRecord range_with(const CUpti_ActivityMarkerData2& record) {
    HandBuiltBuffer buffer;
    buffer.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, record.id, 100, "range"))
        .add(record)
        .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, record.id, 200));
    const ActivityBatch batch = read_all(buffer);
    EXPECT_THAT(batch.nvtx, SizeIs(1));
    EXPECT_EQ(batch.unknown, 0);
    return batch.nvtx.empty() ? NvtxRecord() : batch.nvtx.front();
  }

  const CuptiApi api_ = fake_cupti();
  RecordReader reader_{api_};
};

TEST_F(MarkersTest, NestedRangesAndMarks) {
  HandBuiltBuffer buffer;
  buffer.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 1, 100, "outer", "rnnadvisor"))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 2, 200, "inner"))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, 3, 250, "mark", "theirs"))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 2, 300))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 1, 400));
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.nvtx, SizeIs(3));
  const auto find = [&](const std::string& name) {
    for (const auto& record : batch.nvtx) {
      if (record.name == name) return record;
    }
    ADD_FAILURE() << name;
    return NvtxRecord{};
  };
  EXPECT_EQ(find("outer").start_ns, 100);
  EXPECT_EQ(find("outer").end_ns, 400);
  EXPECT_EQ(find("outer").domain, "rnnadvisor");
  EXPECT_EQ(find("outer").thread, 77);
  EXPECT_EQ(find("inner").start_ns, 200);
  EXPECT_EQ(find("inner").end_ns, 300);
  EXPECT_EQ(find("inner").domain, "");
  EXPECT_EQ(find("mark").start_ns, 250);
  EXPECT_EQ(find("mark").end_ns, 250);
  EXPECT_EQ(find("mark").domain, "theirs");
}

TEST_F(MarkersTest, ARangeThatBeganBeforeTheRecordingIsLeftOut) {
  HandBuiltBuffer buffer;
  buffer.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 1, 100))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 2, 200, "whole"))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 2, 300));
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.nvtx, SizeIs(1));
  EXPECT_EQ(batch.nvtx[0].name, "whole");
}

TEST_F(MarkersTest, ARangeWhoseEndNeverCameEndsWithTheRecording) {
  HandBuiltBuffer buffer;
  buffer.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 5, 100, "open", "rnnadvisor"));
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.nvtx, SizeIs(1));
  EXPECT_EQ(batch.nvtx[0].name, "open");
  EXPECT_EQ(batch.nvtx[0].start_ns, 100);
  EXPECT_EQ(batch.nvtx[0].end_ns, end_of_recording);
  // The next recording knows nothing of it, even when its end comes after all.
  HandBuiltBuffer late;
  late.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 5, 9500));
  EXPECT_THAT(read_all(late).nvtx, IsEmpty());
}

TEST_F(MarkersTest, ARangeMaySpanBuffers) {
  HandBuiltBuffer first;
  HandBuiltBuffer second;
  first.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 5, 100, "long"));
  second.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 5, 900));
  reader_.read(first.data(), first.size());
  const ActivityBatch batch = read_all(second);
  ASSERT_THAT(batch.nvtx, SizeIs(1));
  EXPECT_EQ(batch.nvtx[0].start_ns, 100);
  EXPECT_EQ(batch.nvtx[0].end_ns, 900);
}

TEST_F(MarkersTest, AMarkerOfNoThreadHasThreadZero) {
  auto record = marker(CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, 1, 10, "of the device");
  record.objectKind = CUPTI_ACTIVITY_OBJECT_DEVICE;
  HandBuiltBuffer buffer;
  buffer.add(record);
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.nvtx, SizeIs(1));
  EXPECT_EQ(batch.nvtx[0].thread, 0);
}

// A range that ends on another thread: that thread's buffer may come first, as seen on
// CUPTI 13.0.1.
TEST_F(MarkersTest, AnEndMayComeBeforeItsStart) {
  HandBuiltBuffer of_the_end;
  of_the_end.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 13, 800));
  HandBuiltBuffer of_the_start;
  of_the_start.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 13, 100, "start/end", "theirs"));
  reader_.read(of_the_end.data(), of_the_end.size());
  const ActivityBatch batch = read_all(of_the_start);
  ASSERT_THAT(batch.nvtx, SizeIs(1));
  EXPECT_EQ(batch.nvtx[0].name, "start/end");
  EXPECT_EQ(batch.nvtx[0].domain, "theirs");
  EXPECT_EQ(batch.nvtx[0].start_ns, 100);
  EXPECT_EQ(batch.nvtx[0].end_ns, 800);
}

TEST_F(MarkersTest, AnEndThatLiesBeforeTheStartIsOfAnotherRange) {
  HandBuiltBuffer buffer;
  buffer.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 1, 50))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 1, 100, "range"))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 1, 200));
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.nvtx, SizeIs(1));
  EXPECT_EQ(batch.nvtx[0].start_ns, 100);
  EXPECT_EQ(batch.nvtx[0].end_ns, 200);
}

TEST_F(MarkersTest, AnEndOfOneRecordingIsNotPairedInTheNext) {
  HandBuiltBuffer first, second;
  first.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 1, 300));
  EXPECT_THAT(read_all(first).nvtx, IsEmpty());
  second.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 1, 200, "range"));
  const ActivityBatch batch = read_all(second);
  ASSERT_THAT(batch.nvtx, SizeIs(1));
  EXPECT_EQ(batch.nvtx[0].end_ns, end_of_recording);
}

TEST_F(MarkersTest, ARangeWhoseEndHasNoTimeIsLeftOut) {
  HandBuiltBuffer buffer;
  buffer.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 1, 100, "range"))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 1, 0));
  const ActivityBatch batch = read_all(buffer);
  EXPECT_THAT(batch.nvtx, IsEmpty());
  EXPECT_EQ(batch.untimed_others, 1);
}

TEST_F(MarkersTest, ColourAndCategory) {
  auto record = data(7);
  record.color = 0xFF112233;
  record.category = 9;
  EXPECT_EQ(range_with(record).color, 0) << "the flag says whether there is a colour";
  record.flags = CUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB;
  const NvtxRecord range = range_with(record);
  EXPECT_EQ(static_cast<unsigned>(range.color), 0xFF112233U);
  EXPECT_EQ(range.category, "9");
  EXPECT_EQ(range_with(data(8)).category, "");
}

// The kinds and values as CUPTI 13.0.1 delivered them for these NVTX payloads on an H200.
TEST_F(MarkersTest, Payloads) {
  EXPECT_EQ(range_with(data(1)).payload, NvtxPayload()) << "without one, and 32-bit payloads";
  auto record = data(1);
  record.payload.metricValueUint64 = 5;
  EXPECT_EQ(range_with(record).payload, NvtxPayload(std::uint64_t{5}));
  record.payload.metricValueUint64 = ~std::uint64_t{0};
  EXPECT_EQ(range_with(record).payload, NvtxPayload(~std::uint64_t{0}));
  record.payloadKind = CUPTI_METRIC_VALUE_KIND_INT64;
  record.payload.metricValueInt64 = -5;
  EXPECT_EQ(range_with(record).payload, NvtxPayload(std::int64_t{-5}));
  record.payloadKind = CUPTI_METRIC_VALUE_KIND_DOUBLE;
  record.payload.metricValueDouble = 0;
  EXPECT_EQ(range_with(record).payload, NvtxPayload(0.0)) << "a number that is 0 is a payload";
  record.payload.metricValueDouble = 1.5;
  EXPECT_EQ(range_with(record).payload, NvtxPayload(1.5));
  record.payloadKind = CUPTI_METRIC_VALUE_KIND_NVTX_EXTENDED_PAYLOAD;
  EXPECT_EQ(range_with(record).payload, NvtxPayload());
}

TEST_F(MarkersTest, DataMayComeBeforeItsMarkerAndAfterItsRange) {
  auto early = data(1);
  early.category = 3;
  auto late = data(2);
  late.category = 4;
  auto of_mark = data(3);
  of_mark.category = 5;
  HandBuiltBuffer buffer;
  buffer.add(early)
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 1, 100, "early"))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_START, 2, 110, "late"))
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 2, 120))
      .add(late)
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, 3, 130, "mark"))
      .add(of_mark)
      .add(marker(CUPTI_ACTIVITY_FLAG_MARKER_END, 1, 140));
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.nvtx, SizeIs(3));
  for (const auto& record : batch.nvtx) {
    EXPECT_EQ(record.category, record.name == "early" ? "3" : record.name == "late" ? "4" : "5");
  }
  HandBuiltBuffer next;
  next.add(marker(CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, 2, 150, "next"));
  EXPECT_EQ(read_all(next).nvtx[0].category, "") << "data belongs to one recording";
}

}  // namespace
}  // namespace rnnadvisor
