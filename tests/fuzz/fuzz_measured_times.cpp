// Any bytes as a file of measured times: an answer, never a crash; what is accepted can be
// predicted from.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "core/device/measured_times.h"
#include "core/model/time_model.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto times = read_measured_times(text, "fuzz.times.jsonl");
  if (!times) {
    require(!times.error().message.empty() && times.error().where.has_value());
    return 0;
  }
  require(!times->device.empty());
  const auto again = read_measured_times(write_measured_times(*times), "again");
  require(again && again->rows.size() == times->rows.size());
  static const DeviceSpec device = *find_device("nvidia-h200");
  constexpr std::size_t enough = 200;  // a fit takes the cube of them
  if (times->rows.size() > enough) times->rows.resize(enough);
  const model::TimeModel model(std::move(*times), device);
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  for (const Phase phase : all_phases) {
    if (const auto predicted = model.predict(config, phase)) {
      require(std::isfinite(predicted->seconds) && predicted->seconds > 0);
      require(predicted->low_seconds <= predicted->seconds);
      require(predicted->high_seconds >= predicted->seconds);
    }
  }
  return 0;
}
