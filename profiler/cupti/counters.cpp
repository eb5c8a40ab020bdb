#include "profiler/cupti/counters.h"

#include "profiler/cupti/cupti_api.h"

namespace rnnadvisor {
namespace {

constexpr int most_passes = 64;

}  // namespace

struct CounterSession::State {
  const CuptiApi* api = nullptr;
  std::vector<std::string> metrics;
  std::vector<const char*> metric_names;
  CUpti_Profiler_Host_Object* host = nullptr;
  CUpti_RangeProfiler_Object* target = nullptr;
  std::vector<std::uint8_t> availability, config, data;

  ~State() {
    if (target != nullptr) {
      CUpti_RangeProfiler_Disable_Params params{CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                                nullptr, target};
      api->cuptiRangeProfilerDisable(&params);
    }
    if (host != nullptr) {
      CUpti_Profiler_Host_Deinitialize_Params params{
          CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE, nullptr, host};
      api->cuptiProfilerHostDeinitialize(&params);
    }
  }
};

// Sets up a parameter struct, calls, and leaves the function with an Error when CUPTI refuses.
#define RNNADVISOR_CUPTI_CALL(api, function, params)                                     \
  if (const CUptiResult status_ = (api).function(&(params)); status_ != CUPTI_SUCCESS) { \
    return fail(cupti_error((api), status_, #function));                                 \
  }
#define RNNADVISOR_PARAMS(type, variable) \
  type variable{};                        \
  variable.structSize = type##_STRUCT_SIZE

CounterSession::CounterSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
CounterSession::~CounterSession() = default;

Result<std::unique_ptr<CounterSession>> CounterSession::create(int ordinal,
                                                               std::vector<std::string> metrics) {
  const auto loaded = CuptiApi::load();
  if (!loaded) return fail(loaded.error());
  const CuptiApi& api = **loaded;
  if (!api.has_range_profiler) {
    return fail(ErrorCode::unsupported,
                "this CUPTI has no Range Profiler API (it came with CUDA 12.6)",
                "use a newer CUPTI to read hardware counters");
  }
  auto state = std::make_unique<State>();
  state->api = &api;
  state->metrics = std::move(metrics);
  for (const auto& metric : state->metrics) state->metric_names.push_back(metric.c_str());

  RNNADVISOR_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  RNNADVISOR_CUPTI_CALL(api, cuptiProfilerInitialize, initialize);
  RNNADVISOR_PARAMS(CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  RNNADVISOR_CUPTI_CALL(api, cuptiDeviceGetChipName, chip);

  RNNADVISOR_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, availability);
  RNNADVISOR_CUPTI_CALL(api, cuptiProfilerGetCounterAvailability, availability);
  state->availability.resize(availability.counterAvailabilityImageSize);
  availability.pCounterAvailabilityImage = state->availability.data();
  RNNADVISOR_CUPTI_CALL(api, cuptiProfilerGetCounterAvailability, availability);

  RNNADVISOR_PARAMS(CUpti_Profiler_Host_Initialize_Params, host);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = state->availability.data();
  RNNADVISOR_CUPTI_CALL(api, cuptiProfilerHostInitialize, host);
  state->host = host.pHostObject;

  RNNADVISOR_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = state->host;
  add.ppMetricNames = state->metric_names.data();
  add.numMetrics = state->metric_names.size();
  RNNADVISOR_CUPTI_CALL(api, cuptiProfilerHostConfigAddMetrics, add);
  RNNADVISOR_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = state->host;
  RNNADVISOR_CUPTI_CALL(api, cuptiProfilerHostGetConfigImageSize, size);
  state->config.resize(size.configImageSize);
  RNNADVISOR_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = state->host;
  image.configImageSize = state->config.size();
  image.pConfigImage = state->config.data();
  RNNADVISOR_CUPTI_CALL(api, cuptiProfilerHostGetConfigImage, image);

  RNNADVISOR_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);  // ctx null: the current context
  RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerEnable, enable);
  state->target = enable.pRangeProfilerObject;

  RNNADVISOR_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, data_size);
  data_size.pRangeProfilerObject = state->target;
  data_size.pMetricNames = state->metric_names.data();
  data_size.numMetrics = state->metric_names.size();
  data_size.maxNumOfRanges = 1;
  data_size.maxNumRangeTreeNodes = 1;
  RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerGetCounterDataSize, data_size);
  state->data.resize(data_size.counterDataSize);
  return std::unique_ptr<CounterSession>(new CounterSession(std::move(state)));
}

Result<std::vector<double>> CounterSession::measure(const std::function<Result<void>()>& work) {
  State& s = *state_;
  const CuptiApi& api = *s.api;
  RNNADVISOR_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
  initialize.pRangeProfilerObject = s.target;
  initialize.counterDataSize = s.data.size();
  initialize.pCounterData = s.data.data();
  RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerCounterDataImageInitialize, initialize);

  RNNADVISOR_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config);
  config.pRangeProfilerObject = s.target;
  config.configSize = s.config.size();
  config.pConfig = s.config.data();
  config.counterDataImageSize = s.data.size();
  config.pCounterDataImage = s.data.data();
  config.range = CUPTI_UserRange;
  config.replayMode = CUPTI_UserReplay;  // `work` is a whole phase: we replay it, kernel by kernel
                                         // replay would cost far more
  config.maxRangesPerPass = 1;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.passIndex = 0;
  config.targetNestingLevel = 1;
  RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerSetConfig, config);

  bool all_submitted = false;
  for (int pass = 0; pass < most_passes && !all_submitted; ++pass) {
    RNNADVISOR_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = s.target;
    RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerStart, start);
    RNNADVISOR_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
    push.pRangeProfilerObject = s.target;
    push.pRangeName = "phase";
    RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerPushRange, push);
    const auto worked = work();
    RNNADVISOR_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
    pop.pRangeProfilerObject = s.target;
    RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerPopRange, pop);
    RNNADVISOR_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = s.target;
    RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerStop, stop);
    if (!worked) return fail(worked.error());
    all_submitted = stop.isAllPassSubmitted != 0;
  }
  if (!all_submitted)
    return fail(ErrorCode::cupti, "the counters did not get all their passes",
                "ask for fewer metrics");
  RNNADVISOR_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = s.target;
  RNNADVISOR_CUPTI_CALL(api, cuptiRangeProfilerDecodeData, decode);
  std::vector<double> values(s.metrics.size(), 0.0);
  RNNADVISOR_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
  evaluate.pHostObject = s.host;
  evaluate.pCounterDataImage = s.data.data();
  evaluate.counterDataImageSize = s.data.size();
  evaluate.rangeIndex = 0;
  evaluate.ppMetricNames = s.metric_names.data();
  evaluate.numMetrics = s.metric_names.size();
  evaluate.pMetricValues = values.data();
  RNNADVISOR_CUPTI_CALL(api, cuptiProfilerHostEvaluateToGpuValues, evaluate);
  return values;
}

#undef RNNADVISOR_CUPTI_CALL
#undef RNNADVISOR_PARAMS

}  // namespace rnnadvisor
