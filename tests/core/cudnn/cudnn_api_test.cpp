// The run-time loaded API against the real libcudnn. Descriptor calls need no GPU; where cuDNN
// itself is missing the tests are skipped and say why.
#include "core/cudnn/cudnn_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace rnnadvisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CudnnApiTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto loaded = CudnnApi::load();
    if (!loaded) GTEST_SKIP() << "NOT TESTED: " << to_text(loaded.error());
    api_ = *loaded;
    (void)api_->take_reason();
  }

  // One sequence of `steps` steps; cuDNN 9 takes at most 65535.
  cudnnStatus_t describe_data(int steps) const {
    cudnnRNNDataDescriptor_t descriptor = nullptr;
    EXPECT_EQ(api_->cudnnCreateRNNDataDescriptor(&descriptor), CUDNN_STATUS_SUCCESS);
    float padding = 0;
    const auto status = api_->cudnnSetRNNDataDescriptor(descriptor, CUDNN_DATA_FLOAT,
                                                        CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                                        steps, 1, 8, &steps, &padding);
    EXPECT_EQ(api_->cudnnDestroyRNNDataDescriptor(descriptor), CUDNN_STATUS_SUCCESS);
    return status;
  }

  const CudnnApi* api_ = nullptr;
};

TEST_F(CudnnApiTest, HasAVersionAPathAndEveryRequiredEntryPoint) {
  EXPECT_GE(api_->version, 90000U);
  EXPECT_EQ(api_->version, api_->cudnnGetVersion());
  EXPECT_TRUE(std::filesystem::exists(api_->path)) << api_->path;
#define RNNADVISOR_CHECK(name) EXPECT_NE(api_->name, nullptr) << #name;
  RNNADVISOR_CUDNN_REQUIRED(RNNADVISOR_CHECK)
#undef RNNADVISOR_CHECK
  EXPECT_TRUE(api_->cudnnRNNSetClip_v9 != nullptr || api_->clip_v8 != nullptr);
}

TEST_F(CudnnApiTest, AStatusWithoutANameKeepsItsNumber) {
  EXPECT_EQ(status_name(*api_, CUDNN_STATUS_NOT_SUPPORTED), "CUDNN_STATUS_NOT_SUPPORTED");
  EXPECT_EQ(status_name(*api_, static_cast<cudnnStatus_t>(999)), "CUDNN_STATUS_999");
}

TEST_F(CudnnApiTest, LoadsOncePerProcess) { EXPECT_EQ(*CudnnApi::load(), api_); }

TEST_F(CudnnApiTest, TheReasonNamesTheConditionAndIsForgottenWhenRead) {
  EXPECT_EQ(describe_data(65535), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(api_->take_reason(), "");
  EXPECT_NE(describe_data(65536), CUDNN_STATUS_SUCCESS);
  const std::string reason = api_->take_reason();
  EXPECT_THAT(reason, HasSubstr("maxSeqLength"));
  EXPECT_THAT(reason, Not(HasSubstr("Reason:")));
  EXPECT_EQ(api_->take_reason(), "");
}

TEST_F(CudnnApiTest, TheSameReasonIsKeptOnceHoweverOftenItWasLogged) {
  EXPECT_NE(describe_data(65536), CUDNN_STATUS_SUCCESS);
  const std::string once = api_->take_reason();
  for (int i = 0; i < 3; ++i) EXPECT_NE(describe_data(65536), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(api_->take_reason(), once);
}

// Sweeps have one thread that fails and others that go on: a reason must not wander.
TEST_F(CudnnApiTest, AReasonBelongsToTheThreadThatFailed) {
  std::string theirs;
  std::thread([&] {
    EXPECT_NE(describe_data(65536), CUDNN_STATUS_SUCCESS);
    theirs = api_->take_reason();
  }).join();
  EXPECT_THAT(theirs, HasSubstr("maxSeqLength"));
  std::thread([&] { EXPECT_NE(describe_data(65536), CUDNN_STATUS_SUCCESS); }).join();
  EXPECT_EQ(api_->take_reason(), "");
}

TEST_F(CudnnApiTest, StatusesHaveTheirNames) {
  EXPECT_EQ(status_name(*api_, CUDNN_STATUS_SUCCESS), "CUDNN_STATUS_SUCCESS");
  EXPECT_EQ(status_name(*api_, CUDNN_STATUS_NOT_SUPPORTED), "CUDNN_STATUS_NOT_SUPPORTED");
  // A number of a later version: whatever cuDNN answers, people get a word.
  EXPECT_THAT(status_name(*api_, static_cast<cudnnStatus_t>(4090)), Not(IsEmpty()));
}

}  // namespace
}  // namespace rnnadvisor
