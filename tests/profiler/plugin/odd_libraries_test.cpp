// A driver, a CUPTI and a cuDNN that are without a function, or refuse one to the plugin at some
// point: the program computes what it would have computed, and its calls are recorded.
#include <iterator>
#include <sstream>

#include "tests/effort.h"
#include "tests/profiler/plugin/accelerated.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::Contains;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr const char* preloaded = PLUGIN_FILE ":" STANDIN_FOLDER "/libodd_libraries.so";

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}
std::string refusal(const std::string& name, int from) {
  constexpr int status = 999;  // an unknown error in each of the three
  return name + ":" + std::to_string(from) + ":" + std::to_string(status);
}

// The calls from which on a function is refused. Each is a process: fewer where those are slow.
std::vector<int> some_of(std::vector<int> calls) {
  if (test::sanitized() && calls.size() > 2) calls.resize(2);
  return calls;
}

const std::vector<std::string> driver_functions = words(
    "cuCtxGetCurrent cuCtxGetDevice cuEventCreate cuEventRecord cuEventQuery cuEventSynchronize "
    "cuEventElapsedTime cuStreamIsCapturing cuThreadExchangeStreamCaptureMode cuDeviceGet "
    "cuDriverGetVersion cuDeviceGetCount cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 "
    "cuDeviceGetUuid_v2 cuStreamGetCaptureInfo cuCtxGetId cuMemAllocAsync cuMemsetD8Async "
    "cuMemcpyDtoHAsync_v2 cuMemHostAlloc cuMemGetInfo_v2 cuModuleLoadData cuModuleGetFunction "
    "cuLaunchKernel cuStreamWaitEvent");
// Those that a program does not call through the plugin.
const std::vector<std::string> cudnn_functions = words(
    "cudnnGetRNNDescriptor_v8 cudnnGetRNNDataDescriptor cudnnRNNGetClip_v9 "
    "cudnnGetDropoutDescriptor cudnnGetTensorNdDescriptor cudnnCreateRNNDescriptor "
    "cudnnCreateRNNDataDescriptor cudnnCreateDropoutDescriptor cudnnCreateTensorDescriptor "
    "cudnnGetRNNWeightSpaceSize cudnnGetRNNWeightParams cudnnGetStream cudnnGetCallback "
    "cudnnSetCallback");

class OddLibraries : public Accelerated {
 protected:
  OddLibraries() {
    child.variable("LD_PRELOAD", preloaded).variable("STANDIN_SHARES_RESERVES", "1");
  }
  void expect_own_results(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& functions) {
    Child plain(PROBE_FILE);
    const auto expected = plain.variable("STANDIN_COMPUTES", "1").alone().run_only(arguments);
    ASSERT_EQ(expected.status, 0) << expected.error;
    for (const auto& name : functions) {
      for (const int from : some_of({1, 2, 3, 5, 9, 17})) {
        const auto result = child.variable("REFUSES", refusal(name, from)).run_only(arguments);
        ASSERT_EQ(result.status, 0) << name << " from " << from << ": " << result.error;
        expect_alike(expected.out, result.out);
        ASSERT_FALSE(HasFailure()) << name << " from " << from;
      }
    }
  }
};

TEST_F(OddLibraries, WhateverTheDriverRefusesTheProgramGetsItsResults) {
  expect_own_results({"accelerate", "train", "40"}, driver_functions);
}

TEST_F(OddLibraries, WhateverCudnnRefusesTheProgramGetsItsResults) {
  expect_own_results({"accelerate", "train", "40", "dropout"}, cudnn_functions);
}

TEST_F(OddLibraries, WithoutAFunctionThatItNeedsNothingIsChanged) {
  for (const char* name :
       {"cuEventCreate", "cuMemHostAlloc", "cudnnRNNGetClip_v9", "cudnnGetRNNWeightParams",
        "cudnnGetRNNDescriptor_v8", "cudnnGetTensorNdDescriptor", "cudnnGetRNNDataDescriptor"}) {
    child.variable("LACKS", name);
    const auto result = run({"train", "40"});
    for (const auto& choice : result.spools.back().choices())
      EXPECT_EQ(choice.substituted[0], 0u) << name;
  }
}

// A program with five calls, each with a kernel.
struct TracedChild : Child {
  explicit TracedChild(const char* mode = "kernels") : Child(PROBE_FILE) {
    variable("RNNADVISOR_MODE", mode)
        .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
        .variable("PROBE_CUPTI", "1")
        .variable("RNNADVISOR_UNTRACED_STEPS", "0")
        .variable("LD_PRELOAD", preloaded);
  }
};

TEST(OddDriver, WithoutAFunctionThatIsNeededCallsAreRecordedWithoutTheirTimes) {
  for (const char* name : {"cuEventCreate", "cuDeviceTotalMem_v2", "cuDeviceGetUuid_v2"}) {
    TracedChild child("calls");
    const auto result = child.variable("LACKS", name).run({"cuda", "5"});
    ASSERT_EQ(result.status, 0) << name << result.error;
    EXPECT_THAT(result.spool().calls, SizeIs(5)) << name;
    EXPECT_THAT(result.spool().times, IsEmpty()) << name;
    EXPECT_THAT(result.spool().devices, IsEmpty()) << name;
  }
}

TEST(OddDriver, CallsAreRecordedWhateverItRefuses) {
  for (const auto& name : driver_functions) {
    for (const int from : some_of({1, 2})) {
      TracedChild child("calls");
      const auto result = child.variable("REFUSES", refusal(name, from)).run({"cuda", "5"});
      ASSERT_EQ(result.status, 0) << name << result.error;
      const auto& s = result.spool();
      EXPECT_THAT(s.calls, SizeIs(5)) << name;
      for (const auto& time : s.times) EXPECT_EQ(time.device_ns, 1'500'000) << name;
      for (const auto& device : s.devices)
        EXPECT_TRUE(name == "cuDeviceGetName" || device.name == std::string("Stand-in GPU"))
            << name;
    }
  }
}

TEST(OddCudnn, CallsAreRecordedWhateverItRefuses) {
  for (const auto& name : cudnn_functions) {
    for (const int from : some_of({1, 2})) {
      TracedChild child;
      const auto result = child.variable("REFUSES", refusal(name, from)).run({"cuda", "5"});
      ASSERT_EQ(result.status, 0) << name << result.error;
      EXPECT_THAT(result.spool().calls, SizeIs(5)) << name;
      EXPECT_THAT(result.spool().kernels, SizeIs(5)) << name;
    }
    TracedChild child;
    const auto result = child.variable("LACKS", name).run({"cuda", "5"});
    ASSERT_EQ(result.status, 0) << name << result.error;
    EXPECT_THAT(result.spool().calls, SizeIs(5)) << name;
  }
}

const std::vector<std::string> cupti_needed = words(
    "cuptiGetVersion cuptiGetResultString cuptiActivityEnable cuptiActivityDisable "
    "cuptiActivityRegisterCallbacks cuptiActivityGetNextRecord cuptiActivityFlushAll "
    "cuptiActivityFlushPeriod cuptiActivityGetNumDroppedRecords "
    "cuptiActivityRegisterTimestampCallback cuptiGetCallbackName cuptiSubscribe "
    "cuptiUnsubscribe cuptiEnableCallback cuptiGetGraphNodeId");
const std::vector<std::string> cupti_extra = words(
    "cuptiGetStreamIdEx cuptiGetDeviceId cuptiGetThreadIdType cuptiSetThreadIdType "
    "cuptiFinalize cuptiActivityEnableRuntimeApi");

TEST(OddCupti, OneThatIsTooOldIsNamedAndCallsAreRecorded) {
  for (const auto& name : cupti_needed) {
    TracedChild child;
    const auto result = child.variable("LACKS", name).run({"cuda", "5"});
    ASSERT_EQ(result.status, 0) << name << result.error;
    EXPECT_THAT(result.spool().calls, SizeIs(5)) << name;
    EXPECT_THAT(result.spool().notes, Contains(Pair("cupti-too-old", HasSubstr(name))));
  }
}

TEST(OddCupti, WithoutWhatItMayBeWithoutKernelsAreRecorded) {
  for (const auto& name : cupti_extra) {
    for (const char* how : {"LACKS", "REFUSES"}) {
      TracedChild child("full");
      const auto result = child.variable("REFUSES", "")
                              .variable(how, how[0] == 'L' ? name : refusal(name, 1))
                              .run({"cuda", "5"});
      ASSERT_EQ(result.status, 0) << name << result.error;
      EXPECT_THAT(result.spool().calls, SizeIs(5)) << name;
      EXPECT_THAT(result.spool().kernels, SizeIs(5)) << name;
    }
  }
}

TEST(OddCupti, CallsAreRecordedWhateverItRefuses) {
  for (const auto& name : cupti_needed) {
    for (const int from : some_of({1, 2, 4})) {
      TracedChild child("full");
      const auto result = child.variable("REFUSES", refusal(name, from)).run({"cuda", "5"});
      ASSERT_EQ(result.status, 0) << name << result.error;
      EXPECT_THAT(result.spool().calls, SizeIs(5)) << name;
    }
  }
}

// CUPTI is detached in the middle of it and attached again: no call is recorded twice or not at
// all.
TEST(OddCupti, StepsAreRecordedWhateverItRefusesBetweenThem) {
  const auto functions = words(
      "cuptiFinalize cuptiUnsubscribe cuptiSubscribe cuptiActivityRegisterCallbacks "
      "cuptiActivityEnable cuptiActivityFlushAll cuptiSetThreadIdType cuptiGetStreamIdEx "
      "cuptiEnableCallback cuCtxSynchronize cuCtxGetStreamPriorityRange cuCtxGetCurrent "
      "cuStreamIsCapturing cuEventRecord cuEventElapsedTime");
  for (const auto& name : functions) {
    for (const int from : some_of({1, 2, 3, 50})) {
      TracedChild child;
      const auto result = child.variable("RNNADVISOR_UNTRACED_STEPS", "1")
                              .variable("REFUSES", refusal(name, from))
                              .run({"steps", "train", "60"});
      ASSERT_EQ(result.status, 0) << name << " from " << from << result.error;
      const auto& s = result.spool();
      EXPECT_THAT(s.calls, SizeIs(180)) << name << " from " << from;
      EXPECT_EQ(s.lost(), 0u) << name << " from " << from;
      EXPECT_LE(s.kernels.size(), 180u) << name << " from " << from;
      EXPECT_LE(s.times.size(), 180u) << name << " from " << from;
    }
  }
}

TEST(OddCupti, StreamsThatItDoesNotKnowHaveNoNames) {
  for (const char* name : {"cuptiGetStreamIdEx", "cuptiGetDeviceId", "cuStreamGetCtx",
                           "cuCtxGetCurrent", "cuCtxGetDevice"}) {
    for (const bool lacks : {false, true}) {
      TracedChild child;
      const auto result =
          child.variable("NVTX_INJECTION64_PATH", PLUGIN_FILE)
              .variable("STANDIN_STREAM_NUMBERS", "1")
              .variable(lacks ? "LACKS" : "REFUSES", lacks ? std::string(name) : refusal(name, 1))
              .run({"nvtx-resource-names"});
      ASSERT_EQ(result.status, 0) << name << result.error;
      EXPECT_LT(result.spool().stream_names.size(), 5u) << name;
      EXPECT_THAT(result.spool().calls, SizeIs(1)) << name;
    }
  }
}

TEST(OddCupti, ASampledProgramIsRecordedWhateverIsRefusedOfCounters) {
  const auto functions = words(
      "cuptiProfilerInitialize cuptiDeviceGetChipName cuptiProfilerHostInitialize "
      "cuptiProfilerHostConfigAddMetrics cuptiProfilerHostGetConfigImageSize "
      "cuptiProfilerHostGetConfigImage cuptiProfilerHostGetNumOfPasses "
      "cuptiPmSamplingGetCounterAvailability cuptiPmSamplingEnable cuptiPmSamplingSetConfig "
      "cuptiPmSamplingStart cuptiPmSamplingGetCounterDataSize "
      "cuptiPmSamplingCounterDataImageInitialize cuptiPmSamplingDecodeData "
      "cuptiPmSamplingGetCounterDataInfo cuptiPmSamplingCounterDataGetSampleInfo "
      "cuptiProfilerHostEvaluateToGpuValues");
  for (const auto& name : functions) {
    for (const int from : some_of({1, 2, 8})) {
      TracedChild child("full");
      const auto result = child.variable("REFUSES", refusal(name, from)).run({"cuda", "5"});
      ASSERT_EQ(result.status, 0) << name << result.error;
      const auto& s = result.spool();
      EXPECT_THAT(s.calls, SizeIs(5)) << name;
      EXPECT_THAT(s.kernels, SizeIs(5)) << name;
      for (const auto& sample : s.counter_samples) EXPECT_EQ(sample.values[0], 0.5) << name;
    }
    TracedChild child("full");
    const auto result = child.variable("LACKS", name).run({"cuda", "5"});
    ASSERT_EQ(result.status, 0) << name << result.error;
    EXPECT_THAT(result.spool().kernels, SizeIs(5)) << name;
    EXPECT_THAT(result.spool().counter_samples, IsEmpty()) << name;
    EXPECT_THAT(result.spool().note_codes(), Contains("counters-refused")) << name;
  }
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
