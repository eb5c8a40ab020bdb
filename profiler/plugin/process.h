#pragma once

#include "profiler/spool/writer.h"

namespace rnnadvisor::plugin {

// Into the head of its spool: what runs here, which rank of how many it is, and the variables that
// decide about cuDNN's RNNs.
void describe_process(spool::Writer& writer);

}  // namespace rnnadvisor::plugin
