// ProfileBuilder: collects records in any order and makes a Profile of them: interns strings, sorts by start, attributes
// kernels and transfers to calls by correlation id, nests NVTX ranges, merges profiles of other processes. Not thread-safe.
#pragma once

#include <unordered_map>

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
  void add_note(Note note);  // notes of equal code and text are added up

  // Kernels, transfers and API records with this correlation id belong to `call` (index of add_call), within one process.
  void attribute(std::int64_t correlation, int call, int process = 0);

  // Takes everything of another profile into this one; indices and string ids are renumbered. The environment is kept from the first.
  void append(const Profile& other);

  // Sorts, attributes, classifies kernels (profiler/classify), computes NVTX depth. The builder is empty afterwards.
  Profile finish();

 private:
  int intern(std::string_view text);

  Profile profile_;
  std::unordered_map<std::string, int> strings_;
  std::unordered_map<std::int64_t, std::vector<std::pair<int, int>>> attribution_;  // correlation -> (process, call)
};

}  // namespace rnnadvisor
