// The Chrome trace: JSON written by hand, event by event.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "advisor/report/export.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : to_valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  return out + '"';
}

enum class TrackKind {
  calls,
  nvtx,
  api,
  stream
};  // the order in which tracks stand below each other

class TraceWriter {
 public:
  TraceWriter(const Profile& profile, const TextSink& sink)
      : p_(profile), sink_(sink), origin_(first_time()) {
    strings_.reserve(p_.strings.size());
    for (const auto& text : p_.strings) strings_.push_back(json_string(text));
  }

  bool write() {
    out_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{";
    out("\"origin_ns\":\"{}\",\"rnnadvisor_version\":{},\"cudnn_version\":{},\"driver_version\":{},"
        "\"created\":{}",
        origin_, json_string(p_.environment.rnnadvisor_version),
        json_string(p_.environment.cudnn_version), json_string(p_.environment.driver_version),
        json_string(p_.environment.created));
    out_ += "},\"traceEvents\":[";
    write_calls();
    write_nvtx();
    write_api();
    write_streams();
    write_memory();
    write_counters();
    out_ += "\n]}\n";
    return flush();
  }

 private:
  using TrackKey =
      std::tuple<TrackKind, int, std::int64_t, int>;  // kind, process, thread or stream, device
  struct Lane {
    int pid = 0, tid = 0;
    std::vector<std::int64_t>
        open;  // ends of the slices that enclose the next one, the innermost last
  };
  struct Place {
    int pid = 0, tid = 0;
  };

  template <class... Args>
  void out(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  // Microseconds, exactly.
  void out_time(std::string_view key, std::int64_t ns) {
    out(",\"{}\":{}.{:03}", key, ns / 1000, ns % 1000);
  }

  void begin_event(char phase, const Place& at, std::int64_t time) {
    if (out_.size() > 1U << 20U) flush();
    out("{}\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{}", first_ ? "" : ",", phase, at.pid, at.tid);
    first_ = false;
    out_time("ts", time - origin_);
  }

  bool flush() {
    if (open_) open_ = sink_(out_);
    out_.clear();
    return open_;
  }

  std::int64_t first_time() const {
    std::int64_t first = INT64_MAX;
    for (const auto* column : {&p_.kernels.start_ns, &p_.transfers.start_ns, &p_.api.start_ns,
                               &p_.nvtx.start_ns, &p_.allocations.time_ns, &p_.counters.start_ns}) {
      if (!column->empty()) first = std::min(first, column->front());
    }
    for (const auto& call : p_.calls) first = std::min(first, call.host_start_ns);
    return first == INT64_MAX ? 0 : first;
  }

  void name_event(const char* what, int pid, int tid, const std::string& name, int order) {
    out("{}\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}_name\",\"args\":{{\"name\":{}}}}}",
        first_ ? "" : ",", pid, tid, what, json_string(name));
    out(",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}_sort_index\",\"args\":{{\"sort_"
        "index\":{}}}}}",
        pid, tid, what, order);
    first_ = false;
  }

  // "process 4711, rank 3"; a process of which nothing is known goes by its place in the profile.
  std::string process_name(int process) const {
    const auto index = static_cast<std::size_t>(process);
    if (process < 0 || index >= p_.processes.size() || p_.processes[index].pid < 0)
      return fmt::format("process #{}", process);
    const Process& known = p_.processes[index];
    std::string name = fmt::format("process {}", known.pid);
    if (known.rank >= 0) name += fmt::format(", rank {}", known.rank);
    return name;
  }

  // One process of the trace for the host side of a process (device -1), and one for each of its
  // GPUs.
  int pid_of(int process, int device) {
    const auto [at, is_new] =
        pids_.try_emplace({process, device}, static_cast<int>(pids_.size()) + 1);
    if (is_new) {
      const std::string owner = process_name(process);
      std::string name = device < 0 ? owner : fmt::format("GPU {}", device);
      const auto index = static_cast<std::size_t>(device);
      if (device >= 0 && index < p_.devices.size()) {
        name += fmt::format(" {}{} ({})", p_.devices[index].name,
                            given(p_.device_name(process, device)), owner);
      }
      name_event("process", at->second, 0, name, at->second);
    }
    return at->second;
  }

  // What the program calls it, behind its number.
  static std::string given(const std::string& name) {
    return name.empty() ? std::string() : fmt::format(" “{}”", name);
  }

  std::string track_name(const TrackKey& key) const {
    const auto& [kind, process, id, device] = key;
    switch (kind) {
      case TrackKind::calls:
        return fmt::format("RNN calls (thread {}{})", id, given(p_.thread_name(process, id)));
      case TrackKind::nvtx:
        return fmt::format("NVTX (thread {}{})", id, given(p_.thread_name(process, id)));
      case TrackKind::api:
        return fmt::format("CUDA API (thread {}{})", id, given(p_.thread_name(process, id)));
      case TrackKind::stream:
        return device < 0
                   ? fmt::format("GPU stream {}, device not known", id)
                   : fmt::format("stream {}{}", id,
                                 given(p_.stream_name(process, device, static_cast<int>(id))));
    }
    return {};
  }

  // The track for a slice: the first lane of its name where it nests, or, on a stream, where it
  // stands alone.
  Place place(const TrackKey& key, std::int64_t start, std::int64_t end) {
    auto& lanes = tracks_[key];
    const bool may_nest = std::get<0>(key) != TrackKind::stream;
    for (auto& lane : lanes) {
      while (!lane.open.empty() && lane.open.back() <= start) lane.open.pop_back();
      if (!lane.open.empty() && (!may_nest || lane.open.back() < end)) continue;
      if (end > start) lane.open.push_back(end);
      return {lane.pid, lane.tid};
    }
    const int pid = pid_of(std::get<1>(key), std::get<3>(key));
    const int tid = ++last_tid_;
    std::string name = track_name(key);
    if (!lanes.empty()) name += fmt::format(", overlapping {}", lanes.size());
    name_event("thread", pid, tid, name, static_cast<int>(std::get<0>(key)) * 100000 + tid);
    lanes.push_back({pid, tid, {}});
    if (end > start) lanes.back().open.push_back(end);
    return {pid, tid};
  }

  const std::string& text(int index) const {
    static const std::string none = "\"\"";
    const auto at = static_cast<std::size_t>(index);
    return index >= 0 && at < strings_.size() ? strings_[at] : none;
  }

  void write_calls() {
    std::vector<std::size_t> order(p_.calls.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto &x = p_.calls[a], &y = p_.calls[b];
      return std::tuple(x.host_start_ns, -x.host_end_ns, a) <
             std::tuple(y.host_start_ns, -y.host_end_ns, b);
    });
    call_places_.resize(p_.calls.size());
    for (const std::size_t i : order) {
      const auto& call = p_.calls[i];
      const auto at = place({TrackKind::calls, call.process, call.thread, -1}, call.host_start_ns,
                            call.host_end_ns);
      call_places_[i] = at;
      begin_event('X', at, call.host_start_ns);
      out_time("dur", call.host_end_ns - call.host_start_ns);
      out(",\"cat\":\"rnn\",\"name\":\"{}\",\"args\":{{\"call\":{},\"status\":{},\"repetition\":{},"
          "\"workspace_bytes\":{},"
          "\"reserve_bytes\":{}",
          to_string(call.phase), i, call.status, call.repetition, call.workspace_bytes,
          call.reserve_bytes);
      const auto configuration = static_cast<std::size_t>(call.configuration);
      if (call.configuration >= 0 && configuration < p_.configurations.size()) {
        const auto& c = p_.configurations[configuration].config;
        out(",\"configuration\":{},\"summary\":{},\"cell\":\"{}\",\"algo\":\"{}\",\"direction\":\"{"
            "}\",\"data_type\":\"{}\","
            "\"math_type\":\"{}\",\"input_size\":{},\"hidden_size\":{},\"proj_size\":{},\"num_"
            "layers\":{},\"batch_size\":{},"
            "\"seq_length\":{}",
            json_string(c.id), json_string(summary(c)), to_string(c.cell), to_string(c.algo),
            to_string(c.direction), to_string(c.data_type), to_string(c.math_type), c.input_size,
            c.hidden_size, c.proj_size, c.num_layers, c.batch_size, c.seq_length);
      }
      const auto site = static_cast<std::size_t>(call.site);
      if (call.site >= 0 && site < p_.call_sites.size()) {
        const auto& at_line = p_.call_sites[site];
        out(",\"file\":{},\"line\":{},\"function\":{}", text(at_line.file), at_line.line,
            text(at_line.function));
      }
      if (call.nvtx_path >= 0) out(",\"nvtx\":{}", text(call.nvtx_path));
      out_ += "}}";
    }
  }

  void write_nvtx() {
    const auto& n = p_.nvtx;
    for (std::size_t i = 0; open_ && i < n.size(); ++i) {
      const bool mark = n.end_ns[i] == n.start_ns[i];
      const auto at =
          place({TrackKind::nvtx, n.process[i], n.thread[i], -1}, n.start_ns[i], n.end_ns[i]);
      begin_event(mark ? 'i' : 'X', at, n.start_ns[i]);
      if (mark) {
        out_ += ",\"s\":\"t\"";
      } else {
        out_time("dur", n.end_ns[i] - n.start_ns[i]);
      }
      out(",\"cat\":\"nvtx\",\"name\":{},\"args\":{{\"domain\":{}", text(n.name[i]),
          text(n.domain[i]));
      if (n.category[i] >= 0) out(",\"category\":{}", text(n.category[i]));
      out_payload(n.payload[i]);
      out_ += "}}";
    }
  }

  // JSON has no word for numbers that are none, and viewers read integers as doubles: both go as
  // text where they would be lost.
  void out_payload(const NvtxPayload& payload) {
    constexpr std::int64_t exact = std::int64_t{1} << 53U;
    if (const auto* number = std::get_if<std::int64_t>(&payload)) {
      const bool fits = *number >= -exact && *number <= exact;
      const std::string_view quote = fits ? "" : "\"";
      out(",\"payload\":{}{}{}", quote, *number, quote);
    } else if (const auto* big = std::get_if<std::uint64_t>(&payload)) {
      out(",\"payload\":\"{}\"", *big);
    } else if (const auto* real = std::get_if<double>(&payload)) {
      const std::string_view quote = std::isfinite(*real) ? "" : "\"";
      out(",\"payload\":{}{}{}", quote, *real, quote);
    }
  }

  void write_api() {
    const auto& a = p_.api;
    // The outer call first where a runtime and a driver call begin together.
    std::vector<std::size_t> order(a.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
      return a.start_ns[x] != a.start_ns[y] ? a.start_ns[x] < a.start_ns[y]
                                            : a.end_ns[x] > a.end_ns[y];
    });
    for (const std::size_t i : order) {
      if (!open_) return;
      begin_event(
          'X', place({TrackKind::api, a.process[i], a.thread[i], -1}, a.start_ns[i], a.end_ns[i]),
          a.start_ns[i]);
      out_time("dur", a.end_ns[i] - a.start_ns[i]);
      out(",\"cat\":\"{}\",\"name\":{},\"args\":{{\"correlation\":{},\"result\":{}}}}}",
          a.driver[i] ? "driver" : "runtime", text(a.name[i]), a.correlation[i], a.result[i]);
    }
  }

  void write_streams() {
    const auto& k = p_.kernels;
    const auto& t = p_.transfers;
    for (std::size_t i = 0, j = 0; open_ && (i < k.size() || j < t.size());) {
      if (j == t.size() || (i < k.size() && k.start_ns[i] <= t.start_ns[j])) {
        write_kernel(i++);
      } else {
        write_transfer(j++);
      }
    }
  }

  void write_kernel(std::size_t i) {
    const auto& k = p_.kernels;
    const auto at = place({TrackKind::stream, k.process[i], k.stream[i], std::max(k.device[i], -1)},
                          k.start_ns[i], k.end_ns[i]);
    begin_event('X', at, k.start_ns[i]);
    out_time("dur", k.end_ns[i] - k.start_ns[i]);
    out(",\"cat\":\"kernel\",\"name\":{},\"args\":{{\"role\":\"{}\",\"family\":\"{}\",\"grid\":[{},"
        "{},{}],\"block\":[{},{},{}],"
        "\"registers\":{},\"shared_static\":{},\"shared_dynamic\":{},\"correlation\":{},\"call\":{}"
        "}}}}",
        text(k.name[i]), to_string(k.role[i]), model::to_string(k.family[i]), k.grid[i][0],
        k.grid[i][1], k.grid[i][2], k.block[i][0], k.block[i][1], k.block[i][2], k.registers[i],
        k.shared_static[i], k.shared_dynamic[i], k.correlation[i], k.call[i]);
    const auto call = static_cast<std::size_t>(k.call[i]);
    if (k.call[i] < 0 || call >= call_places_.size()) return;
    begin_event('s', call_places_[call], p_.calls[call].host_start_ns);
    out(",\"id\":{},\"cat\":\"launch\",\"name\":\"launch\"}}", i + 1);
    begin_event('f', at, k.start_ns[i]);
    out(",\"bp\":\"e\",\"id\":{},\"cat\":\"launch\",\"name\":\"launch\"}}", i + 1);
  }

  void write_transfer(std::size_t i) {
    const auto& t = p_.transfers;
    const auto at = place({TrackKind::stream, t.process[i], t.stream[i], std::max(t.device[i], -1)},
                          t.start_ns[i], t.end_ns[i]);
    begin_event('X', at, t.start_ns[i]);
    out_time("dur", t.end_ns[i] - t.start_ns[i]);
    out(",\"cat\":\"transfer\",\"name\":\"{}\",\"args\":{{\"bytes\":{},\"kind\":{},\"correlation\":"
        "{},\"call\":{}}}}}",
        t.operation[i] == MemoryOperation::copy ? "memory copy" : "memory set", t.bytes[i],
        t.kind[i], t.correlation[i], t.call[i]);
  }

  // Memory taken and not yet given back, as far as the trace saw it.
  void write_memory() {
    const auto& m = p_.allocations;
    std::map<std::pair<int, int>, std::int64_t> used;
    for (std::size_t i = 0; open_ && i < m.size(); ++i) {
      auto& bytes = used[{m.process[i], m.device[i]}];
      bytes += m.release[i] ? -m.bytes[i] : m.bytes[i];
      begin_event('C', {pid_of(m.process[i], std::max(m.device[i], -1)), 0}, m.time_ns[i]);
      out(",\"name\":\"allocated memory\",\"args\":{{\"bytes\":{}}}}}",
          std::max<std::int64_t>(bytes, 0));
    }
  }

  // A counter track for each metric of each device: its value from a sample's start on.
  void write_counters() {
    const auto& c = p_.counters;
    for (std::size_t i = 0; open_ && i < c.size(); ++i) {
      begin_event('C', {pid_of(c.process[i], std::max(c.device[i], -1)), 0}, c.start_ns[i]);
      out(",\"name\":{},\"args\":{{\"value\":{}}}}}", text(c.metric[i]), c.value[i]);
    }
  }

  const Profile& p_;
  const TextSink& sink_;
  std::int64_t origin_;
  std::string out_;
  bool first_ = true, open_ = true;
  int last_tid_ = 0;
  std::vector<std::string> strings_;  // as JSON
  std::map<std::pair<int, int>, int> pids_;
  std::map<TrackKey, std::vector<Lane>> tracks_;
  std::vector<Place> call_places_;
};

}  // namespace

bool write_chrome_trace(const Profile& profile, const TextSink& sink) {
  return TraceWriter(profile, sink).write();
}

std::string write_chrome_trace(const Profile& profile) {
  std::string all;
  write_chrome_trace(profile, [&](std::string_view text) {
    all += text;
    return true;
  });
  return all;
}

}  // namespace rnnadvisor::advisor
