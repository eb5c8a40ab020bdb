// Small profiles for tests of the timeline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/timeline/track.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor::gui::timeline {

// A builder with one process and one call of an LSTM, whose kernels have correlation ids 1 to 9.
class SmallProfile {
 public:
  SmallProfile() {
    DeviceSpec device;
    device.id = "test";
    device.name = "Test GPU";
    builder.add_device(device);
    Process of;
    of.pid = 42;
    of.host = "here";
    of.start_ns = 0;
    process = builder.add_process(of);
    Configuration configuration;
    configuration.config.cell = Cell::lstm;
    configuration.config.num_layers = 2;
    configuration.config.hidden_size = 1024;
    configuration.config.data_type = DataType::half;
    configuration.config.batch_size = 64;
    configuration.config.seq_length = 128;
    configuration.origin = Origin::captured;
    builder.add_configuration(configuration);
  }

  int call(std::int64_t start, std::int64_t end, int thread = 7) {
    RnnCall made;
    made.configuration = 0;
    made.process = process;
    made.thread = thread;
    made.host_start_ns = start;
    made.host_end_ns = end;
    return builder.add_call(made);
  }
  void kernel(std::int64_t start, std::int64_t end, const std::string& name, int stream = 3,
              int call = -1, std::int64_t correlation = 0) {
    KernelRecord record;
    record.start_ns = start;
    record.end_ns = end;
    record.name = name;
    record.stream = stream;
    record.call = call;
    record.process = process;
    record.correlation = correlation;
    builder.add_kernel(record);
  }
  void api(std::int64_t start, std::int64_t end, const std::string& name,
           std::int64_t correlation = 0, int thread = 7) {
    ApiRecord record;
    record.start_ns = start;
    record.end_ns = end;
    record.name = name;
    record.correlation = correlation;
    record.thread = thread;
    record.process = process;
    builder.add_api(record);
  }
  void nvtx(std::int64_t start, std::int64_t end, const std::string& name, int color = 0,
            int thread = 7) {
    NvtxRecord record;
    record.start_ns = start;
    record.end_ns = end;
    record.name = name;
    record.color = color;
    record.thread = thread;
    record.process = process;
    builder.add_nvtx(record);
  }
  void copy(std::int64_t start, std::int64_t end, int kind, std::int64_t bytes) {
    TransferRecord record;
    record.start_ns = start;
    record.end_ns = end;
    record.kind = kind;
    record.bytes = bytes;
    record.stream = 3;
    record.process = process;
    builder.add_transfer(record);
  }
  void allocate(std::int64_t time, std::int64_t bytes, bool release = false) {
    AllocationRecord record;
    record.time_ns = time;
    record.bytes = bytes;
    record.release = release;
    record.process = process;
    builder.add_allocation(record);
  }
  std::shared_ptr<const Profile> finish() {
    return std::make_shared<const Profile>(builder.finish());
  }

  ProfileBuilder builder;
  int process = 0;
};

// 0: the device, 1: the process, 2 and on: streams 0, 1, …, but those left out.
inline std::shared_ptr<const Timeline> timeline_of_streams(int count, int without = -1) {
  SmallProfile p;
  for (int i = 0; i < count; ++i) {
    if (i != without) p.kernel(i * 10, i * 10 + 5, "k", i);
  }
  return build_timeline(p.finish());
}

}  // namespace rnnadvisor::gui::timeline
