// The records of a profile out of their tables, of this version of the schema and of earlier ones.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include "profiler/profile/check.h"
#include "profiler/profile/file_parts.h"

namespace rnnadvisor {
namespace {

using sqlite::Rows;

// "[8,5,2]"
std::optional<std::vector<int>> parse_lengths(std::string_view text) {
  std::vector<int> lengths;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    int value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || value < 0) return std::nullopt;
    lengths.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return lengths;
}

class RecordsReader {
 public:
  RecordsReader(Profile& profile, const RecordsInput& input)
      : p_(profile),
        input_(input),
        database_(input.database),
        version_(input.version),
        origin_(input.origin) {}

  Result<void> read() {
    for (const auto part :
         {&RecordsReader::strings, &RecordsReader::processes, &RecordsReader::process_variables,
          &RecordsReader::call_parts, &RecordsReader::calls, &RecordsReader::setup_calls,
          &RecordsReader::outline, &RecordsReader::kernels, &RecordsReader::transfers,
          &RecordsReader::api, &RecordsReader::allocations, &RecordsReader::nvtx,
          &RecordsReader::overhead, &RecordsReader::counters_and_names}) {
      if (auto done = (this->*part)(); !done) return done;
    }
    return {};
  }

 private:
  template <class Row>
  Result<void> each(const char* table, std::string_view columns, Row row) {
    return read_table(database_, table, columns, row);
  }

  std::int64_t time(Rows& rows, int column) {
    return origin_ + rows.int64(column, 0, latest_time_ns - origin_);
  }
  // After the start: the end. `start` is at most latest_time_ns, so nothing overflows.
  std::int64_t end(Rows& rows, int column, std::int64_t start) {
    return start + rows.int64(column, 0, latest_time_ns - start);
  }
  // NULL is -1. It may lie before the first record.
  std::int64_t optional_time(Rows& rows, int column) {
    if (rows.is_null(column)) return -1;
    return origin_ + rows.int64(column, -origin_, latest_time_ns - origin_);
  }

  Result<void> strings() {
    return each("strings", "text", [&](Rows& r) { p_.strings.push_back(r.text(0)); });
  }

  Result<void> processes() {
    if (version_ < 2) return {};
    return each("processes",
                "pid, parent_pid, host, executable, command_line, cudnn_version, framework, "
                "framework_version, rank, local_rank, world_size, mode, start_ns, end_ns, ended, "
                "exit_status, signal",
                [&](Rows& r) {
                  Process p;
                  p.pid = r.int64(0, -1);
                  p.parent_pid = r.int64(1, -1);
                  p.host = r.text(2);
                  p.executable = r.text(3);
                  p.command_line = r.text(4);
                  p.cudnn_version = r.text(5);
                  p.framework = r.text(6);
                  p.framework_version = r.text(7);
                  p.rank = r.int32(8, -1);
                  p.local_rank = r.int32(9, -1);
                  p.world_size = r.int32(10, -1);
                  p.mode = r.text(11);
                  p.start_ns = optional_time(r, 12);
                  p.end_ns = optional_time(r, 13);
                  p.end = r.word(14, ProcessEnd::killed);
                  p.exit_status = r.int32(15);
                  p.signal = r.int32(16);
                  p_.processes.push_back(std::move(p));
                });
  }

  Result<void> process_variables() {
    if (version_ < 2) return {};
    return each("process_variables", "process, name, value", [&](Rows& r) {
      const int index = r.index(0, p_.processes.size(), false);
      if (r.ok())
        p_.processes[static_cast<std::size_t>(index)].variables.emplace_back(r.text(1), r.text(2));
    });
  }

  // Version 1 had no processes, only numbers that told them apart.
  int process(Rows& r, int column) {
    if (version_ >= 2) return r.index(column, p_.processes.size(), false);
    const int number = r.int32(column);
    const auto [at, is_new] = numbered_.try_emplace(number, static_cast<int>(p_.processes.size()));
    if (is_new) p_.processes.emplace_back();
    return at->second;
  }

  Result<void> call_parts() {
    if (version_ < 2) return {};
    auto done = each("call_arguments", "contiguous, seq_lengths", [&](Rows& r) {
      CallArguments a;
      if (!r.is_null(0)) a.contiguous = r.boolean(0);
      auto lengths = parse_lengths(r.text(1));
      if (!lengths) {
        r.wrong(1, "is not a list of lengths");
        return;
      }
      a.seq_lengths = std::move(*lengths);
      p_.call_arguments.push_back(std::move(a));
    });
    if (!done) return done;
    done = each("call_pointers", "arguments, pointer, alignment", [&](Rows& r) {
      const int index = r.index(0, p_.call_arguments.size(), false);
      const auto pointer = r.word(1, CallPointer::seq_lengths);
      const auto bytes = r.int64(2, 0);
      if (!r.ok()) return;
      p_.call_arguments[static_cast<std::size_t>(index)]
          .alignment[static_cast<std::size_t>(pointer)] = bytes;
    });
    if (!done) return done;
    return each("call_sites", "file, line, function, inner_site", [&](Rows& r) {
      p_.call_sites.push_back({r.index(0, p_.strings.size(), false), r.int32(1, 0),
                               r.index(2, p_.strings.size()),
                               r.int32(3, -1)});  // an earlier row: see check.h
    });
  }

  Result<void> calls() {
    // What version 1 did not have stands for it as a constant: its calls were all rnnadvisor's own.
    const std::string columns = fmt::format(
        "configuration, phase, process, thread, device, stream, host_start_ns, host_duration_ns, "
        "status, workspace_bytes, reserve_bytes, repetition, {}",
        version_ >= 2
            ? "weights_bytes, device_start_ns, device_duration_ns, source, graph, reason, "
              "arguments, site, nvtx_path, forward"
            : "-1, NULL, NULL, 'run', 'none', -1, -1, -1, -1, -1");
    return each("calls", columns, [&](Rows& r) {
      RnnCall c;
      c.configuration = r.index(0, p_.configurations.size());
      c.phase = r.word(1, Phase::backward_weights);
      c.process = process(r, 2);
      c.thread = r.int64(3);
      c.device = r.index(4, p_.devices.size());
      c.stream = r.int32(5);
      c.host_start_ns = time(r, 6);
      c.host_end_ns = end(r, 7, c.host_start_ns);
      c.status = r.int32(8);
      c.workspace_bytes = r.int64(9);
      c.reserve_bytes = r.int64(10);
      c.repetition = r.int32(11);
      c.weights_bytes = r.int64(12);
      c.device_start_ns = optional_time(r, 13);
      c.device_duration_ns = r.is_null(14) ? -1 : r.int64(14, 0, latest_time_ns);
      c.source = r.word(15, CallSource::kernels);
      c.graph = r.word(16, GraphState::replayed);
      c.reason = r.index(17, p_.strings.size());
      c.arguments = r.index(18, p_.call_arguments.size());
      c.site = r.index(19, p_.call_sites.size());
      c.nvtx_path = r.index(20, p_.strings.size());
      c.forward = r.int32(21, -1);  // perhaps a later row: check_profile() looks
      p_.calls.push_back(c);
    });
  }

  Result<void> setup_calls() {
    if (version_ < 2) return {};
    return each("setup_calls",
                "configuration, function, process, thread, host_start_ns, host_duration_ns, "
                "status, reason",
                [&](Rows& r) {
                  SetupCall c;
                  c.configuration = r.index(0, p_.configurations.size());
                  c.function = r.index(1, p_.strings.size(), false);
                  c.process = process(r, 2);
                  c.thread = r.int64(3);
                  c.host_start_ns = time(r, 4);
                  c.host_end_ns = end(r, 5, c.host_start_ns);
                  c.status = r.int32(6);
                  c.reason = r.index(7, p_.strings.size());
                  p_.setup_calls.push_back(c);
                });
  }

  // What is known before the records: enough to show the calls.
  Result<void> outline() {
    if (!input_.options.outline) return {};
    if (auto good = check_profile(p_, ErrorCode::damaged); !good) return good;
    input_.options.outline(p_);
    return {};
  }

  Result<void> kernels() {
    return read_kernels(p_, input_, [this](Rows& r, int column) { return process(r, column); });
  }

  Result<void> transfers() {
    auto& t = p_.transfers;
    return each(
        "transfers",
        "start_ns, duration_ns, bytes, correlation, operation, kind, call, device, stream, process",
        [&](Rows& r) {
          t.start_ns.push_back(time(r, 0));
          t.end_ns.push_back(end(r, 1, t.start_ns.back()));
          t.bytes.push_back(r.int64(2, 0));
          t.correlation.push_back(r.int64(3));
          t.operation.push_back(r.word(4, MemoryOperation::set));
          t.kind.push_back(r.int32(5));
          t.call.push_back(r.index(6, p_.calls.size()));
          t.device.push_back(r.index(7, p_.devices.size()));
          t.stream.push_back(r.int32(8));
          t.process.push_back(process(r, 9));
        });
  }

  struct ApiKind {
    int name;
    bool driver;
    int result, process;
    std::int64_t thread;
  };

  Result<void> api() {
    std::vector<ApiKind> kinds;
    auto done = each("api_kinds", "name, driver, result, process, thread", [&](Rows& r) {
      kinds.push_back(
          {r.index(0, p_.strings.size()), r.boolean(1), r.int32(2), process(r, 3), r.int64(4)});
    });
    if (!done) return done;
    auto& a = p_.api;
    return each("api_records", "start_ns, duration_ns, kind, call, correlation", [&](Rows& r) {
      const std::int64_t start = time(r, 0), finish = end(r, 1, start);
      const int kind_index = r.index(2, kinds.size(), false);
      if (!r.ok()) return;
      const auto& kind = kinds[static_cast<std::size_t>(kind_index)];
      a.start_ns.push_back(start);
      a.end_ns.push_back(finish);
      a.correlation.push_back(r.int64(4));
      a.thread.push_back(kind.thread);
      a.name.push_back(kind.name);
      a.call.push_back(r.index(3, p_.calls.size()));
      a.process.push_back(kind.process);
      a.driver.push_back(kind.driver);
      a.result.push_back(kind.result);
    });
  }

  Result<void> allocations() {
    auto& m = p_.allocations;
    const std::string columns = fmt::format("time_ns, bytes, address, release, device, process, {}",
                                            version_ >= 2 ? "call, correlation" : "-1, 0");
    return each("allocations", columns, [&](Rows& r) {
      m.time_ns.push_back(time(r, 0));
      m.bytes.push_back(r.int64(1, 0));
      m.address.push_back(r.int64(2));
      m.release.push_back(r.boolean(3));
      m.device.push_back(r.index(4, p_.devices.size()));
      m.process.push_back(process(r, 5));
      m.call.push_back(r.index(6, p_.calls.size()));
      m.correlation.push_back(r.int64(7));
    });
  }

  static NvtxPayload payload(Rows& r, int column) {
    switch (r.type(column)) {
      case SQLITE_NULL:
        return {};
      case SQLITE_INTEGER:
        return r.int64(column);
      case SQLITE_FLOAT:
        return r.real_or_nan(column);
      default: {
        const std::string text = r.text(column);
        std::uint64_t number = 0;
        const char* last = text.data() + text.size();
        const auto [end, status] = std::from_chars(text.data(), last, number);
        if (text == payload_nan) return std::numeric_limits<double>::quiet_NaN();
        if (status != std::errc() || end != last) r.wrong(column, "is no payload");
        return number;
      }
    }
  }

  Result<void> nvtx() {
    auto& n = p_.nvtx;
    const std::string columns =
        fmt::format("start_ns, duration_ns, name, domain, color, depth, process, thread, {}",
                    version_ >= 2 ? "category, payload" : "-1, NULL");
    return each("nvtx_ranges", columns, [&](Rows& r) {
      n.start_ns.push_back(time(r, 0));
      n.end_ns.push_back(end(r, 1, n.start_ns.back()));
      n.name.push_back(r.index(2, p_.strings.size()));
      n.domain.push_back(r.index(3, p_.strings.size()));
      n.color.push_back(r.int32(4));
      n.depth.push_back(r.int32(5, 0));
      n.process.push_back(process(r, 6));
      n.thread.push_back(r.int64(7));
      n.category.push_back(r.index(8, p_.strings.size()));
      n.payload.push_back(payload(r, 9));
    });
  }

  // Version 1 did not say whose overhead it was: it stands with its first process.
  Result<void> overhead() {
    auto& o = p_.overhead;
    const std::string columns =
        fmt::format("start_ns, duration_ns, kind, {}", version_ >= 2 ? "process" : "0");
    return each("overhead", columns, [&](Rows& r) {
      o.start_ns.push_back(time(r, 0));
      o.end_ns.push_back(end(r, 1, o.start_ns.back()));
      o.kind.push_back(r.index(2, p_.strings.size()));
      o.process.push_back(process(r, 3));
    });
  }

  Result<void> counters_and_names() {
    if (version_ < 3) return {};
    auto& c = p_.counters;
    auto done = each("counter_samples", "start_ns, duration_ns, device, process, metric, value",
                     [&](Rows& r) {
                       c.start_ns.push_back(time(r, 0));
                       c.end_ns.push_back(end(r, 1, c.start_ns.back()));
                       c.device.push_back(r.index(2, p_.devices.size()));
                       c.process.push_back(process(r, 3));
                       c.metric.push_back(r.index(4, p_.strings.size(), false));
                       c.value.push_back(r.real(5));
                     });
    if (!done) return done;
    done = each("thread_names", "process, thread, name", [&](Rows& r) {
      p_.thread_names.push_back({process(r, 0), r.int64(1), r.index(2, p_.strings.size(), false)});
    });
    if (!done || version_ < 4) return done;
    return each("resource_names", "process, device, stream, name", [&](Rows& r) {
      p_.resource_names.push_back({process(r, 0), r.index(1, p_.devices.size(), false), r.int32(2),
                                   r.index(3, p_.strings.size(), false)});
    });
  }

  Profile& p_;
  const RecordsInput& input_;
  sqlite3* database_;
  int version_;
  std::int64_t origin_;
  std::map<int, int> numbered_;  // of version 1: number of a process -> its index
};

}  // namespace

Result<void> read_records(Profile& profile, const RecordsInput& input) {
  return RecordsReader(profile, input).read();
}

}  // namespace rnnadvisor
