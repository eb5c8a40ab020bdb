// From an unattributed batch to the records of a profile: whose kernel is whose, and what was lost.
#include "profiler/cupti/add_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile/check.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

KernelRecord kernel(std::int64_t start, std::int64_t correlation) {
  KernelRecord record;
  record.name = "LSTM_elementWise_fp";
  record.start_ns = start;
  record.end_ns = start + 5;
  record.correlation = correlation;
  return record;
}

class AddBatchTest : public testing::Test {
 protected:
  // Two calls; their indices in the builder are not the ids that were pushed.
  void SetUp() override {
    builder_.add_device(shipped_devices().front());
    configuration_ = builder_.add_configuration({});
    RnnCall before;  // of an earlier configuration in the same profile
    before.configuration = configuration_;
    builder_.add_call(before);
    RnnCall call;
    call.configuration = configuration_;
    forward_ = builder_.add_call(call);
    call.phase = Phase::backward_data;
    backward_ = builder_.add_call(call);
  }
  Profile finish(ActivityBatch batch) {
    add_batch(builder_, std::move(batch), {forward_, backward_});
    Profile profile = builder_.finish();
    const auto whole = check_profile(profile, ErrorCode::internal);
    EXPECT_TRUE(whole) << to_text(whole.error());
    return profile;
  }

  ProfileBuilder builder_;
  int configuration_ = 0, forward_ = 0, backward_ = 0;
};

TEST_F(AddBatchTest, KernelsBelongToTheCallWhoseIdWasPushed) {
  ActivityBatch batch;
  batch.kernels = {kernel(10, 101), kernel(20, 102), kernel(30, 103), kernel(40, 999)};
  batch.external = {{101, 1}, {102, 2}, {103, 2}};
  const Profile profile = finish(std::move(batch));
  EXPECT_THAT(profile.kernels.correlation, ElementsAre(101, 102, 103, 999));
  EXPECT_THAT(profile.kernels.call, ElementsAre(forward_, backward_, backward_, -1));
}

TEST_F(AddBatchTest, UnknownIdsBelongToNoCall) {
  ActivityBatch batch;
  batch.kernels = {kernel(10, 101), kernel(20, 102), kernel(30, 103)};
  batch.external = {{101, 0}, {102, 3}, {103, ~std::uint64_t{0}}};
  EXPECT_THAT(finish(std::move(batch)).kernels.call, ElementsAre(-1, -1, -1));
}

TEST_F(AddBatchTest, TransfersAndApiCallsFollowTheSameIds) {
  ActivityBatch batch;
  batch.transfers = {{10, 20, 4096, 101, MemoryOperation::set, 0, -1, 0, 7, 0}};
  batch.api = {{1, 2, 101, 55, "cudaMemsetAsync", false, 0, -1, 0},
               {3, 4, 500, 55, "cudaMalloc", false, 0, -1, 0}};
  batch.external = {{101, 2}};
  const Profile profile = finish(std::move(batch));
  EXPECT_THAT(profile.transfers.call, ElementsAre(backward_));
  EXPECT_THAT(profile.api.call, ElementsAre(backward_, -1));
}

TEST_F(AddBatchTest, EverythingElseArrives) {
  ActivityBatch batch;
  batch.allocations = {{10, 1 << 20, 0x1000, false, 0, 0}};
  batch.nvtx = {{1, 9, 55, "forward_training", "rnnadvisor", 0, 0, "", {}}};
  batch.overhead = {{3, 4, "CUPTI buffer flush"}};
  const Profile profile = finish(std::move(batch));
  EXPECT_THAT(profile.allocations.bytes, ElementsAre(1 << 20));
  ASSERT_THAT(profile.nvtx.name, SizeIs(1));
  EXPECT_EQ(profile.text(profile.nvtx.name[0]), "forward_training");
  EXPECT_EQ(profile.text(profile.nvtx.domain[0]), "rnnadvisor");
  ASSERT_THAT(profile.overhead.kind, SizeIs(1));
  EXPECT_EQ(profile.text(profile.overhead.kind[0]), "CUPTI buffer flush");
}

// CUPTI counts CUDA ordinals, the profile its own list, in which the one GPU traced has an index.
TEST_F(AddBatchTest, EveryRecordGetsTheDeviceOfTheProfile) {
  const int second = builder_.add_device(shipped_devices().back());
  ASSERT_EQ(second, 1);
  ActivityBatch batch;
  batch.kernels = {kernel(10, 101)};
  batch.kernels[0].device = 7;
  batch.transfers = {{10, 20, 4096, 101, MemoryOperation::copy, 2, -1, 7, 7, 0}};
  batch.allocations = {{10, 1 << 20, 0x1000, false, 7, 0}};
  add_batch(builder_, std::move(batch), {forward_}, second);
  const Profile profile = builder_.finish();
  EXPECT_THAT(profile.kernels.device, ElementsAre(second));
  EXPECT_THAT(profile.transfers.device, ElementsAre(second));
  EXPECT_THAT(profile.allocations.device, ElementsAre(second));
  EXPECT_THAT(profile.notes, IsEmpty());
}

TEST_F(AddBatchTest, LostAndUnreadRecordsAreNoted) {
  ActivityBatch batch;
  batch.dropped = 12;
  batch.unknown = 3;
  const Profile profile = finish(std::move(batch));
  ASSERT_THAT(profile.notes, SizeIs(2));
  EXPECT_EQ(profile.notes[0].code, "records-dropped");
  EXPECT_EQ(profile.notes[0].severity, NoteSeverity::warning);
  EXPECT_EQ(profile.notes[0].count, 12);
  EXPECT_EQ(profile.notes[1].code, "records-unknown");
  EXPECT_EQ(profile.notes[1].severity, NoteSeverity::info);
  EXPECT_EQ(profile.notes[1].count, 3);
}

TEST_F(AddBatchTest, EveryRecordGetsTheProcess) {
  Process self;
  self.pid = 4711;
  builder_.add_process({});
  const int process = builder_.add_process(self);
  ActivityBatch batch;
  batch.kernels = {kernel(10, 101)};
  batch.transfers = {{10, 20, 4096, 101, MemoryOperation::set, 0, -1, 0, 7, -1}};
  batch.api = {{1, 2, 101, 55, "cudaMemsetAsync", false, 0, -1, -1}};
  batch.allocations = {{10, 1 << 20, 0x1000, false, 0, -1, 101, -1}};
  batch.nvtx = {{1, 9, 55, "forward_training", "rnnadvisor", 0, -1, "", {}}};
  batch.overhead = {{3, 4, "CUPTI buffer flush", -1}};
  batch.external = {{101, 1}};
  add_batch(builder_, std::move(batch), {forward_}, 0, process);
  const Profile profile = builder_.finish();
  EXPECT_THAT(profile.kernels.process, ElementsAre(process));
  EXPECT_THAT(profile.transfers.process, ElementsAre(process));
  EXPECT_THAT(profile.api.process, ElementsAre(process));
  EXPECT_THAT(profile.allocations.process, ElementsAre(process));
  EXPECT_THAT(profile.nvtx.process, ElementsAre(process));
  EXPECT_THAT(profile.overhead.process, ElementsAre(process));
  EXPECT_THAT(profile.kernels.call, ElementsAre(forward_));
  EXPECT_THAT(profile.allocations.call, ElementsAre(forward_)) << "memory that a call took";
}

TEST_F(AddBatchTest, WhatHadNoTimeAndWhatWasMixedUpIsNoted) {
  ActivityBatch batch;
  batch.untimed_kernels = 2;
  batch.untimed_others = 5;
  batch.foreign_buffers = 1;
  const Profile profile = finish(std::move(batch));
  ASSERT_THAT(profile.notes, SizeIs(3));
  EXPECT_EQ(profile.notes[0].code, "kernels-without-time");
  EXPECT_EQ(profile.notes[0].severity, NoteSeverity::warning);
  EXPECT_EQ(profile.notes[0].count, 2);
  EXPECT_EQ(profile.notes[1].code, "records-without-time");
  EXPECT_EQ(profile.notes[1].severity, NoteSeverity::info);
  EXPECT_EQ(profile.notes[1].count, 5);
  EXPECT_EQ(profile.notes[2].code, "tracing-conflict");
  EXPECT_EQ(profile.notes[2].severity, NoteSeverity::warning);
}

TEST_F(AddBatchTest, NothingLostNothingNoted) { EXPECT_THAT(finish({}).notes, IsEmpty()); }

}  // namespace
}  // namespace rnnadvisor
