// The records of a profile into their tables: processes, calls, kernels and all that a trace holds.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

#include "profiler/profile/file_parts.h"

namespace rnnadvisor {
namespace {

using sqlite::Inserter;

// -1 is NULL: see schema.sql.
std::optional<std::int64_t> known(std::int64_t value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

std::string lengths_json(const std::vector<int>& lengths) {
  return fmt::format("[{}]", fmt::join(lengths, ","));
}

using StoredPayload = std::variant<std::monostate, std::int64_t, double, std::string>;
StoredPayload stored(const NvtxPayload& payload) {
  if (const auto* number = std::get_if<std::int64_t>(&payload)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&payload)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&payload)) {
    if (std::isnan(*number)) return std::string(payload_nan);
    return *number;
  }
  return {};
}

class RecordsWriter {
 public:
  RecordsWriter(const Profile& profile, sqlite3* database, std::int64_t origin)
      : p_(profile), database_(database), origin_(origin) {}

  bool write() {
    return processes() && call_parts() && calls() && setup_calls() && strings() && kernels() &&
           transfers() && api() && others();
  }

 private:
  std::optional<std::int64_t> time(std::int64_t ns) const {
    return ns < 0 ? std::nullopt : std::optional(ns - origin_);
  }

  bool processes() {
    Inserter insert(database_, "processes", 18);
    Inserter variables(database_, "process_variables", 4);
    std::size_t variable_id = 0;
    for (std::size_t i = 0; i < p_.processes.size(); ++i) {
      const auto& p = p_.processes[i];
      insert.row(i, p.pid, p.parent_pid, p.host, p.executable, p.command_line, p.cudnn_version,
                 p.framework, p.framework_version, p.rank, p.local_rank, p.world_size, p.mode,
                 time(p.start_ns), time(p.end_ns), to_string(p.end), p.exit_status, p.signal);
      for (const auto& [name, value] : p.variables) variables.row(variable_id++, i, name, value);
    }
    return insert.ok() && variables.ok();
  }

  bool call_parts() {
    Inserter arguments(database_, "call_arguments", 3);
    Inserter pointers(database_, "call_pointers", 4);
    std::size_t pointer_id = 0;
    for (std::size_t i = 0; i < p_.call_arguments.size(); ++i) {
      const auto& a = p_.call_arguments[i];
      arguments.row(i, a.contiguous, lengths_json(a.seq_lengths));
      for (std::size_t k = 0; k < call_pointer_count; ++k) {
        if (a.alignment[k] < 0) continue;
        pointers.row(pointer_id++, i, to_string(static_cast<CallPointer>(k)), a.alignment[k]);
      }
    }
    Inserter sites(database_, "call_sites", 5);
    for (std::size_t i = 0; i < p_.call_sites.size(); ++i) {
      const auto& s = p_.call_sites[i];
      sites.row(i, s.file, s.line, s.function, s.inner);
    }
    return arguments.ok() && pointers.ok() && sites.ok();
  }

  bool calls() {
    Inserter insert(database_, "calls", 23);
    for (std::size_t i = 0; i < p_.calls.size(); ++i) {
      const auto& c = p_.calls[i];
      insert.row(i, c.configuration, to_string(c.phase), c.process, c.thread, c.device, c.stream,
                 c.host_start_ns - origin_, c.host_end_ns - c.host_start_ns, c.status,
                 c.workspace_bytes, c.reserve_bytes, c.repetition, c.weights_bytes,
                 time(c.device_start_ns), known(c.device_duration_ns), to_string(c.source),
                 to_string(c.graph), c.reason, c.arguments, c.site, c.nvtx_path, c.forward);
    }
    return insert.ok();
  }

  bool setup_calls() {
    Inserter insert(database_, "setup_calls", 9);
    for (std::size_t i = 0; i < p_.setup_calls.size(); ++i) {
      const auto& c = p_.setup_calls[i];
      insert.row(i, c.configuration, c.function, c.process, c.thread, c.host_start_ns - origin_,
                 c.host_end_ns - c.host_start_ns, c.status, c.reason);
    }
    return insert.ok();
  }

  bool strings() {
    Inserter insert(database_, "strings", 2);
    for (std::size_t i = 0; i < p_.strings.size(); ++i) insert.row(i, p_.strings[i]);
    return insert.ok();
  }

  bool kernels() {
    const auto& k = p_.kernels;
    using Kind = std::tuple<int, int, int, int, std::array<int, 3>, std::array<int, 3>, int,
                            std::int64_t, std::int64_t, model::Implementation, KernelRole>;
    std::map<Kind, std::size_t> kinds;
    Inserter kind_rows(database_, "kernel_kinds", 16);
    Inserter records(database_, "kernel_records", 6);
    for (std::size_t i = 0; i < k.size() && records.ok(); ++i) {
      const Kind kind{k.name[i],           k.device[i], k.stream[i],    k.process[i],
                      k.grid[i],           k.block[i],  k.registers[i], k.shared_static[i],
                      k.shared_dynamic[i], k.family[i], k.role[i]};
      const auto [at, is_new] = kinds.try_emplace(kind, kinds.size());
      if (is_new) {
        kind_rows.row(at->second, k.name[i], k.device[i], k.stream[i], k.process[i], k.grid[i][0],
                      k.grid[i][1], k.grid[i][2], k.block[i][0], k.block[i][1], k.block[i][2],
                      k.registers[i], k.shared_static[i], k.shared_dynamic[i],
                      model::to_string(k.family[i]), to_string(k.role[i]));
      }
      records.row(i, k.start_ns[i] - origin_, k.end_ns[i] - k.start_ns[i], at->second, k.call[i],
                  k.correlation[i]);
    }
    return kind_rows.ok() && records.ok();
  }

  bool transfers() {
    const auto& t = p_.transfers;
    Inserter insert(database_, "transfers", 11);
    for (std::size_t i = 0; i < t.size() && insert.ok(); ++i) {
      insert.row(i, t.start_ns[i] - origin_, t.end_ns[i] - t.start_ns[i], t.bytes[i],
                 t.correlation[i], to_string(t.operation[i]), t.kind[i], t.call[i], t.device[i],
                 t.stream[i], t.process[i]);
    }
    return insert.ok();
  }

  bool api() {
    const auto& a = p_.api;
    using Kind = std::tuple<int, bool, int, int, std::int64_t>;
    std::map<Kind, std::size_t> kinds;
    Inserter kind_rows(database_, "api_kinds", 6);
    Inserter records(database_, "api_records", 6);
    for (std::size_t i = 0; i < a.size() && records.ok(); ++i) {
      const bool driver = a.driver[i];
      const auto [at, is_new] = kinds.try_emplace(
          Kind{a.name[i], driver, a.result[i], a.process[i], a.thread[i]}, kinds.size());
      if (is_new)
        kind_rows.row(at->second, a.name[i], driver, a.result[i], a.process[i], a.thread[i]);
      records.row(i, a.start_ns[i] - origin_, a.end_ns[i] - a.start_ns[i], at->second, a.call[i],
                  a.correlation[i]);
    }
    return kind_rows.ok() && records.ok();
  }

  bool others() {
    const auto& m = p_.allocations;
    Inserter allocations(database_, "allocations", 9);
    for (std::size_t i = 0; i < m.size() && allocations.ok(); ++i) {
      const bool release = m.release[i];
      allocations.row(i, m.time_ns[i] - origin_, m.bytes[i], m.address[i], release, m.device[i],
                      m.process[i], m.call[i], m.correlation[i]);
    }
    const auto& n = p_.nvtx;
    Inserter ranges(database_, "nvtx_ranges", 11);
    for (std::size_t i = 0; i < n.size() && ranges.ok(); ++i) {
      ranges.row(i, n.start_ns[i] - origin_, n.end_ns[i] - n.start_ns[i], n.name[i], n.domain[i],
                 n.color[i], n.depth[i], n.process[i], n.thread[i], n.category[i],
                 stored(n.payload[i]));
    }
    const auto& o = p_.overhead;
    Inserter overhead(database_, "overhead", 5);
    for (std::size_t i = 0; i < o.size() && overhead.ok(); ++i) {
      overhead.row(i, o.start_ns[i] - origin_, o.end_ns[i] - o.start_ns[i], o.kind[i],
                   o.process[i]);
    }
    const auto& c = p_.counters;
    Inserter counters(database_, "counter_samples", 7);
    for (std::size_t i = 0; i < c.size() && counters.ok(); ++i) {
      counters.row(i, c.start_ns[i] - origin_, c.end_ns[i] - c.start_ns[i], c.device[i],
                   c.process[i], c.metric[i], c.value[i]);
    }
    Inserter names(database_, "thread_names", 4);
    for (std::size_t i = 0; i < p_.thread_names.size() && names.ok(); ++i) {
      const auto& name = p_.thread_names[i];
      names.row(i, name.process, name.thread, name.name);
    }
    Inserter resources(database_, "resource_names", 5);
    for (std::size_t i = 0; i < p_.resource_names.size() && resources.ok(); ++i) {
      const auto& name = p_.resource_names[i];
      resources.row(i, name.process, name.device, name.stream, name.name);
    }
    return allocations.ok() && ranges.ok() && overhead.ok() && counters.ok() && names.ok() &&
           resources.ok();
  }

  const Profile& p_;
  sqlite3* database_;
  std::int64_t origin_;
};

}  // namespace

bool write_records(const Profile& profile, sqlite3* database, std::int64_t origin) {
  return RecordsWriter(profile, database, origin).write();
}

}  // namespace rnnadvisor
