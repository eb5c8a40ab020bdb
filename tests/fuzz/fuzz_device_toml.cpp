// Any bytes as a device description: an answer, never a crash; what is accepted can be judged with.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "advisor/judge/judge.h"
#include "core/device/device_spec.h"
#include "core/model/cost.h"
#include "core/model/eligibility.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void judge(const rnnadvisor::DeviceSpec& device) {
  using namespace rnnadvisor;
  RnnConfig config;
  config.data_type = DataType::half;
  for (const Algo algo :
       {Algo::persist_static, Algo::persist_dynamic, Algo::persist_static_small_h}) {
    config.algo = algo;
    const auto answer = model::why_not(config, device, algo);
    require(answer.clauses.size() <= model::clause_ids().size());
    if (answer.has_nearest) require(model::why_not(answer.nearest, device, algo).fast);
    require(!model::to_string(model::eligibility(config, device).implementation).empty());
  }
  for (const Phase phase : all_phases) {
    const auto bound = model::lower_bound(config, phase, device);
    require(std::isfinite(bound.bound_ms) && bound.bound_ms >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto device = rnnadvisor::read_device_toml(text, "fuzz.toml");
  if (device) {
    require(!device->id.empty() && device->sm_count > 0 && device->memory_bandwidth >= 0);
    judge(*device);
  } else {
    require(!device.error().message.empty() && !device.error().remedy.empty());
  }
  return 0;
}
