// What cuDNN says in numbers, without its headers: enumerators, statuses, versions. The numbers are
// those of cudnn_graph_v9.h and cudnn_adv_v9.h, which a test holds them against; and statuses of 8.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/config/rnn_config.h"
#include "core/cudnn/status_name.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::launch {

// The configuration that cuDNN's getters described. `lengths` as Tables::Shape has them. An error
// says what is missing or what RnnConfig has no word for; clipping and dropout that could not be
// read back count as none.
Result<RnnConfig> to_config(const spool::Configuration& captured,
                            std::span<const std::int32_t> lengths);

// "lstm, standard, num_layers 2, hidden_size 2048, …": what is known of a descriptor that was
// refused; empty when that is nothing.
std::string describe_refused(const spool::Configuration& asked);

// Whether something went wrong inside, rather than was refused.
bool is_failure(int status);

// The function that a hook stood for: "cudnnBuildRNNDynamic".
std::string function_name(spool::Entry entry);

}  // namespace rnnadvisor::launch
