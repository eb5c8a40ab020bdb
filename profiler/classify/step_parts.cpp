#include "profiler/classify/step_parts.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "profiler/classify/work_between.h"

namespace rnnadvisor {
namespace {

// When the recurrences without cuDNN of one process ran on one device.
class Cells {
 public:
  Cells(int process, int device, std::span<const NativeRecurrence> recurrences) {
    for (const auto& each : recurrences)
      if (each.process == process && each.device == device)
        runs_.insert(runs_.end(), each.runs.begin(), each.runs.end());
    std::sort(runs_.begin(), runs_.end());
    // Runs of several streams may overlap.
    std::size_t last = 0;
    for (std::size_t i = 1; i < runs_.size(); ++i) {
      if (runs_[i].first <= runs_[last].second)
        runs_[last].second = std::max(runs_[last].second, runs_[i].second);
      else
        runs_[++last] = runs_[i];
    }
    if (!runs_.empty()) runs_.resize(last + 1);
  }
  bool hold(std::int64_t time) const {
    const auto after =
        std::upper_bound(runs_.begin(), runs_.end(), time,
                         [](auto value, const auto& run) { return value < run.first; });
    return after != runs_.begin() && time <= std::prev(after)->second;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> runs_;
};

}  // namespace

std::string_view to_string(StepPart part) {
  switch (part) {
    case StepPart::rnn_forward:
      return "RNN forward";
    case StepPart::rnn_backward:
      return "RNN backward";
    case StepPart::native_cells:
      return "cells without cuDNN";
    case StepPart::other_kernels:
      return "other kernels";
    case StepPart::transfers:
      return "copies";
  }
  return "";
}

CallTime& CallTimes::at(int call) {
  const auto place = static_cast<std::size_t>(call);
  if (place >= by_call_.size()) by_call_.resize(place + 1);
  return by_call_[place];
}

void CallTimes::add_work(const StepWork& work, double ns) {
  if (work.call >= 0) at(work.call).work_ns += ns;
}

void CallTimes::add_wait(const StepWork& after, double ns) {
  if (after.call >= 0) at(after.call).wait_ns += ns;
}

CallTime CallTimes::of(std::span<const int> calls) const {
  CallTime sum;
  for (const int call : calls) {
    const auto place = static_cast<std::size_t>(call);
    if (place >= by_call_.size()) continue;
    sum.work_ns += by_call_[place].work_ns;
    sum.wait_ns += by_call_[place].wait_ns;
  }
  return sum;
}

CallTime CallTimes::all() const {
  CallTime sum;
  for (const auto& each : by_call_) {
    sum.work_ns += each.work_ns;
    sum.wait_ns += each.wait_ns;
  }
  return sum;
}

std::vector<StepWork> step_work(const Profile& profile, int process, int device,
                                std::int64_t from_ns,
                                std::span<const NativeRecurrence> recurrences) {
  return work_between(profile, process, device, from_ns, std::numeric_limits<std::int64_t>::max(),
                      recurrences);
}

std::vector<StepWork> work_between(const Profile& profile, int process, int device,
                                   std::int64_t from_ns, std::int64_t to_ns,
                                   std::span<const NativeRecurrence> recurrences) {
  const Cells cells(process, device, recurrences);
  std::vector<StepWork> work;
  const auto add = [&](const auto& table, const auto& what) {
    for (std::size_t i = 0; i < table.size() && table.start_ns[i] < to_ns; ++i) {
      if (table.device[i] != device || table.process[i] != process || table.start_ns[i] < from_ns)
        continue;
      auto& made = work.emplace_back();
      made.start_ns = table.start_ns[i];
      made.end_ns = table.end_ns[i];
      what(made, i);
    }
  };
  add(profile.kernels, [&](StepWork& made, std::size_t i) {
    made.kernel = static_cast<int>(i);
    made.call = profile.kernels.call[i];
    if (made.call >= 0)
      made.part = is_forward(profile.calls[static_cast<std::size_t>(made.call)].phase)
                      ? StepPart::rnn_forward
                      : StepPart::rnn_backward;
    else if (cells.hold(made.start_ns))
      made.part = StepPart::native_cells;
  });
  add(profile.transfers, [&](StepWork& made, std::size_t i) {
    made.part = StepPart::transfers;
    if (profile.transfers.operation[i] == MemoryOperation::copy)
      made.copy = profile.transfers.kind[i];
  });
  const auto earlier = [](const StepWork& a, const StepWork& b) {
    return std::pair(a.start_ns, a.end_ns) < std::pair(b.start_ns, b.end_ns);
  };
  // A recording of one stream is in order already.
  if (!std::is_sorted(work.begin(), work.end(), earlier))
    std::sort(work.begin(), work.end(), earlier);
  return work;
}

bool waits_in_rnn(const StepWork& before, const StepWork& after) {
  return before.part == after.part &&
         (before.part == StepPart::native_cells || (before.call >= 0 && before.call == after.call));
}

}  // namespace rnnadvisor
