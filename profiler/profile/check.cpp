#include "profiler/profile/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>

namespace rnnadvisor {
namespace {

class Checker {
 public:
  explicit Checker(ErrorCode code) : code_(code) {}
  bool ok() const { return message_.empty(); }
  Result<void> result() const {
    if (ok()) return {};
    return fail(code_, message_);
  }

  void at(std::string_view table) { table_ = table; }

  void same_length(std::size_t count, std::initializer_list<std::size_t> lengths) {
    for (const auto length : lengths) {
      if (length != count && ok())
        message_ = fmt::format("{}: columns of {} and {} rows", table_, count, length);
    }
  }

  void in_range(std::size_t row, std::string_view column, std::int64_t value, std::int64_t least,
                std::int64_t most) {
    if ((value >= least && value <= most) || !ok()) return;
    message_ = fmt::format("{} row {}: {} is {}, expected {} to {}", table_, row, column, value,
                           least, most);
  }

  template <class Enum>
  void word(std::size_t row, std::string_view column, Enum value, Enum last) {
    in_range(row, column, static_cast<std::int64_t>(value), 0, static_cast<std::int64_t>(last));
  }

  // The last arguments: how many entries there are, and whether -1 is allowed.
  void index(std::size_t row, std::string_view column, int value, std::size_t count,
             bool may_be_none = true) {
    in_range(row, column, value, may_be_none ? -1 : 0, static_cast<std::int64_t>(count) - 1);
  }

  void finite(std::size_t row, std::string_view column, double value) {
    if (!std::isfinite(value) && ok())
      message_ = fmt::format("{} row {}: {} is not finite", table_, row, column);
  }

  void non_negative(std::size_t row, std::string_view column, std::int64_t value) {
    in_range(row, column, value, 0, std::numeric_limits<std::int64_t>::max());
  }

  // Sorted intervals whose durations can be added up.
  void intervals(const std::vector<std::int64_t>& start, const std::vector<std::int64_t>& end) {
    std::int64_t previous = 0;
    total_ = 0;
    for (std::size_t i = 0; ok() && i < start.size(); ++i) {
      in_range(i, "start", start[i], previous, latest_time_ns);
      in_range(i, "end", end[i], start[i], latest_time_ns);
      previous = start[i];
      if (ok()) add(i, "duration", end[i] - start[i]);
    }
  }

  void sums(std::string_view column, const std::vector<std::int64_t>& values) {
    total_ = 0;
    for (std::size_t i = 0; ok() && i < values.size(); ++i) {
      non_negative(i, column, values[i]);
      if (ok()) add(i, column, values[i]);
    }
  }

  void add(std::size_t row, std::string_view column, std::int64_t value) {
    if (__builtin_add_overflow(total_, value, &total_) && ok()) {
      message_ = fmt::format("{} row {}: the sum of {} overflows", table_, row, column);
    }
  }
  void start_sum() { total_ = 0; }

  void fail_at(std::size_t row, std::string_view what) {
    if (ok()) message_ = fmt::format("{} row {}: {}", table_, row, what);
  }

 private:
  ErrorCode code_;
  std::string_view table_;
  std::string message_;
  std::int64_t total_ = 0;
};

void check_devices(Checker& c, const Profile& p) {
  c.at("devices");
  for (std::size_t i = 0; i < p.devices.size(); ++i) {
    const auto& d = p.devices[i];
    for (const int value : {d.compute_major, d.compute_minor, d.sm_count})
      c.non_negative(i, "number", value);
    for (const std::int64_t value : {d.memory_bytes, d.l2_bytes, d.shared_memory_per_sm,
                                     d.shared_memory_per_block, d.registers_per_sm}) {
      c.non_negative(i, "size", value);
    }
    for (const double value :
         {d.memory_bandwidth, d.fp64_flops, d.fp32_flops, d.tf32_tensor_flops, d.fp16_flops,
          d.fp16_tensor_flops, d.bf16_tensor_flops, d.boost_clock_hz}) {
      c.finite(i, "rate", value);
    }
    for (const auto* value :
         {&d.measured_bandwidth, &d.measured_fp16_tensor_flops, &d.kernel_launch_seconds,
          &d.grid_sync_seconds, &d.persist_backward_hidden}) {
      if (*value) c.finite(i, "measured value", (*value)->value);
    }
    for (const auto& limit : d.hidden_limits) {
      c.word(i, "algo", limit.algo, Algo::persist_static_small_h);
      c.word(i, "cell", limit.cell, Cell::gru);
      c.non_negative(i, "accepted", limit.accepted);
      c.non_negative(i, "rejected", limit.rejected);
    }
    for (const auto& crossover : d.crossovers) {
      c.word(i, "cell", crossover.cell, Cell::gru);
      c.word(i, "data_type", crossover.data_type, DataType::bfloat16);
      c.non_negative(i, "hidden_size", crossover.hidden_size);
      c.finite(i, "batch_forward", crossover.batch_forward);
      c.finite(i, "batch_training", crossover.batch_training);
    }
  }
}

void check_configurations(Checker& c, const Profile& p) {
  for (std::size_t i = 0; c.ok() && i < p.configurations.size(); ++i) {
    c.at("configurations");
    const auto& f = p.configurations[i];
    c.index(i, "device", f.device, p.devices.size(), false);
    c.word(i, "origin", f.origin, Origin::kernels);
    c.word(i, "outcome", f.outcome, Outcome::interrupted);
    for (const auto* size : {&f.sizes.weights, &f.sizes.workspace_inference,
                             &f.sizes.workspace_training, &f.sizes.reserve_training}) {
      c.non_negative(i, "size", size->value);
      c.word(i, "exactness", size->exactness, model::Exactness::unknown);
    }
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    c.in_range(i, "memory_free_before", f.memory_free_before, -1, most);
    c.in_range(i, "memory_peak_used", f.memory_peak_used, -1, most);
    c.in_range(i, "memory_predicted", f.memory_predicted, -1, most);
    for (const auto& stage : f.stages)
      c.word(i, "stage", stage.stage, model::Stage::backward_weights);
    for (const auto& counter : f.counters)
      c.word(i, "phase of a counter", counter.phase, Phase::backward_weights);
    for (const auto& timing : f.timings) {
      c.at("timings of configurations");
      c.word(i, "phase", timing.phase, Phase::backward_weights);
      c.non_negative(i, "count", timing.ms.count);
      c.non_negative(i, "warmup", timing.warmup);
      for (const double value :
           {timing.ms.median, timing.ms.low, timing.ms.high, timing.ms.confidence}) {
        c.finite(i, "statistics", value);
      }
      for (const double value : timing.samples_ms) c.finite(i, "samples_ms", value);
    }
  }
}

void check_processes(Checker& c, const Profile& p) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  c.at("processes");
  for (std::size_t i = 0; c.ok() && i < p.processes.size(); ++i) {
    const auto& process = p.processes[i];
    c.in_range(i, "pid", process.pid, -1, most);
    c.in_range(i, "parent_pid", process.parent_pid, -1, most);
    c.in_range(i, "rank", process.rank, -1, most);
    c.in_range(i, "local_rank", process.local_rank, -1, most);
    c.in_range(i, "world_size", process.world_size, -1, most);
    c.in_range(i, "start", process.start_ns, -1, latest_time_ns);
    if (process.end_ns != -1)
      c.in_range(i, "end", process.end_ns, std::max<std::int64_t>(process.start_ns, 0),
                 latest_time_ns);
    c.word(i, "ended", process.end, ProcessEnd::killed);
    if (process.end == ProcessEnd::exited) {
      c.in_range(i, "exit_status", process.exit_status, 0, 255);
    } else {
      c.in_range(i, "exit_status", process.exit_status, -1, -1);
    }
    if (process.end == ProcessEnd::signalled || process.end == ProcessEnd::killed) {
      c.in_range(i, "signal", process.signal, 1, 127);
    } else {
      c.in_range(i, "signal", process.signal, -1, -1);
    }
  }
}

void check_call_parts(Checker& c, const Profile& p) {
  c.at("call_arguments");
  for (std::size_t i = 0; c.ok() && i < p.call_arguments.size(); ++i) {
    for (const std::int64_t bytes : p.call_arguments[i].alignment) {
      if (bytes < -1 || (bytes > 0 && !std::has_single_bit(static_cast<std::uint64_t>(bytes))))
        c.fail_at(i, fmt::format("alignment is {}, expected -1, 0 or a power of two", bytes));
    }
    for (const int length : p.call_arguments[i].seq_lengths) c.non_negative(i, "length", length);
  }
  c.at("call_sites");
  for (std::size_t i = 0; c.ok() && i < p.call_sites.size(); ++i) {
    c.index(i, "file", p.call_sites[i].file, p.strings.size(), false);
    c.index(i, "function", p.call_sites[i].function, p.strings.size());
    c.non_negative(i, "line", p.call_sites[i].line);
    c.index(i, "inner", p.call_sites[i].inner, i);
  }
}

void check_calls(Checker& c, const Profile& p) {
  c.at("calls");
  c.start_sum();
  for (std::size_t i = 0; c.ok() && i < p.calls.size(); ++i) {
    const auto& call = p.calls[i];
    c.index(i, "configuration", call.configuration, p.configurations.size());
    c.index(i, "process", call.process, p.processes.size(), false);
    c.index(i, "device", call.device, p.devices.size());
    c.word(i, "phase", call.phase, Phase::backward_weights);
    c.in_range(i, "host_start_ns", call.host_start_ns, 0, latest_time_ns);
    c.in_range(i, "host_end_ns", call.host_end_ns, call.host_start_ns, latest_time_ns);
    if (c.ok()) c.add(i, "duration", call.host_end_ns - call.host_start_ns);
    c.word(i, "source", call.source, CallSource::kernels);
    c.word(i, "graph", call.graph, GraphState::replayed);
    c.index(i, "reason", call.reason, p.strings.size());
    c.index(i, "arguments", call.arguments, p.call_arguments.size());
    c.index(i, "site", call.site, p.call_sites.size());
    c.index(i, "nvtx_path", call.nvtx_path, p.strings.size());
    c.index(i, "forward", call.forward, p.calls.size());
  }
  c.start_sum();
  for (std::size_t i = 0; c.ok() && i < p.calls.size(); ++i) {
    const auto& call = p.calls[i];
    c.in_range(i, "device_duration_ns", call.device_duration_ns, -1, latest_time_ns);
    if (!c.ok() || call.device_duration_ns < 0) {
      c.in_range(i, "device_start_ns without a duration", call.device_start_ns, -1, -1);
      continue;
    }
    c.in_range(i, "device_start_ns", call.device_start_ns, -1,
               latest_time_ns - call.device_duration_ns);
    c.add(i, "device duration", call.device_duration_ns);
  }
}

void check_setup_calls(Checker& c, const Profile& p) {
  c.at("setup_calls");
  c.start_sum();
  std::int64_t previous = 0;
  for (std::size_t i = 0; c.ok() && i < p.setup_calls.size(); ++i) {
    const auto& call = p.setup_calls[i];
    c.index(i, "configuration", call.configuration, p.configurations.size());
    c.index(i, "function", call.function, p.strings.size(), false);
    c.index(i, "process", call.process, p.processes.size(), false);
    c.index(i, "reason", call.reason, p.strings.size());
    c.in_range(i, "host_start_ns", call.host_start_ns, previous, latest_time_ns);
    c.in_range(i, "host_end_ns", call.host_end_ns, call.host_start_ns, latest_time_ns);
    if (c.ok()) c.add(i, "duration", call.host_end_ns - call.host_start_ns);
    previous = call.host_start_ns;
  }
}

void check_kernels(Checker& c, const Profile& p) {
  const auto& k = p.kernels;
  c.at("kernels");
  c.same_length(k.size(), {k.end_ns.size(), k.name.size(), k.call.size(), k.device.size(),
                           k.stream.size(), k.process.size(), k.correlation.size(), k.grid.size(),
                           k.block.size(), k.registers.size(), k.shared_static.size(),
                           k.shared_dynamic.size(), k.family.size(), k.role.size()});
  if (!c.ok()) return;
  c.intervals(k.start_ns, k.end_ns);
  for (std::size_t i = 0; c.ok() && i < k.size(); ++i) {
    c.index(i, "name", k.name[i], p.strings.size(), false);
    c.index(i, "call", k.call[i], p.calls.size());
    c.index(i, "process", k.process[i], p.processes.size(), false);
    c.index(i, "device", k.device[i], p.devices.size());
    c.non_negative(i, "registers", k.registers[i]);
    c.non_negative(i, "shared_static", k.shared_static[i]);
    c.non_negative(i, "shared_dynamic", k.shared_dynamic[i]);
    for (std::size_t d = 0; d < 3; ++d) {
      c.non_negative(i, "grid", k.grid[i][d]);
      c.non_negative(i, "block", k.block[i][d]);
    }
    c.word(i, "family", k.family[i], model::Implementation::persistent_small_h);
    c.word(i, "role", k.role[i], KernelRole::unknown);
  }
}

void check_other_tables(Checker& c, const Profile& p) {
  const auto& t = p.transfers;
  c.at("transfers");
  c.same_length(t.size(),
                {t.end_ns.size(), t.bytes.size(), t.correlation.size(), t.operation.size(),
                 t.kind.size(), t.call.size(), t.device.size(), t.stream.size(), t.process.size()});
  if (!c.ok()) return;
  c.intervals(t.start_ns, t.end_ns);
  c.sums("bytes", t.bytes);
  for (std::size_t i = 0; c.ok() && i < t.size(); ++i) {
    c.index(i, "call", t.call[i], p.calls.size());
    c.index(i, "process", t.process[i], p.processes.size(), false);
    c.index(i, "device", t.device[i], p.devices.size());
    c.word(i, "operation", t.operation[i], MemoryOperation::set);
  }
  const auto& a = p.api;
  c.at("api");
  c.same_length(a.size(), {a.end_ns.size(), a.correlation.size(), a.thread.size(), a.name.size(),
                           a.call.size(), a.process.size(), a.driver.size(), a.result.size()});
  if (!c.ok()) return;
  c.intervals(a.start_ns, a.end_ns);
  for (std::size_t i = 0; c.ok() && i < a.size(); ++i) {
    c.index(i, "name", a.name[i], p.strings.size());
    c.index(i, "call", a.call[i], p.calls.size());
    c.index(i, "process", a.process[i], p.processes.size(), false);
  }
  const auto& m = p.allocations;
  c.at("allocations");
  c.same_length(m.size(), {m.bytes.size(), m.address.size(), m.correlation.size(), m.release.size(),
                           m.call.size(), m.device.size(), m.process.size()});
  if (!c.ok()) return;
  c.intervals(m.time_ns, m.time_ns);
  c.sums("bytes", m.bytes);
  for (std::size_t i = 0; c.ok() && i < m.size(); ++i) {
    c.index(i, "call", m.call[i], p.calls.size());
    c.index(i, "device", m.device[i], p.devices.size());
    c.index(i, "process", m.process[i], p.processes.size(), false);
  }
  const auto& n = p.nvtx;
  c.at("nvtx");
  c.same_length(n.size(), {n.end_ns.size(), n.thread.size(), n.name.size(), n.domain.size(),
                           n.category.size(), n.color.size(), n.payload.size(), n.depth.size(),
                           n.process.size()});
  if (!c.ok()) return;
  c.intervals(n.start_ns, n.end_ns);
  for (std::size_t i = 0; c.ok() && i < n.size(); ++i) {
    c.index(i, "name", n.name[i], p.strings.size());
    c.index(i, "domain", n.domain[i], p.strings.size());
    c.index(i, "category", n.category[i], p.strings.size());
    c.index(i, "process", n.process[i], p.processes.size(), false);
    const auto* number = std::get_if<std::uint64_t>(&n.payload[i]);
    if (number != nullptr && std::in_range<std::int64_t>(*number))
      c.fail_at(i, fmt::format("payload {} is kept as an unsigned number", *number));
    // Deeper than there are ranges is impossible, and a reader may draw one row per level.
    c.index(i, "depth", n.depth[i], i + 1, false);
  }
  const auto& o = p.overhead;
  c.at("overhead");
  c.same_length(o.size(), {o.end_ns.size(), o.kind.size(), o.process.size()});
  if (!c.ok()) return;
  c.intervals(o.start_ns, o.end_ns);
  for (std::size_t i = 0; c.ok() && i < o.size(); ++i) {
    c.index(i, "kind", o.kind[i], p.strings.size());
    c.index(i, "process", o.process[i], p.processes.size(), false);
  }
}

void check_counters_and_names(Checker& c, const Profile& p) {
  const auto& t = p.counters;
  c.at("counter_samples");
  c.same_length(t.size(), {t.end_ns.size(), t.device.size(), t.process.size(), t.metric.size(),
                           t.value.size()});
  if (!c.ok()) return;
  c.intervals(t.start_ns, t.end_ns);
  for (std::size_t i = 0; c.ok() && i < t.size(); ++i) {
    c.index(i, "device", t.device[i], p.devices.size());
    c.index(i, "process", t.process[i], p.processes.size(), false);
    c.index(i, "metric", t.metric[i], p.strings.size(), false);
    c.finite(i, "value", t.value[i]);
  }
  c.at("thread_names");
  for (std::size_t i = 0; c.ok() && i < p.thread_names.size(); ++i) {
    c.index(i, "process", p.thread_names[i].process, p.processes.size(), false);
    c.index(i, "name", p.thread_names[i].name, p.strings.size(), false);
  }
  c.at("resource_names");
  for (std::size_t i = 0; c.ok() && i < p.resource_names.size(); ++i) {
    const auto& named = p.resource_names[i];
    c.index(i, "process", named.process, p.processes.size(), false);
    c.index(i, "device", named.device, p.devices.size(), false);
    c.index(i, "name", named.name, p.strings.size(), false);
  }
}

void check_experiments(Checker& c, const Profile& p) {
  for (std::size_t i = 0; c.ok() && i < p.experiments.size(); ++i) {
    const auto& e = p.experiments[i];
    c.at("experiments");
    c.index(i, "configuration", e.configuration, p.configurations.size());
    c.index(i, "device", e.device, p.devices.size());
    c.word(i, "verdict", e.verdict, ExperimentVerdict::not_run);
    c.finite(i, "seconds", e.seconds);
    c.at("experiment_changed");
    for (const int changed : e.changed)
      c.index(i, "configuration", changed, p.configurations.size(), false);
    c.at("experiment_timings");
    for (const auto& t : e.timings) {
      c.word(i, "scope", t.scope, ExperimentScope::program_step);
      c.non_negative(i, "count", t.before_ms.count);
      for (const double value :
           {t.before_ms.median, t.before_ms.low, t.before_ms.high, t.before_ms.confidence,
            t.after_ms.median, t.after_ms.low, t.after_ms.high, t.speedup, t.speedup_low,
            t.speedup_high, t.control_low, t.control_high})
        c.finite(i, "time", value);
      for (const auto* samples : {&t.before_samples_ms, &t.after_samples_ms, &t.control_samples_ms})
        for (const double sample : *samples) c.finite(i, "sample", sample);
    }
    c.at("experiment_clocks");
    for (const auto& clocks : {e.clocks_before, e.clocks_after}) {
      for (const int value :
           {clocks.sm_mhz, clocks.memory_mhz, clocks.temperature_c, clocks.power_mw})
        c.non_negative(i, "clock", value);
    }
    c.at("experiment_shifts");
    for (const auto& s : e.shifts) {
      for (const double value : {s.from_before, s.before_error, s.after_error})
        c.finite(i, "shift", value);
    }
  }
}

void check_remarks(Checker& c, const Profile& p) {
  c.at("notes");
  for (std::size_t i = 0; i < p.notes.size(); ++i) {
    c.word(i, "severity", p.notes[i].severity, NoteSeverity::error);
    c.non_negative(i, "count", p.notes[i].count);
  }
  c.at("clocks");
  for (std::size_t i = 0; i < p.environment.clocks.size(); ++i) {
    c.index(i, "device", p.environment.clocks[i].device, p.devices.size());
  }
}

}  // namespace

Result<void> check_profile(const Profile& profile, ErrorCode code) {
  Checker checker(code);
  for (const auto check : {check_devices, check_configurations, check_processes, check_call_parts,
                           check_calls, check_setup_calls, check_kernels, check_other_tables,
                           check_counters_and_names, check_experiments, check_remarks}) {
    check(checker, profile);
    if (!checker.ok()) break;
  }
  return checker.result();
}

}  // namespace rnnadvisor
