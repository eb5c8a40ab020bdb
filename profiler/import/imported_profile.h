// What every importer writes into: a ProfileBuilder with what the files of other tools have in
// common. Each configuration is held once; devices get the values of their shipped descriptions;
// what a profile cannot hold (profiler/profile/plausible.h) is left out and counted; finish()
// infers the rest, as for a recording of rnnadvisor's own. Values that a file does not have stay
// unknown. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/configuration_table.h"
#include "profiler/profile/plausible.h"
#include "profiler/profile/recorder.h"

namespace rnnadvisor::import_trace {

struct ImportOptions {
  // Asked now and then, on the calling thread, with the share of the file that was read. An answer
  // of false ends importing with ErrorCode::interrupted.
  std::function<bool(double)> keep_going;
  // The GPU of a file that does not name one (cuDNN's log).
  std::optional<DeviceSpec> device;
};

class ImportedProfile {
 public:
  explicit ImportedProfile(Recorder recorder) : recorder_(recorder) {}

  const DeviceSpec& device(int index) const {
    return builder_.profile().devices[static_cast<std::size_t>(index)];
  }
  Process& process(int index) {
    return builder_.profile().processes[static_cast<std::size_t>(index)];
  }
  Environment& environment() { return builder_.profile().environment; }

  // The index in the profile. `key` tells which GPU it is ("host/0", a UUID): two of one kind are
  // two devices. `known` is what the file knows of it, its name at least.
  int add_device(const std::string& key, DeviceSpec known);
  // The index in the profile; `mode` is set here.
  int add_process(Process process);

  // One call. `config` is what its descriptors say, with the algorithm of this call in `algo`; null
  // where the file does not tell. `record.call` has process, device, phase, interval and status;
  // for a backward call `forward` is the index of its forward call, if that is known: both are then
  // one configuration where they agree. The index in the profile, or -1: it was left out because
  // its times cannot be.
  struct Call {
    CallRecord record;
    const RnnConfig* config = nullptr;
    ProgramContext program;
    bool device_lengths = false;  // devSeqLengths was passed
  };
  int add_call(Call call);
  // The call begins a step of the program.
  void begins_step(int call) {
    builder_.profile().calls[static_cast<std::size_t>(call)].begins_step = true;
  }
  // A stage that cuDNN refused before anything was executed.
  // The index of its configuration.
  int refuse(const RnnConfig& config, const ProgramContext& program, int device, model::Stage stage,
             int status, const std::string& reason);
  void add_setup(const SetupRecord& record);

  // Records of `call` below zero are attributed by their correlation id.
  void add(const KernelRecord& record);
  void add(const TransferRecord& record);
  void add(const ApiRecord& record);
  void add(const NvtxRecord& record);
  void add(const OverheadRecord& record);
  void add(const AllocationRecord& record);
  void attribute(std::int64_t correlation, int call, int process) {
    builder_.attribute(correlation, call, process);
  }
  void add_thread_name(int process, std::int64_t thread, std::string_view name) {
    builder_.add_thread_name(process, thread, name);
  }

  void add_stream_name(int process, int device, int stream, std::string_view name) {
    builder_.add_resource_name(process, device, stream, name);
  }

  // `code`: stable, as in "trace-cut-off". A count below one adds nothing.
  void note(NoteSeverity severity, std::string code, std::string text, std::int64_t count = 1);

  void note(Note note) { builder_.add_note(std::move(note)); }

  // `how_to_know`: how to record so that the configurations of calls are known, for the note that
  // kernels ran and no call was recorded.
  Profile finish(std::string_view how_to_know);

 private:
  struct Key {
    RnnConfig config;  // without lengths, which change with every batch
    ProgramContext program;
    int device = -1;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  int configuration_of(const RnnConfig& config, const ProgramContext& program, int device);
  // Of a backward call whose forward call is known.
  int configuration_behind(int forward, const RnnConfig& config, const ProgramContext& program,
                           int device);

  Recorder recorder_;
  ProfileBuilder builder_;
  ConfigurationTable configurations_{builder_, Origin::imported};
  Plausible plausible_;
  std::unordered_map<Key, int, KeyHash> known_;
  std::unordered_map<std::string, int> devices_;
  std::vector<int> calls_of_process_;  // by process
  bool kernels_ = false;
};

}  // namespace rnnadvisor::import_trace
