// What cuDNN says in numbers, without its headers: enumerators. The numbers are those of
// cudnn_graph_v9.h and cudnn_adv_v9.h, which a test holds them against.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/config/rnn_config.h"
#include "profiler/profile/cudnn_status.h"
#include "profiler/profile/refused_descriptor.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::launch {

// The configuration that cuDNN's getters described. `lengths` as Tables::Shape has them. An error
// says what is missing or what RnnConfig has no word for; clipping and dropout that could not be
// read back count as none.
Result<RnnConfig> to_config(const spool::Configuration& captured,
                            std::span<const std::int32_t> lengths);

// What is known of a descriptor that was refused.
AskedDescriptor asked_descriptor(const spool::Configuration& captured);

// The function that a hook stood for: "cudnnBuildRNNDynamic".
std::string function_name(spool::Entry entry);

}  // namespace rnnadvisor::launch
