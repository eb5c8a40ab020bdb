// One spool of a process becomes part of a profile.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/launch/algorithm_choice.h"
#include "profiler/launch/correlation_ranges.h"
#include "profiler/launch/counter_samples.h"
#include "profiler/launch/device_table.h"
#include "profiler/launch/framework_library.h"
#include "profiler/launch/nvtx_matcher.h"
#include "profiler/launch/whole_step.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/configuration_table.h"
#include "profiler/profile/plausible.h"
#include "profiler/profile/refused_descriptor.h"
#include "profiler/spool/reader.h"

namespace rnnadvisor::launch {

// What the spools of one collection share.
struct Collection {
  ProfileBuilder builder;
  DeviceTable devices{builder};
  ConfigurationTable configurations{builder};
  Plausible plausible;
  std::vector<AlgorithmChoice> choices;
  std::vector<WholeStep> steps;
  std::optional<std::int64_t> since_ns;     // what began before is not wanted
  const std::atomic<bool>* stop = nullptr;  // set: the user wants no more
  bool stopped() const { return stop != nullptr && stop->load(); }
};

// Reads the spool three times: what records refer to, then what is little (calls, devices, ranges),
// then what is much (kernels, transfers, API calls). Not for several threads.
class ProcessSpool {
 public:
  ProcessSpool(spool::Reader& reader, Collection& collection)
      : reader_(reader), collection_(collection), builder_(collection.builder) {}

  // `process` as far as it is known without the records. False: stopped.
  bool add(Process process);

  int process() const { return process_; }
  std::int64_t executions() const { return executions_; }  // recorded
  bool traced() const { return kernels_ > 0; }
  bool counted() const { return !counters_.empty(); }  // hardware counters were sampled
  // What the environment of a profile names.
  const std::map<std::string, std::string>& versions() const { return versions_; }
  const spool::Library* cudnn() const { return cudnn_ ? &*cudnn_ : nullptr; }
  const spool::Library* cupti() const { return cupti_ ? &*cupti_ : nullptr; }
  const std::string& text(std::uint32_t id) const { return tables_.text(id); }

 private:
  struct ConfigurationKey {
    std::uint32_t configuration;
    int device;
    std::optional<Framework> framework;
    auto operator<=>(const ConfigurationKey&) const = default;
  };
  struct KnownConfiguration {
    int index = -1;
    std::vector<int> own_lengths;
  };
  struct GraphLaunch {
    std::int64_t start_ns, end_ns, thread;
  };

  bool read_little();
  bool read_much();
  void take_call(const spool::Call& call);
  void take_library(const spool::Library& library);
  void take_variable(const spool::Environment& variable);
  void describe(Process& process) const;
  std::optional<FrameworkLibrary> framework_of_call(const spool::Call& call);
  std::optional<KerasBackend> keras_backend() const;  // nothing: several frameworks are loaded
  const std::string* variable(std::string_view name) const;
  // Keras in place of TensorFlow where it is loaded: TensorFlow's recurrent layers are Keras's.
  FrameworkLibrary with_keras(const FrameworkLibrary& framework) const;
  ProgramContext context_of(const spool::Call& call, const RnnConfig& config);
  std::optional<RnnConfig> describe_call(const spool::Call& call);
  const KnownConfiguration& configuration_of(const spool::Call& call, int device);
  // Of a backward call whose forward call, an index into Profile::calls, is known.
  const KnownConfiguration& configuration_behind(const spool::Call& call, int device, int forward);

  void add_calls();
  void add_execution(const spool::Call& call);
  void add_setup(const spool::Call& call);
  void add_searches();
  void add_choices();
  int forward_of(const spool::Call& call) const;
  void take_site_of(int forward, CallRecord& record) const;
  void add_kernel(const spool::Kernel& kernel);
  void add_transfer(const spool::Transfer& transfer);
  void add_api(const spool::Api& api);
  void add_memory(const spool::Memory& memory);
  SetupRecord setup_record(const spool::Call& call) const;
  void note_refused(const SetupRecord& record, const spool::Configuration& asked);
  int captured_call(std::uint64_t node) const;
  int replayed_call(std::uint64_t node, std::uint32_t correlation, std::int64_t start_ns);
  void attribute_launches();
  void time_replays();
  void add_thread_names();
  void add_resource_names();
  void add_notes();
  void note(NoteSeverity severity, std::string code, std::string text, std::int64_t count = 1);
  int device_of(std::int64_t ordinal) const;
  void see(std::int64_t time_ns);

  spool::Reader& reader_;
  Collection& collection_;
  ProfileBuilder& builder_;
  spool::Tables tables_;
  int process_ = -1;
  std::int64_t last_ns_ = 0, executions_ = 0, untraced_ = 0, kernels_ = 0, earlier_ = 0;

  std::vector<spool::Call> calls_;
  std::unordered_map<std::uint64_t, std::int64_t> device_times_;  // by call
  std::unordered_map<std::uint64_t, std::int64_t> step_times_;    // by the call that began the step
  std::vector<spool::CorrelationRange> ranges_of_calls_;
  CorrelationRanges ranges_;
  std::map<std::int64_t, int> devices_;  // by ordinal
  std::unordered_map<std::uint64_t, spool::GraphNode> nodes_;
  std::vector<spool::Note> notes_;
  std::map<std::uint32_t, spool::Acceleration> accelerations_;  // by id: the last counts
  std::map<std::uint32_t, spool::StepBlock> step_blocks_;       // by number: the last counts
  std::map<std::uint32_t, std::uint32_t> thread_names_;  // strings, by thread: the last counts
  // By what is named: device and, of a stream, its number; the last counts.
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> resource_names_;
  // In ranges_, in place of a call: of one that searches, and of one outside what was to be
  // recorded.
  static constexpr int of_a_search = -2, of_an_outsider = -3;
  std::set<std::uint64_t> searches_;  // for an algorithm, by the spool's id of the call
  DescriptorRefusals refusals_;
  NvtxMatcher nvtx_;
  CounterSamples counters_;
  std::map<std::string, std::string> versions_;
  std::vector<std::pair<std::string, std::string>> variables_;
  std::set<std::uint32_t>
      variable_names_;  // strings: of two values of one variable the first counts
  std::optional<spool::Library> cudnn_, cupti_;
  std::vector<FrameworkLibrary> frameworks_;
  std::vector<std::string> keras_imports_;  // libraries of packages that Keras imports
  std::map<std::uint32_t, std::optional<FrameworkLibrary>> framework_files_;  // by string

  std::map<ConfigurationKey, KnownConfiguration> configurations_;
  // Of backward calls, by the spool's configuration and that of their forward call.
  struct KnownBehind {
    KnownConfiguration configuration;
    bool joined = false;
  };
  std::map<std::pair<std::uint32_t, int>, KnownBehind> behind_;
  std::unordered_map<std::uint64_t, int> call_index_;     // by the spool's id
  std::set<int> captured_;                                // calls that a graph may replay
  std::unordered_map<std::uint64_t, int> last_forward_;   // by reserve address
  std::map<std::pair<std::uint32_t, int>, int> replays_;  // by launch and captured call
  std::unordered_map<std::uint32_t, GraphLaunch> graph_launches_;
};

}  // namespace rnnadvisor::launch
