// ProfileBuilder: collects records in any order and makes a Profile of them: interns strings, sorts
// by start, attributes records to calls by correlation id, nests NVTX ranges, merges profiles of
// other processes. Not thread-safe.
//
// Every record names its process by the index that add_process() gave; -1, the default, is one
// process of which nothing is known.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/columns.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// A call with the texts and arguments that profiles keep apart from it.
struct CallRecord {
  RnnCall call;  // add_call() sets its indices reason, arguments, site and nvtx_path
  std::string reason;
  std::string nvtx_path;  // empty: finish() takes it from the NVTX ranges of the call's thread
  struct Frame {
    std::string file, function;  // no file: not known
    int line = 0;
  };
  Frame site, inner;  // the program's line that led to it, and the framework's innermost
  std::optional<CallArguments> arguments;
};
struct SetupRecord {
  SetupCall call;  // add_setup() sets its indices function and reason
  std::string function, reason;
};
struct KernelRecord {
  std::int64_t start_ns = 0, end_ns = 0, correlation = 0;
  std::string name;  // mangled or not
  int call = -1, device = 0, stream = 0, process = -1;
  std::array<int, 3> grid{}, block{};
  int registers = 0;
  std::int64_t shared_static = 0, shared_dynamic = 0;
};
struct TransferRecord {
  std::int64_t start_ns = 0, end_ns = 0, bytes = 0, correlation = 0;
  MemoryOperation operation = MemoryOperation::copy;
  int kind = 0, call = -1, device = 0, stream = 0, process = -1;
};
struct ApiRecord {
  std::int64_t start_ns = 0, end_ns = 0, correlation = 0, thread = 0;
  std::string name;
  bool driver = false;
  int result = 0, call = -1, process = -1;
};
struct AllocationRecord {
  std::int64_t time_ns = 0, bytes = 0, address = 0;
  bool release = false;
  int device = 0, process = -1;
  std::int64_t correlation = 0;
  int call = -1;
};
struct NvtxRecord {
  std::int64_t start_ns = 0, end_ns = 0, thread = 0;
  std::string name, domain;
  int color = 0, process = -1;
  std::string category;  // empty: none
  NvtxPayload payload;
};
struct OverheadRecord {
  std::int64_t start_ns = 0, end_ns = 0;
  std::string kind;
  int process = -1;
};

struct CounterRecord {
  std::int64_t start_ns = 0, end_ns = 0;
  int device = 0, process = -1;
  std::string metric;
  double value = 0;
};

class ProfileBuilder {
 public:
  Profile& profile() { return profile_; }  // for the parts that need no bookkeeping
  const Profile& profile() const { return profile_; }

  int add_device(const DeviceSpec& device);  // returns its index; equal ones are added once
  int add_configuration(Configuration configuration);
  // Returns its index. A process that can be told from others (Process::identified) is added once:
  // what the one that is there does not know is taken from this one, and the later end counts.
  int add_process(const Process& process);
  int add_call(const RnnCall& call);
  int add_call(const CallRecord& record);
  void add_setup(const SetupRecord& record);
  void add_kernel(const KernelRecord& record);
  void add_transfer(const TransferRecord& record);
  void add_api(const ApiRecord& record);
  void add_allocation(const AllocationRecord& record);
  void add_nvtx(const NvtxRecord& record);
  void add_overhead(const OverheadRecord& record);
  void add_counter(const CounterRecord& record);
  void add_thread_name(int process, std::int64_t thread, std::string_view name);  // the last counts
  // Of a GPU, or with `stream` of one of its streams; the last counts.
  void add_resource_name(int process, int device, int stream, std::string_view name);
  void add_note(Note note);  // notes of equal code, text and severity are added up

  // Kernels, transfers, API and memory records with this correlation id belong to `call` (index of
  // add_call), within one process. The last word counts. A record that names its call itself keeps
  // it.
  void attribute(std::int64_t correlation, int call, int process = -1);
  // Kernels with this correlation id are trials of a search for an algorithm: of no call, and with
  // KernelRole::algorithm_search.
  void attribute_search(std::int64_t correlation, int process = -1);

  // Takes everything of another profile into this one; indices and string ids are renumbered.
  // Processes are added as by add_process(): one that looks like others is never taken for
  // one that is there already, because correlation ids of different processes must not meet. The
  // environment is kept from the first profile that has one; clocks are added up: the first "start"
  // and the last "end" of every device stay.
  void append(const Profile& other);

  // Sorts, attributes, classifies kernels (profiler/classify, gemm_roles.h), computes NVTX depths
  // and the NVTX paths of calls that have none, and mends what a trace can leave behind, with a
  // note: intervals that end before they begin, device and process indices that name none. The
  // builder is empty afterwards.
  Profile finish();

 private:
  static constexpr int search_call = -2;
  struct Attribution {
    int process, call;
    std::int64_t correlation;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using TextIndex = std::unordered_map<std::string, int, TextHash, std::equal_to<>>;

  int intern(std::string_view text);
  int intern_kernel(std::string_view name);
  int intern_optional(std::string_view text) { return text.empty() ? -1 : intern(text); }
  int add_arguments(const CallArguments& arguments);
  int add_site(const CallSite& site);
  int add_frame(const CallRecord::Frame& frame, int inner);
  template <class Table, class Record, class Intern>
  void add_record(const Table& table, const Record& record, const Intern& intern);
  // Where what another profile names is in this one: for every target its ids.
  struct Renumbering {
    std::array<std::vector<int>, columns::target_names.size()> ids;
    auto& operator[](columns::Target target) { return ids[static_cast<std::size_t>(target)]; }
    const auto& operator[](columns::Target target) const {
      return ids[static_cast<std::size_t>(target)];
    }
    int of(columns::Target target, int id) const;  // -1: none
  };
  template <class Table>
  void append_rows(const Table& table, const Profile& other, const Renumbering& now);
  void append_environment(const Environment& other, const Renumbering& now);
  void append_figure(const Figure& figure);
  std::int64_t mend_intervals();
  void mend_ids();
  void attribute_records();
  void mend_configurations();
  void sort_records();
  void classify_kernels();
  void name_nvtx_paths();

  Profile profile_;
  TextIndex strings_;
  TextIndex mangled_;  // mangled kernel name -> its demangled string
  std::map<CallArguments, int> arguments_;
  std::map<CallSite, int> sites_;
  std::vector<Attribution> attributions_;
  std::vector<char> searches_;  // of each kernel: it is known as a trial of a search
};

}  // namespace rnnadvisor
