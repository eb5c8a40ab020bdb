// What one record of cuDNN's log says of its layer, in the words of a configuration.
#pragma once

#include "core/base/result.h"
#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"
#include "profiler/import/cudnn_log_records.h"
#include "profiler/profile/call.h"
#include "profiler/profile/refused_descriptor.h"

namespace rnnadvisor::import_trace {

// Of a call with an RNN descriptor and an RNN data descriptor for x. An error says what is missing
// or has no word in rnnadvisor. Lengths that the log does not have in full count as not known:
// `lengths_cut`.
struct LoggedConfig {
  RnnConfig config;
  bool lengths_cut = false;
};
Result<LoggedConfig> config_of(const LogRecord& record);

// Of cudnnSetRNNDescriptor_v8 or cudnnSetRNNDataDescriptor.
AskedDescriptor asked_of(const LogRecord& record);

// Alignment of every address, and whether the states are packed.
CallArguments arguments_of(const LogRecord& record);

// The GPU of the call's handle; no name: the record has none.
DeviceSpec device_of(const LogRecord& record);

}  // namespace rnnadvisor::import_trace
