#include "profiler/classify/sampled_counters.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace rnnadvisor {
namespace {

struct CallSpan {
  std::int64_t start_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  int call = -1, device = -1;
};

// Where each call's kernels ran, sorted by start.
std::vector<CallSpan> call_spans(const Profile& profile) {
  const auto& k = profile.kernels;
  std::vector<CallSpan> spans(profile.calls.size());
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (k.call[i] < 0) continue;
    auto& span = spans[static_cast<std::size_t>(k.call[i])];
    span.call = k.call[i];
    span.device = k.device[i];
    span.start_ns = std::min(span.start_ns, k.start_ns[i]);
    span.end_ns = std::max(span.end_ns, k.end_ns[i]);
  }
  std::erase_if(spans, [](const CallSpan& span) { return span.call < 0; });
  std::sort(spans.begin(), spans.end(),
            [](const CallSpan& a, const CallSpan& b) { return a.start_ns < b.start_ns; });
  return spans;
}

// The one call that an interval of a device lies in, or -1. Intervals must come in the order of
// their starts.
class CallAt {
 public:
  explicit CallAt(const Profile& profile) : kernels_(profile.kernels), spans_(call_spans(profile)) {
    // Kernels are sorted by start only: one that began long ago may still run.
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      longest_ = std::max(longest_, kernels_.end_ns[i] - kernels_.start_ns[i]);
    for (const auto& span : spans_)
      longest_span_ = std::max(longest_span_, span.end_ns - span.start_ns);
  }

  int operator()(std::int64_t start, std::int64_t end, int device) {
    while (first_span_ < spans_.size() && spans_[first_span_].start_ns < start - longest_span_)
      ++first_span_;
    int call = -1;
    for (std::size_t i = first_span_; i < spans_.size() && spans_[i].start_ns <= start; ++i) {
      if (spans_[i].device != device || spans_[i].end_ns < end) continue;
      if (call >= 0) return -1;  // two calls at once
      call = spans_[i].call;
    }
    if (call < 0) return -1;
    while (first_kernel_ < kernels_.size() && kernels_.start_ns[first_kernel_] < start - longest_)
      ++first_kernel_;
    for (std::size_t i = first_kernel_; i < kernels_.size() && kernels_.start_ns[i] < end; ++i) {
      if (kernels_.device[i] == device && kernels_.end_ns[i] > start && kernels_.call[i] != call)
        return -1;
    }
    return call;
  }

 private:
  const KernelTable& kernels_;
  std::vector<CallSpan> spans_;
  std::int64_t longest_ = 0, longest_span_ = 0;
  std::size_t first_span_ = 0, first_kernel_ = 0;
};

}  // namespace

void add_sampled_counters(Profile& profile) {
  const auto& samples = profile.counters;
  if (samples.size() == 0 || profile.calls.empty()) return;
  struct Sum {
    double weighted = 0, weight = 0;
  };
  std::map<std::tuple<int, Phase, int>, Sum> sums;  // configuration, phase, metric
  CallAt call_at(profile);
  int call = -1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool same = i > 0 && samples.start_ns[i] == samples.start_ns[i - 1] &&
                      samples.end_ns[i] == samples.end_ns[i - 1] &&
                      samples.device[i] == samples.device[i - 1];
    if (!same) call = call_at(samples.start_ns[i], samples.end_ns[i], samples.device[i]);
    if (call < 0) continue;
    const auto& made = profile.calls[static_cast<std::size_t>(call)];
    if (made.configuration < 0) continue;
    const auto length = static_cast<double>(samples.end_ns[i] - samples.start_ns[i]);
    auto& sum = sums[{made.configuration, made.phase, samples.metric[i]}];
    sum.weighted += samples.value[i] * length;
    sum.weight += length;
  }
  std::vector<bool> had(profile.configurations.size());
  for (std::size_t i = 0; i < had.size(); ++i) had[i] = !profile.configurations[i].counters.empty();
  for (const auto& [key, sum] : sums) {
    const auto& [configuration, phase, metric] = key;
    if (had[static_cast<std::size_t>(configuration)] || sum.weight <= 0) continue;
    profile.configurations[static_cast<std::size_t>(configuration)].counters.push_back(
        {phase, profile.text(metric), sum.weighted / sum.weight});
  }
}

}  // namespace rnnadvisor
