// Choices between cuDNN algorithms that a launcher hands to the plugin in a file beside the spools
// (RNNADVISOR_ACCELERATE_PLAN names it): a header and `count` entries. Plain data of fixed layout.
#pragma once

#include <cstdint>

namespace rnnadvisor::spool {

inline constexpr std::uint64_t plan_magic = 0x314e414c504e52;  // "RNPLAN1"
inline constexpr std::uint32_t most_planned = 1024;
inline constexpr char plan_name[] = "choices.plan";

struct PlanHeader {
  std::uint64_t magic;
  std::uint32_t format;  // format_version: keys are of its records
  std::uint32_t count;
  std::uint64_t checksum;       // hash_bytes() of all that follows
  std::uint64_t cudnn_version;  // as cudnnGetVersion() has it
  char gpu[128];                // as cuDeviceGetName() has it; ends with 0
};
struct PlanEntry {
  std::uint64_t key;  // Acceleration::key
  std::int32_t algo;  // cudnnRNNAlgo_t
  std::uint32_t converts;
};

}  // namespace rnnadvisor::spool
