#include "profiler/classify/inferred_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile/builder.h"
#include "profiler/profile/check.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;

constexpr const char* cell_kernel = "void elemWiseRNNcell<__half, float, (cudnnRNNMode_t)2>(int)";
constexpr const char* data = "void LSTM_elementWise_bp1<__half, float>(int)";
constexpr const char* weights = "void GENERIC_elementWise_bp2<__half, float>(int)";
constexpr const char* product = "nvjet_sm90_hsh_128x64_64x8_1x2_h_bz_TNT";
constexpr const char* other = "void at::native::vectorized_elementwise_kernel<4>(int)";

Profile program(const std::vector<const char*>& names) {
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  builder.add_process({});
  std::int64_t now = 0;
  for (const char* name : names) {
    KernelRecord kernel;
    kernel.name = name;
    kernel.process = 0;
    kernel.start_ns = now += 10;
    kernel.end_ns = now += 10;
    builder.add_kernel(kernel);
  }
  return builder.finish();
}

std::vector<Phase> phases(const Profile& profile) {
  std::vector<Phase> found;
  for (const auto& call : profile.calls) found.push_back(call.phase);
  return found;
}

TEST(InferredCalls, AStretchOfOneDirectionIsACall) {
  auto profile = program({product, cell_kernel, product, cell_kernel, other, product, cell_kernel,
                          other, product, data, product, data, weights});
  const auto inferred = infer_calls(profile, {0});
  EXPECT_EQ(inferred.kernels, 6);
  EXPECT_EQ(inferred.calls, 4);
  EXPECT_THAT(phases(profile), ElementsAre(Phase::forward_training, Phase::forward_training,
                                           Phase::backward_data, Phase::backward_weights));
  EXPECT_THAT(profile.kernels.call, ElementsAre(0, 0, 0, 0, -1, 1, 1, -1, 2, 2, 2, 2, 3));
  const auto whole = check_profile(profile, ErrorCode::internal);
  EXPECT_TRUE(whole) << whole.error().message;
  for (const auto& call : profile.calls) {
    EXPECT_EQ(call.source, CallSource::kernels);
    EXPECT_FALSE(profile.configurations[static_cast<std::size_t>(call.configuration)].described());
  }
}

TEST(InferredCalls, WithoutBackwardKernelsItIsInference) {
  auto profile = program({cell_kernel, product, cell_kernel});
  infer_calls(profile, {0});
  EXPECT_THAT(phases(profile), ElementsAre(Phase::forward_inference));
}

TEST(InferredCalls, CallsThatWereSeenAreDescribedByTheirKernels) {
  auto profile = program({product, cell_kernel, product, data, weights, other});
  for (const auto phase :
       {Phase::forward_training, Phase::backward_data, Phase::backward_weights}) {
    RnnCall call;
    call.phase = phase;
    call.process = 0;
    profile.calls.push_back(call);
  }
  profile.calls.push_back(profile.calls[0]);  // whose kernels were not recorded
  profile.kernels.call = {0, 0, 1, 1, 2, -1};
  describe_calls_by_kernels(profile);
  ASSERT_EQ(profile.configurations.size(), 1U);
  EXPECT_FALSE(profile.configurations[0].described());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(profile.calls[static_cast<std::size_t>(i)].configuration, 0) << i;
  EXPECT_EQ(profile.calls[3].configuration, -1);
  const auto whole = check_profile(profile, ErrorCode::internal);
  EXPECT_TRUE(whole) << whole.error().message;
}

TEST(InferredCalls, ProductsAloneAreNone) {
  auto profile = program({product, product, other});
  EXPECT_EQ(infer_calls(profile, {0}).calls, 0);
  EXPECT_TRUE(profile.calls.empty());
}

TEST(InferredCalls, ProcessesWhoseCallsWereSeenAreLeftAlone) {
  auto profile = program({cell_kernel});
  EXPECT_EQ(infer_calls(profile, {}).kernels, 0);
  EXPECT_TRUE(profile.calls.empty());
}

}  // namespace
}  // namespace rnnadvisor
