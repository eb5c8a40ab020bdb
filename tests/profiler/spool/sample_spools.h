// A spool with a record of every type: one process of a PyTorch program that runs a half-precision
// LSTM forward and backward on one GPU.
#pragma once

#include "tests/profiler/spool/spool_writer.h"

namespace rnnadvisor::spool {

// An LSTM in training with everything known; lengths equal.
inline Configuration sample_configuration(std::uint32_t id) {
  Configuration c{};
  c.id = id;
  c.algo = 0;
  c.cell = 2;       // CUDNN_LSTM
  c.bias = 2;       // CUDNN_RNN_DOUBLE_BIAS
  c.data_type = 2;  // CUDNN_DATA_HALF
  c.math_type = 1;  // CUDNN_TENSOR_OP_MATH
  c.input_size = 256;
  c.hidden_size = 512;
  c.projection_size = 512;
  c.layers = 2;
  c.aux_flags = 1;
  c.max_seq_length = 4;
  c.batch = 3;
  c.vector_size = 256;
  c.x_data_type = 2;
  c.training = 1;
  c.known = known_descriptor | known_data | known_clip | known_dropout | known_lengths;
  return c;
}

inline Call sample_call(std::uint64_t id, Entry entry, std::int64_t start_ns, std::int64_t end_ns) {
  Call c{};
  c.id = id;
  c.start_ns = start_ns;
  c.end_ns = end_ns;
  c.entry = entry;
  c.configuration = 1;
  c.thread = 100;
  c.stream = 0x55550000;
  c.weight_bytes = 4096;
  c.workspace_bytes = 1024;
  c.reserve_bytes = 2048;
  c.reserve_address = 0x7000'0000;
  c.library = 1;
  c.training = 1;
  for (auto& alignment : c.alignment) alignment = 255;
  c.alignment[static_cast<std::size_t>(Pointer::x)] = 9;
  c.alignment[static_cast<std::size_t>(Pointer::weights)] = 4;
  return c;
}

inline Device sample_device(std::int32_t ordinal, std::uint8_t uuid) {
  Device d{};
  d.ordinal = ordinal;
  d.major = 9;
  d.multiprocessors = 132;
  d.memory_bytes = 150'000'000'000;
  d.l2_bytes = 50 << 20;
  d.uuid[15] = uuid;
  std::strcpy(d.name, "NVIDIA H200");
  return d;
}

inline SpoolWriter sample_spool() {
  SpoolWriter w;
  w.header.rank = 1;
  w.header.local_rank = 0;
  w.header.mode = w.header.asked_mode = Mode::full;
  w.header.calls = 3;
  w.header.entries[static_cast<std::size_t>(Entry::forward)] = 1;
  w.header.entries[static_cast<std::size_t>(Entry::backward_data)] = 1;
  w.header.entries[static_cast<std::size_t>(Entry::backward_weights)] = 1;
  w.add(sample_device(0, 7));
  Library cudnn{};
  cudnn.kind = LibraryKind::cudnn;
  cudnn.index = 1;
  cudnn.version = 91900;
  cudnn.path = w.text("/opt/lib/libcudnn.so.9");
  w.add(cudnn);
  Library torch{};
  torch.kind = LibraryKind::framework;
  torch.path = w.text("/opt/site-packages/torch/lib/libtorch_cuda.so");
  w.add(torch);
  Environment variable{};
  variable.name = w.text("CUBLAS_WORKSPACE_CONFIG");
  variable.value = w.text(":4096:8");
  w.add(variable);
  w.add_configuration(sample_configuration(1));
  CallSite site{};
  site.id = 1;
  site.file = w.text("train.py");
  site.function = w.text("step");
  site.line = 31;
  site.framework_file = w.text("/opt/site-packages/torch/nn/modules/rnn.py");
  site.framework_function = w.text("forward");
  site.framework_line = 1100;
  w.add(site);
  ThreadName thread{};
  thread.thread = 100;
  thread.name = w.text("main");
  w.add(thread);
  ResourceName resource{};
  resource.resource = Resource::stream;
  resource.stream = 7;
  resource.name = w.text("compute");
  w.add(resource);

  Nvtx range{};
  range.time_ns = 9'000;
  range.thread = 100;
  range.name = w.text("step 1");
  range.domain = w.text("train");
  range.category = w.text("loop");
  range.color = 0xff00ff00;
  range.payload_type = Payload::signed64;
  range.payload = static_cast<std::uint64_t>(std::int64_t{-5});
  w.add(range, Type::nvtx_push, {});
  Nvtx started = range;
  started.range = 77;
  started.name = w.text("epoch");
  w.add(started, Type::nvtx_start, {});

  Call forward = sample_call(1, Entry::forward, 10'000, 12'000);
  forward.call_site = 1;
  w.add(forward);
  Call backward = sample_call(2, Entry::backward_data, 20'000, 22'000);
  backward.thread = 101;
  w.add(backward);
  Call weights = sample_call(3, Entry::backward_weights, 30'000, 32'000);
  weights.thread = 101;
  w.add(weights);

  const auto kernel = [&](std::int64_t start, std::uint32_t correlation, std::string_view name) {
    Kernel k{};
    k.start_ns = start;
    k.end_ns = start + 500;
    k.name = w.text(name);
    k.correlation = correlation;
    k.stream = 7;
    k.context = 1;
    k.registers = 64;
    for (int i = 0; i < 3; ++i) k.grid[i] = k.block[i] = i + 1;
    return k;
  };
  const auto launch = [&](std::uint32_t correlation, std::uint64_t call) {
    CorrelationRange launched{};
    launched.call = call;
    launched.first = correlation - 1;
    launched.last = correlation + 1;
    launched.stream = 7;
    launched.thread = call == 1 ? 100 : 101;
    w.add(launched);
  };
  launch(11, 1);
  w.add(kernel(11'000, 11, "elemWiseRNNcell"));
  launch(21, 2);
  w.add(kernel(21'000, 21, "LSTM_elementWise_bp1"));
  w.add(kernel(33'000, 99, "another_librarys_kernel"));
  GraphNode node{};
  node.node = 500;
  node.call = 3;
  w.add(node);
  Kernel replay = kernel(40'000, 98, "elemWiseRNNcell");
  replay.graph_node = 500;
  w.add(replay);
  Transfer copy{};
  copy.start_ns = 10'100;
  copy.end_ns = 10'200;
  copy.bytes = 4096;
  copy.correlation = 11;
  copy.stream = 7;
  copy.copy_kind = 1;
  w.add(copy);
  Api api{};
  api.start_ns = 10'500;
  api.end_ns = 10'600;
  api.name = w.text("cudaLaunchKernel");
  api.correlation = 11;
  api.thread = 100;
  w.add(api);
  Memory memory{};
  memory.time_ns = 9'500;
  memory.address = 0x7000'0000;
  memory.bytes = 2048;
  w.add(memory);
  CallTime time{};
  time.call = 1;
  time.device_ns = 1'500;
  w.add(time);

  Nvtx mark = range;
  mark.time_ns = 15'000;
  mark.name = w.text("checkpoint");
  mark.payload_type = Payload::none;
  w.add(mark, Type::nvtx_mark, {});
  NvtxPop pop{};
  pop.time_ns = 50'000;
  pop.thread = 100;
  pop.domain = range.domain;
  w.add(pop);
  Nvtx ended{};
  ended.time_ns = 60'000;
  ended.range = 77;
  ended.thread = 101;
  w.add(ended, Type::nvtx_end, {});
  Note note{};
  note.time_ns = 8'000;
  note.code = w.text("call-sites-off");
  note.text = w.text("no Python interpreter is in the process");
  w.add(note);
  Overhead overhead{};
  overhead.start_ns = 41'000;
  overhead.end_ns = 42'000;
  overhead.kind = w.text("buffer flush");
  w.add(overhead);
  return w;
}

}  // namespace rnnadvisor::spool
