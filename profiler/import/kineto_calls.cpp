// Kineto: the RNN calls that operators made, and what was launched in them.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "profiler/import/kineto.h"

namespace rnnadvisor::import_trace {
namespace {

// Of PyTorch itself, not of the program.
bool in_framework(std::string_view file) {
  return file.starts_with("torch/") || file.find("/torch/") != std::string_view::npos;
}

}  // namespace

void Kineto::sort() {
  std::sort(rnn_.begin(), rnn_.end(), [](const Operator& a, const Operator& b) {
    return std::tuple(a.thread, a.start_ns, -a.end_ns, a.external_id) <
           std::tuple(b.thread, b.start_ns, -b.end_ns, b.external_id);
  });
  for (auto& [thread, times] : zeros_) std::sort(times.begin(), times.end());
  for (auto& [thread, frames] : frames_)
    std::sort(frames.begin(), frames.end(), [](const Frame& a, const Frame& b) {
      return std::pair(a.start_ns, -a.end_ns) < std::pair(b.start_ns, -b.end_ns);
    });
  std::sort(steps_.begin(), steps_.end(),
            [](const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; });
}

// The nearest operator of a kind around this one on its thread. Only a few stand between.
const Kineto::Operator* Kineto::around(const Operator& op, Operator::Kind kind) const {
  constexpr std::ptrdiff_t farthest = 8;
  const auto at = &op - rnn_.data();
  for (auto i = at - 1; i >= 0 && i >= at - farthest; --i) {
    const auto& before = rnn_[static_cast<std::size_t>(i)];
    if (before.thread != op.thread) break;
    if (before.kind == kind && before.holds(op)) return &before;
  }
  return nullptr;
}

// Under autocast one operator calls the other, with other types: that one calls cuDNN.
const Kineto::Operator* Kineto::inside(const Operator& op) const {
  const auto next = static_cast<std::size_t>(&op - rnn_.data()) + 1;
  if (next >= rnn_.size()) return nullptr;
  const auto& other = rnn_[next];
  const bool nested = other.thread == op.thread && other.kind == op.kind && op.holds(other);
  return nested ? &other : nullptr;
}

// What an operator launched itself and not by another operator: the identifier of a launch is that
// of the innermost. Where a launch has none, its time tells.
void Kineto::attribute_launches() {
  launched_.resize(rnn_.size());
  std::unordered_map<std::int64_t, std::size_t> by_id;
  for (std::size_t i = 0; i < rnn_.size(); ++i)
    if (rnn_[i].kind <= Operator::Kind::backward && rnn_[i].external_id > 0)
      by_id[rnn_[i].external_id] = i;
  for (const auto& launch : launches_) {
    if (launch.external_id > 0) {
      const auto found = by_id.find(launch.external_id);
      if (found != by_id.end()) launched_[found->second].push_back(launch);
      continue;
    }
    const std::pair key(launch.thread, launch.start_ns);
    auto at =
        std::upper_bound(rnn_.begin(), rnn_.end(), key, [](const auto& wanted, const Operator& o) {
          return wanted < std::pair(o.thread, o.start_ns);
        });
    for (int steps = 0; at != rnn_.begin() && steps < 4; ++steps) {
      --at;
      if (at->thread != launch.thread) break;
      if (at->kind > Operator::Kind::backward || at->end_ns < launch.start_ns) continue;
      launched_[static_cast<std::size_t>(at - rnn_.begin())].push_back(launch);
      break;
    }
  }
  launches_ = {};
}

int Kineto::device_of_call(std::size_t op) const {
  for (const auto& launch : launched_[op])
    if (const auto found = device_of_correlation_.find(launch.correlation);
        found != device_of_correlation_.end())
      return found->second;
  return devices_.empty() ? -1 : devices_.begin()->second;
}

// The lines of Python around a forward operator. Operators come sorted by thread and start, so that
// each frame is opened and closed once.
Kineto::Site Kineto::site_of(const Operator& op) {
  Site site;
  const auto found = frames_.find(op.thread);
  if (found == frames_.end()) return site;
  const auto& frames = found->second;
  if (open_.thread != op.thread) open_ = {op.thread, 0, {}};
  const auto close = [&](std::int64_t time) {
    while (!open_.stack.empty() && open_.stack.back()->end_ns < time) open_.stack.pop_back();
  };
  for (; open_.next < frames.size() && frames[open_.next].start_ns <= op.start_ns; ++open_.next) {
    close(frames[open_.next].start_ns);
    open_.stack.push_back(&frames[open_.next]);
  }
  close(op.end_ns);
  for (auto at = open_.stack.rbegin(); at != open_.stack.rend() && site.program < 0; ++at) {
    const int place = (*at)->place;
    const bool framework = in_framework(places_[static_cast<std::size_t>(place)].file);
    if (!framework) site.program = place;
    if (framework && site.framework < 0) site.framework = place;
  }
  return site;
}

void Kineto::set_site(CallRecord& record, Site site) const {
  if (site.program < 0) return;
  record.site = places_[static_cast<std::size_t>(site.program)];
  if (site.framework >= 0) record.inner = places_[static_cast<std::size_t>(site.framework)];
}

CallRecord Kineto::record_of(const Operator& op, int device, Interval interval) const {
  CallRecord record;
  record.call.process = process_;
  record.call.thread = op.thread;
  record.call.device = device;
  record.call.host_start_ns = interval.start_ns;
  record.call.host_end_ns = interval.end_ns;
  return record;
}

void Kineto::add_forward(std::size_t index) {
  const Operator& op = rnn_[index];
  if (op.described < 0) return;
  auto described = descriptions_[static_cast<std::size_t>(op.described)];
  int description = op.described;
  if (described.packed_rows > 0) {
    const auto* layer = around(op, Operator::Kind::layer);
    if (layer == nullptr || !set_packed_steps(described, layer->described)) {
      ++unknown_operators_;
      return;
    }
    made_up_lengths_ += described.config.seq_lengths.empty() ? 0 : 1;
    // Each batch has other lengths: its backward pass needs them.
    description = static_cast<int>(descriptions_.size());
    descriptions_.push_back(described);
  }
  const int device = device_of_call(index);
  if (device < 0) return;
  ImportedProfile::Call call;
  call.record = record_of(op, device, op);
  call.record.call.phase =
      described.config.mode == Mode::training ? Phase::forward_training : Phase::forward_inference;
  const Site site = site_of(op);
  set_site(call.record, site);
  const RnnConfig config = call_config(described, profile_.device(device), true);
  call.config = &config;
  call.program = call_context(described);
  if (const auto* outer = around(op, Operator::Kind::forward);
      outer != nullptr && outer->described >= 0 &&
      descriptions_[static_cast<std::size_t>(outer->described)].config.data_type !=
          described.config.data_type)
    call.program.autocast = Autocast::float16;
  const int made = profile_.add_call(std::move(call));
  if (made < 0) return;
  for (const auto& launch : launched_[index])
    profile_.attribute(launch.correlation, made, process_);
  if (op.sequence >= 0 && described.config.mode == Mode::training)
    forwards_[{op.sequence, op.start_ns}] = calls_.size();
  calls_.push_back({made, op.start_ns, description, site});
}

// Autograd gives numbers for each thread: the last forward pass of this number before it counts.
const Kineto::MadeCall* Kineto::forward_of(const Operator& op) const {
  const auto* node = around(op, Operator::Kind::node);
  if (node == nullptr || node->sequence < 0) return nullptr;
  const auto after = forwards_.upper_bound({node->sequence, op.start_ns});
  if (after == forwards_.begin()) return nullptr;
  const auto last = std::prev(after);
  return last->first.first == node->sequence ? &calls_[last->second] : nullptr;
}

// cudnnRNNBackwardData_v8 and then, where gradients of the weights are wanted,
// cudnnRNNBackwardWeights_v8. Between them the buffer of the latter is cleared with aten::zeros
// (RNN.cpp, _cudnn_rnn_backward_weight()).
void Kineto::add_backward(std::size_t index) {
  const Operator& op = rnn_[index];
  if (op.described < 0) return;
  auto described = descriptions_[static_cast<std::size_t>(op.described)];
  const MadeCall* forward = forward_of(op);
  if (described.packed_rows > 0) {
    if (forward == nullptr || forward->described < 0) {
      ++unknown_operators_;
      return;
    }
    const auto& before = descriptions_[static_cast<std::size_t>(forward->described)].config;
    described.config.seq_length = before.seq_length;
    described.config.seq_lengths = before.seq_lengths;
  }
  const int device = device_of_call(index);
  if (device < 0) return;
  std::int64_t boundary = op.end_ns;
  if (const auto zeros = zeros_.find(op.thread); zeros != zeros_.end()) {
    const auto after = std::upper_bound(zeros->second.begin(), zeros->second.end(), op.end_ns);
    if (after != zeros->second.begin() && *std::prev(after) > op.start_ns)
      boundary = *std::prev(after);
  }
  const RnnConfig config = call_config(described, profile_.device(device), false);
  const auto add = [&](Phase phase, Interval interval) {
    ImportedProfile::Call call;
    call.record = record_of(op, device, interval);
    call.record.call.phase = phase;
    call.record.call.forward = forward == nullptr ? -1 : forward->index;
    if (forward != nullptr) set_site(call.record, forward->site);  // autograd runs it elsewhere
    call.config = &config;
    call.program = call_context(described);
    return profile_.add_call(std::move(call));
  };
  const int data = add(Phase::backward_data, {op.start_ns, boundary});
  const int weights =
      described.weight_gradients ? add(Phase::backward_weights, {boundary, op.end_ns}) : -1;
  for (const auto& launch : launched_[index]) {
    const int made = launch.start_ns < boundary ? data : weights;
    if (made >= 0) profile_.attribute(launch.correlation, made, process_);
  }
}

// A step begins with the first forward pass in it.
void Kineto::mark_steps() {
  std::vector<std::pair<std::int64_t, int>> starts;
  for (const auto& call : calls_) starts.emplace_back(call.start_ns, call.index);
  std::sort(starts.begin(), starts.end());
  for (const auto& step : steps_) {
    const auto first = std::lower_bound(starts.begin(), starts.end(), std::pair(step.start_ns, -1));
    if (first != starts.end() && first->first <= step.end_ns) profile_.begins_step(first->second);
  }
}

void Kineto::finish(const TraceHeader& header) {
  if (process_ >= 0) {
    Process& process = profile_.process(process_);
    process.pid = pid_;
    const auto small = [](std::int64_t value) {
      return value < 0 || value > std::numeric_limits<int>::max() ? -1 : static_cast<int>(value);
    };
    process.rank = small(header.rank);
    process.world_size = small(header.world_size);
  }
  sort();
  attribute_launches();
  for (std::size_t i = 0; i < rnn_.size(); ++i) {
    if (rnn_[i].kind > Operator::Kind::backward || inside(rnn_[i]) != nullptr) continue;
    if (rnn_[i].described < 0) ++unknown_operators_;
    if (rnn_[i].kind == Operator::Kind::forward) add_forward(i);
  }
  for (std::size_t i = 0; i < rnn_.size(); ++i)
    if (rnn_[i].kind == Operator::Kind::backward && inside(rnn_[i]) == nullptr) add_backward(i);
  mark_steps();
  profile_.note(NoteSeverity::info, "lengths-not-recorded",
                "calls have a packed input whose single lengths torch.profiler does not record: "
                "the longest and the sum are right, and the others share the rest equally",
                made_up_lengths_);
  if (frames_.empty()) {
    profile_.note(NoteSeverity::info, "lines-not-recorded",
                  "calls are without the line of the program that makes them: record the trace "
                  "with with_stack=True to have it",
                  static_cast<std::int64_t>(calls_.size()));
  }
  for (const auto& [category, count] : unknown_events_) {
    profile_.note(NoteSeverity::info, "events-unknown",
                  fmt::format("events are of a kind that rnnadvisor does not read: {}",
                              to_valid_utf8(category)),
                  count);
  }
}

}  // namespace rnnadvisor::import_trace
