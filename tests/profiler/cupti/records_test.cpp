// CUPTI's activity records as ours, out of buffers built by hand. Every field gets a value of its
// own, so that two that are swapped show.
#include "profiler/cupti/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/profiler/cupti/hand_built_buffer.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

CUpti_ActivityKernel10 kernel_record(const char* name, std::uint64_t start,
                                     std::uint32_t correlation) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.start = start;
  record.end = start + 50;
  record.correlationId = correlation;
  return record;
}

class RecordsTest : public testing::Test {
 protected:
  ActivityBatch read_all(HandBuiltBuffer& buffer) {
    reader_.read(buffer.data(), buffer.size());
    return reader_.take(end_of_recording);
  }

  const CuptiApi api_ = fake_cupti();
  RecordReader reader_{api_};
};

TEST_F(RecordsTest, Kernels) {
  auto record = kernel_record("LSTM_elementWise_fp", 1000, 31);
  record.deviceId = 2;
  record.streamId = 14;
  record.gridX = 3;
  record.gridY = 4;
  record.gridZ = 5;
  record.blockX = 128;
  record.blockY = 6;
  record.blockZ = 7;
  record.registersPerThread = 168;
  record.staticSharedMemory = 1024;
  record.dynamicSharedMemory = 204800;
  auto serial = kernel_record(nullptr, 2000, 32);
  serial.kind = CUPTI_ACTIVITY_KIND_KERNEL;
  HandBuiltBuffer buffer;
  buffer.add(record).add(serial);
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.kernels, SizeIs(2));
  const KernelRecord& kernel = batch.kernels[0];
  EXPECT_EQ(kernel.name, "LSTM_elementWise_fp");
  EXPECT_EQ(kernel.start_ns, 1000);
  EXPECT_EQ(kernel.end_ns, 1050);
  EXPECT_EQ(kernel.correlation, 31);
  EXPECT_EQ(kernel.device, 2);
  EXPECT_EQ(kernel.stream, 14);
  EXPECT_THAT(kernel.grid, ElementsAre(3, 4, 5));
  EXPECT_THAT(kernel.block, ElementsAre(128, 6, 7));
  EXPECT_EQ(kernel.registers, 168);
  EXPECT_EQ(kernel.shared_static, 1024);
  EXPECT_EQ(kernel.shared_dynamic, 204800);
  EXPECT_EQ(kernel.call, -1) << "whose kernel it is, correlation tells later";
  EXPECT_EQ(batch.kernels[1].name, "");
  EXPECT_EQ(batch.kernels[1].correlation, 32);
  EXPECT_EQ(batch.unknown, 0);
}

TEST_F(RecordsTest, ApiCallsOfBothDomains) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = launch_cbid;
  call.start = 500;
  call.end = 540;
  call.processId = 4000;
  call.threadId = 4001;
  call.correlationId = 31;
  call.returnValue = 2;
  auto driver = call;
  driver.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  driver.returnValue = 0;
  auto nameless = call;
  nameless.cbid = unknown_cbid;
  HandBuiltBuffer buffer;
  buffer.add(call).add(driver).add(nameless);
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.api, SizeIs(3));
  EXPECT_EQ(batch.api[0].name, "cudaLaunchKernel");
  EXPECT_FALSE(batch.api[0].driver);
  EXPECT_EQ(batch.api[0].start_ns, 500);
  EXPECT_EQ(batch.api[0].end_ns, 540);
  EXPECT_EQ(batch.api[0].thread, 4001);
  EXPECT_EQ(batch.api[0].correlation, 31);
  EXPECT_EQ(batch.api[0].result, 2);
  EXPECT_EQ(batch.api[1].name, "cuLaunchKernel");
  EXPECT_TRUE(batch.api[1].driver);
  EXPECT_EQ(batch.api[1].result, 0);
  EXPECT_EQ(batch.api[2].name, "unknown CUDA call 54321");
}

TEST_F(RecordsTest, CopiesAndSets) {
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.bytes = std::uint64_t{5} << 30U;
  copy.start = 100;
  copy.end = 190;
  copy.deviceId = 1;
  copy.streamId = 7;
  copy.correlationId = 41;
  copy.runtimeCorrelationId = 99;
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.value = 0xAB;
  set.bytes = 4096;
  set.start = 200;
  set.end = 210;
  set.deviceId = 3;
  set.streamId = 8;
  set.correlationId = 42;
  HandBuiltBuffer buffer;
  buffer.add(copy).add(set);
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.transfers, SizeIs(2));
  EXPECT_EQ(batch.transfers[0].operation, MemoryOperation::copy);
  EXPECT_EQ(batch.transfers[0].kind, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  EXPECT_EQ(batch.transfers[0].bytes, std::int64_t{5} << 30U);
  EXPECT_EQ(batch.transfers[0].start_ns, 100);
  EXPECT_EQ(batch.transfers[0].end_ns, 190);
  EXPECT_EQ(batch.transfers[0].device, 1);
  EXPECT_EQ(batch.transfers[0].stream, 7);
  EXPECT_EQ(batch.transfers[0].correlation, 41);
  EXPECT_EQ(batch.transfers[1].operation, MemoryOperation::set);
  EXPECT_EQ(batch.transfers[1].kind, 0);
  EXPECT_EQ(batch.transfers[1].bytes, 4096);
  EXPECT_EQ(batch.transfers[1].start_ns, 200);
  EXPECT_EQ(batch.transfers[1].end_ns, 210);
  EXPECT_EQ(batch.transfers[1].device, 3);
  EXPECT_EQ(batch.transfers[1].stream, 8);
  EXPECT_EQ(batch.transfers[1].correlation, 42);
}

// Host memory is no memory of the device.
TEST_F(RecordsTest, DeviceAllocationsOnly) {
  CUpti_ActivityMemory4 allocation{};
  allocation.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  allocation.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  allocation.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  allocation.address = 0x7f0000000000;
  allocation.bytes = 123456;
  allocation.timestamp = 700;
  allocation.deviceId = 1;
  allocation.correlationId = 55;
  auto release = allocation;
  release.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  release.timestamp = 800;
  auto pinned = allocation;
  pinned.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  HandBuiltBuffer buffer;
  buffer.add(allocation).add(pinned).add(release);
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.allocations, SizeIs(2));
  EXPECT_EQ(batch.allocations[0].time_ns, 700);
  EXPECT_EQ(batch.allocations[0].bytes, 123456);
  EXPECT_EQ(batch.allocations[0].address, 0x7f0000000000);
  EXPECT_EQ(batch.allocations[0].device, 1);
  EXPECT_EQ(batch.allocations[0].correlation, 55);
  EXPECT_FALSE(batch.allocations[0].release);
  EXPECT_TRUE(batch.allocations[1].release);
  EXPECT_EQ(batch.allocations[1].time_ns, 800);
  EXPECT_EQ(batch.unknown, 0);
}

TEST_F(RecordsTest, ExternalCorrelation) {
  CUpti_ActivityExternalCorrelation first{};
  first.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  first.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  first.externalId = 1;
  first.correlationId = 31;
  auto second = first;
  second.externalId = 2;
  second.correlationId = 32;
  HandBuiltBuffer buffer;
  buffer.add(first).add(second);
  EXPECT_THAT(read_all(buffer).external, ElementsAre(Pair(31, 1U), Pair(32, 2U)));
}

// CUPTI 13.0.1 delivers one record for each kind that is pushed, all for the same call.
TEST_F(RecordsTest, IdsThatOthersPushedAreNotOurs) {
  HandBuiltBuffer buffer;
  CUpti_ActivityExternalCorrelation record{};
  record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  record.correlationId = 31;
  record.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  record.externalId = 42;
  buffer.add(record);
  record.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
  record.externalId = 43;
  buffer.add(record);
  record.correlationId = 32;
  record.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_OPENACC;
  buffer.add(record);
  EXPECT_THAT(read_all(buffer).external, ElementsAre(Pair(31, 42U)));
}

// A time of 0 is CUPTI's word for "could not be collected".
TEST_F(RecordsTest, WhatHasNoTimeIsCountedAndLeftOut) {
  auto running = kernel_record("still running", 0, 1);
  running.end = 0;
  auto without_end = kernel_record("without an end", 100, 2);
  without_end.end = 0;
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.start = 5;
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  CUpti_ActivityMemory4 memory{};
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  CUpti_ActivityMarker2 mark{};
  mark.kind = CUPTI_ACTIVITY_KIND_MARKER;
  mark.flags = CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS;
  HandBuiltBuffer buffer;
  buffer.add(running).add(kernel_record("k", 10, 3)).add(without_end).add(copy).add(set).add(call);
  buffer.add(memory).add(overhead).add(mark);
  const ActivityBatch batch = read_all(buffer);
  EXPECT_THAT(batch.kernels, SizeIs(1));
  EXPECT_EQ(batch.untimed_kernels, 2);
  EXPECT_THAT(batch.transfers, IsEmpty());
  EXPECT_THAT(batch.api, IsEmpty());
  EXPECT_THAT(batch.allocations, IsEmpty());
  EXPECT_THAT(batch.overhead, IsEmpty());
  EXPECT_THAT(batch.nvtx, IsEmpty());
  EXPECT_EQ(batch.untimed_others, 6);
  EXPECT_EQ(batch.unknown, 0);
  HandBuiltBuffer next;
  EXPECT_EQ(read_all(next).untimed_kernels, 0) << "they belong to one recording";
  EXPECT_EQ(read_all(next).untimed_others, 0);
}

TEST_F(RecordsTest, OverheadHasWordsForItsKinds) {
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  overhead.start = 60;
  overhead.end = 65;
  auto loading = overhead;
  loading.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
  auto future = overhead;
  future.overheadKind = static_cast<CUpti_ActivityOverheadKind>(0x123456);
  HandBuiltBuffer buffer;
  buffer.add(overhead).add(loading).add(future);
  const ActivityBatch batch = read_all(buffer);
  ASSERT_THAT(batch.overhead, SizeIs(3));
  EXPECT_EQ(batch.overhead[0].kind, "CUPTI buffer flush");
  EXPECT_EQ(batch.overhead[0].start_ns, 60);
  EXPECT_EQ(batch.overhead[0].end_ns, 65);
  EXPECT_EQ(batch.overhead[1].kind, "lazy function loading");
  EXPECT_EQ(batch.overhead[2].kind, "other");
}

TEST_F(RecordsTest, UnknownKindsAreCountedAndDoNotHideWhatFollows) {
  CUpti_Activity unknown{};
  unknown.kind = kind_of_the_future;
  HandBuiltBuffer buffer;
  buffer.add(unknown).add(kernel_record("k", 10, 1)).add(unknown);
  const ActivityBatch batch = read_all(buffer);
  EXPECT_EQ(batch.unknown, 2);
  EXPECT_THAT(batch.kernels, SizeIs(1));
}

TEST_F(RecordsTest, DroppedRecordsAddUpAndBelongToOneRecording) {
  reader_.add_dropped(3);
  reader_.add_dropped(0);
  reader_.add_dropped(4);
  EXPECT_EQ(reader_.take(end_of_recording).dropped, 7);
  EXPECT_EQ(reader_.take(end_of_recording).dropped, 0);
}

TEST_F(RecordsTest, OnlyTheValidBytesAreRead) {
  HandBuiltBuffer buffer;
  buffer.add(kernel_record("first", 10, 1));
  const std::size_t one = buffer.size();
  buffer.add(kernel_record("second", 20, 2));
  reader_.read(buffer.data(), 0);
  EXPECT_THAT(reader_.take(end_of_recording).kernels, IsEmpty());
  reader_.read(buffer.data(), one);
  EXPECT_THAT(reader_.take(end_of_recording).kernels, SizeIs(1));
  reader_.read(buffer.data(), buffer.size() - 1);
  EXPECT_THAT(reader_.take(end_of_recording).kernels, SizeIs(1)) << "the second is cut off";
  reader_.read(buffer.data(), buffer.size());
  EXPECT_THAT(reader_.take(end_of_recording).kernels, SizeIs(2));
}

// The source reads on a worker and takes on the caller's thread.
TEST_F(RecordsTest, ReadOnOneThreadTakenOnAnother) {
  HandBuiltBuffer buffer;
  for (std::uint32_t i = 0; i < 10000; ++i) buffer.add(kernel_record("k", 1 + i, i));
  std::thread([&] {
    reader_.read(buffer.data(), buffer.size());
    reader_.add_dropped(1);
  }).join();
  const ActivityBatch batch = reader_.take(end_of_recording);
  ASSERT_THAT(batch.kernels, SizeIs(10000));
  EXPECT_EQ(batch.kernels.back().correlation, 9999);
  EXPECT_EQ(batch.dropped, 1);
}

}  // namespace
}  // namespace rnnadvisor
