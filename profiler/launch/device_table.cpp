#include "profiler/launch/device_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/text.h"
#include "core/cudnn/driver.h"

namespace rnnadvisor::launch {
namespace {

bool has_uuid(const spool::Device& device) {
  return std::any_of(std::begin(device.uuid), std::end(device.uuid), [](auto b) { return b != 0; });
}

DeviceSpec to_spec(const spool::Device& device) {
  // Nothing of a description that is not at least a plausible number.
  const auto positive = [](auto value) { return value > 0 ? value : 0; };
  DeviceSpec spec;
  spec.live = true;
  spec.name = to_valid_utf8({device.name, strnlen(device.name, sizeof device.name)});
  spec.compute_major = positive(device.major);
  spec.compute_minor = positive(device.minor);
  spec.sm_count = positive(device.multiprocessors);
  spec.boost_clock_hz = positive(device.sm_clock_khz) * 1e3;
  spec.l2_bytes = positive(device.l2_bytes);
  spec.memory_bytes = positive(static_cast<std::int64_t>(device.memory_bytes));
  spec.shared_memory_per_sm = device.shared_per_sm;
  spec.shared_memory_per_block = device.shared_per_block;
  spec.registers_per_sm = device.registers_per_sm;
  if (has_uuid(device)) spec.uuid = format_uuid(device.uuid);
  return with_shipped_values(spec);
}

}  // namespace

int DeviceTable::add(const spool::Device& device, const std::string& host) {
  std::string key;
  if (has_uuid(device)) {
    key = format_uuid(device.uuid);
  } else {
    key = fmt::format("{}/{}", host, device.ordinal);
  }
  auto& devices = builder_.profile().devices;
  const auto [entry, fresh] = known_.try_emplace(std::move(key), static_cast<int>(devices.size()));
  if (fresh) devices.push_back(to_spec(device));
  return entry->second;
}

}  // namespace rnnadvisor::launch
