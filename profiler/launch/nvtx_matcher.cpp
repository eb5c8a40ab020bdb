#include "profiler/launch/nvtx_matcher.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace rnnadvisor::launch {
namespace {

NvtxPayload payload(const spool::Nvtx& event) {
  switch (event.payload_type) {
    case spool::Payload::unsigned64:
      if (event.payload > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return event.payload;
      return static_cast<std::int64_t>(event.payload);
    case spool::Payload::signed64:
      return static_cast<std::int64_t>(event.payload);
    case spool::Payload::real:
      return std::bit_cast<double>(event.payload);
    case spool::Payload::none:
      break;
  }
  return {};
}

}  // namespace

void NvtxMatcher::add(spool::Type type, const spool::Nvtx& event) {
  events_.push_back({type, event});
}

void NvtxMatcher::add(const spool::NvtxPop& event) {
  spool::Nvtx data{};
  data.time_ns = event.time_ns;
  data.thread = event.thread;
  data.domain = event.domain;
  events_.push_back({spool::Type::nvtx_pop, data});
}

std::int64_t NvtxMatcher::finish(const spool::Tables& tables, int process, std::int64_t end_ns,
                                 Plausible& plausible, ProfileBuilder& builder) {
  // Equal times keep the order of the file, which is that of the thread.
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.data.time_ns < b.data.time_ns; });
  const auto emit = [&](const spool::Nvtx& begin, std::int64_t end) {
    if (!plausible.interval(Plausible::Sum::nvtx, begin.time_ns, end)) return;
    NvtxRecord record;
    record.start_ns = begin.time_ns;
    record.end_ns = std::max(end, begin.time_ns);
    record.thread = begin.thread;
    record.name = tables.text(begin.name);
    record.domain = tables.text(begin.domain);
    record.category = tables.text(begin.category);
    record.color = static_cast<int>(begin.color);
    record.payload = payload(begin);
    record.process = process;
    builder.add_nvtx(record);
  };
  // Deeper than any program nests on purpose: what goes on from there is not told, so that a
  // program that never pops costs no more than one that does.
  constexpr std::size_t most_depth = 1024;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const spool::Nvtx*>> pushed;
  std::unordered_map<std::uint64_t, const spool::Nvtx*> started;
  for (const auto& [type, event] : events_) {
    switch (type) {
      case spool::Type::nvtx_push: {
        auto& open = pushed[{event.thread, event.domain}];
        open.push_back(open.size() < most_depth ? &event : nullptr);
        break;
      }
      case spool::Type::nvtx_pop: {
        auto& open = pushed[{event.thread, event.domain}];
        if (open.empty()) break;
        if (open.back() != nullptr) emit(*open.back(), event.time_ns);
        open.pop_back();
        break;
      }
      case spool::Type::nvtx_start:
        started.insert_or_assign(event.range, &event);
        break;
      case spool::Type::nvtx_end: {
        const auto found = started.find(event.range);
        if (found == started.end()) break;
        emit(*found->second, event.time_ns);
        started.erase(found);
        break;
      }
      default:
        emit(event, event.time_ns);
        break;
    }
  }
  std::int64_t unfinished = 0;
  for (const auto& [thread, open] : pushed) {
    for (const auto* begin : open)
      if (begin != nullptr) emit(*begin, end_ns);
    unfinished += static_cast<std::int64_t>(open.size());
  }
  for (const auto& [range, begin] : started) emit(*begin, end_ns);
  unfinished += static_cast<std::int64_t>(started.size());
  events_.clear();
  return unfinished;
}

}  // namespace rnnadvisor::launch
