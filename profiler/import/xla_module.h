// The calls of cuDNN's RNN functions in a compiled program of XLA: the custom calls that
// jax.experimental.rnn makes, with what they are given. Field numbers: xla/service/hlo.proto and
// xla/xla_data.proto of github.com/openxla/xla; what is in a call's `opaque` attribute:
// RnnDescriptor in jaxlib/gpu/rnn_kernels.h of github.com/jax-ml/jax.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/protobuf_wire.h"
#include "core/config/rnn_config.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor::import_trace {

struct XlaRnnCall {
  std::string module, name;   // "jit_train", "rnn_fwd.6": hlo_module and hlo_op of its kernels
  std::uint64_t program = 0;  // 0: not known. Programs that were compiled again share their name
  bool forward = true;
  // Nothing: the attribute is not there, or none that cuDNN takes.
  std::optional<RnnConfig> config;
  bool lengths_known = false;  // of the sequences: they are a constant of the program
  std::int64_t workspace_bytes = -1, reserve_bytes = -1;
  CallRecord::Frame site;  // the line of the program that called rnn.lstm()
};

// Of the bytes of an RnnDescriptor; jaxlib 0.4.16 and before had sizes of 32 bits in it. Not
// in it: the lengths of the sequences, which are data.
bool read_rnn_descriptor(std::string_view bytes, XlaRnnCall& call);

// Appends those of an HloProto, but for `program`. Bytes that are none have no such calls.
void read_xla_module(FileBytes& file, const WireField& hlo, std::vector<XlaRnnCall>& calls);

}  // namespace rnnadvisor::import_trace
