// ProfileBuilder: collects records in any order and makes a Profile of them: interns strings, sorts
// by start, attributes kernels and transfers to calls by correlation id, nests NVTX ranges, merges
// profiles of other processes. Not thread-safe.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

struct KernelRecord {
  std::int64_t start_ns = 0, end_ns = 0, correlation = 0;
  std::string name;  // mangled or not
  int call = -1, device = 0, stream = 0, process = 0;
  std::array<int, 3> grid{}, block{};
  int registers = 0;
  std::int64_t shared_static = 0, shared_dynamic = 0;
};
struct TransferRecord {
  std::int64_t start_ns = 0, end_ns = 0, bytes = 0, correlation = 0;
  MemoryOperation operation = MemoryOperation::copy;
  int kind = 0, call = -1, device = 0, stream = 0, process = 0;
};
struct ApiRecord {
  std::int64_t start_ns = 0, end_ns = 0, correlation = 0, thread = 0;
  std::string name;
  bool driver = false;
  int result = 0, call = -1, process = 0;
};
struct AllocationRecord {
  std::int64_t time_ns = 0, bytes = 0, address = 0;
  bool release = false;
  int device = 0, process = 0;
};
struct NvtxRecord {
  std::int64_t start_ns = 0, end_ns = 0, thread = 0;
  std::string name, domain;
  int color = 0, process = 0;
};
struct OverheadRecord {
  std::int64_t start_ns = 0, end_ns = 0;
  std::string kind;
};

class ProfileBuilder {
 public:
  Profile& profile() { return profile_; }  // for the parts that need no bookkeeping

  int add_device(const DeviceSpec& device);  // returns its index; equal devices are added once
  int add_configuration(Configuration configuration);
  int add_call(const RnnCall& call);
  void add_kernel(const KernelRecord& record);
  void add_transfer(const TransferRecord& record);
  void add_api(const ApiRecord& record);
  void add_allocation(const AllocationRecord& record);
  void add_nvtx(const NvtxRecord& record);
  void add_overhead(const OverheadRecord& record);
  void add_note(Note note);  // notes of equal code, text and severity are added up

  // Kernels, transfers and API records with this correlation id belong to `call` (index of
  // add_call), within one process. The last word counts. A record that names its call itself keeps
  // it.
  void attribute(std::int64_t correlation, int call, int process = 0);

  // Takes everything of another profile into this one; indices and string ids are renumbered. A
  // process id that both have gets a new number in the appended part, because correlation ids of
  // different processes must not meet. The environment is kept from the first profile that has one;
  // clocks are added up: the first "start" and the last "end" of every device stay.
  // Process ids that clash are renumbered, unless `same_processes`: parts of one run by one
  // program.
  void append(const Profile& other, bool same_processes = false);

  // Sorts, attributes, classifies kernels (profiler/classify, gemm_roles.h), computes NVTX depth
  // and mends what a trace can leave behind, with a note: intervals that end before they begin,
  // device indices that name no device. The builder is empty afterwards.
  Profile finish();

 private:
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
  void see_process(int process);
  void append_tables(const Profile& other, const std::vector<int>& strings,
                     const std::vector<int>& devices, int first_call, bool same_processes);

  Profile profile_;
  TextIndex strings_;
  TextIndex mangled_;  // mangled kernel name -> its demangled string
  std::vector<Attribution> attributions_;
  std::set<int> processes_;  // ids that records have used so far
  int last_process_ = -1;    // the newest of them: records come in long runs of one process
};

}  // namespace rnnadvisor
