// Makes ranges of NVTX's pushes and pops, starts and ends. Collects the events of one process in
// any order; finish() pairs them.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/profile/builder.h"
#include "profiler/profile/plausible.h"
#include "profiler/spool/reader.h"

namespace rnnadvisor::launch {

class NvtxMatcher {
 public:
  void add(spool::Type type, const spool::Nvtx& event);  // push, start, end or mark
  void add(const spool::NvtxPop& event);

  // Adds every range and mark to the builder. Ranges that were never ended end at `end_ns`; returns
  // how many. A pop or end without a beginning, as at the edge of a capture range, is passed over.
  std::int64_t finish(const spool::Tables& tables, int process, std::int64_t end_ns,
                      Plausible& plausible, ProfileBuilder& builder);

 private:
  struct Event {
    spool::Type type;
    spool::Nvtx data;
  };
  std::vector<Event> events_;
};

}  // namespace rnnadvisor::launch
