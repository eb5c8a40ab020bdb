// write_profile(): the profile into the tables of schema.sql, in one transaction on a fresh file.
// Its records are written by file_write_records.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/embedded.h"
#include "core/base/out_of_memory.h"
#include "core/base/output_file.h"
#include "core/config/read_config.h"
#include "profiler/profile/check.h"
#include "profiler/profile/checksum.h"
#include "profiler/profile/file.h"
#include "profiler/profile/file_parts.h"

namespace rnnadvisor {
namespace embedded {
std::span<const EmbeddedFile> profile_schema();
}

std::string_view profile_schema_sql() {
  const auto files = embedded::profile_schema();
  return files.empty() ? std::string_view() : files.front().text;
}

namespace {

using sqlite::Inserter;

// The earliest time in the profile: stored times count from it and stay short.
std::int64_t time_origin(const Profile& p) {
  std::int64_t origin = latest_time_ns;
  const auto see = [&](const std::vector<std::int64_t>& column) {
    if (!column.empty()) origin = std::min(origin, column.front());  // sorted
  };
  see(p.kernels.start_ns);
  see(p.transfers.start_ns);
  see(p.api.start_ns);
  see(p.allocations.time_ns);
  see(p.nvtx.start_ns);
  see(p.overhead.start_ns);
  see(p.counters.start_ns);
  for (const auto& call : p.setup_calls) origin = std::min(origin, call.host_start_ns);
  for (const auto& call : p.calls) origin = std::min(origin, call.host_start_ns);
  return origin == latest_time_ns ? 0 : origin;
}

class Writer {
 public:
  Writer(const Profile& profile, sqlite3* database)
      : p_(profile), database_(database), origin_(time_origin(profile)) {}

  Result<void> write() {
    // Small pages for small profiles: every table takes at least one, and samples are kept under
    // version control.
    const bool large = p_.kernels.size() + p_.api.size() > 50000;
    const std::string header =
        fmt::format("PRAGMA page_size={}; PRAGMA application_id={}; PRAGMA user_version={}",
                    large ? 8192 : 1024, rnnprof_application_id, rnnprof_schema_version);
    if (auto done = sqlite::execute(database_, header.c_str()); !done) return done;
    if (auto done = sqlite::execute(database_, "BEGIN"); !done) return done;
    if (auto done = sqlite::execute(database_, std::string(profile_schema_sql()).c_str()); !done)
      return done;
    // Table by table and in the order of their ids: every page is filled, so that a VACUUM would
    // gain nothing.
    const bool written = checksum() && meta() && environment() && devices() && configurations() &&
                         stages_and_timings() && write_records(p_, database_, origin_) && remarks();
    if (!written) return fail(sqlite::error_of(database_, "cannot be written"));
    return sqlite::execute(database_, "COMMIT");
  }

 private:
  // Its value is known when the file is closed.
  bool checksum() {
    Inserter insert(database_, "checksum", 2);
    insert.row(1, sqlite::Blob{unsealed_checksum});
    return insert.ok();
  }

  bool meta() {
    Inserter insert(database_, "meta", 2);
    insert.row("schema_version", rnnprof_schema_version);
    insert.row("time_origin_ns", origin_);
    return insert.ok();
  }

  bool environment() {
    const auto& e = p_.environment;
    Inserter insert(database_, "environment", 2);
    insert.row("rnnadvisor_version", e.rnnadvisor_version);
    insert.row("command_line", e.command_line);
    insert.row("host", e.host);
    insert.row("operating_system", e.operating_system);
    insert.row("cpu", e.cpu);
    insert.row("created", e.created);
    insert.row("driver_version", e.driver_version);
    insert.row("cuda_driver_version", e.cuda_driver_version);
    insert.row("cuda_runtime_version", e.cuda_runtime_version);
    insert.row("cudnn_version", e.cudnn_version);
    insert.row("cupti_version", e.cupti_version);
    insert.row("cudnn_path", e.cudnn_path);
    insert.row("cupti_path", e.cupti_path);
    insert.row("framework", e.framework);
    insert.row("framework_version", e.framework_version);
    insert.row("tracing", e.tracing);
    insert.row("counters", e.counters);
    Inserter clocks(database_, "clocks", 7);
    for (std::size_t i = 0; i < e.clocks.size(); ++i) {
      const auto& c = e.clocks[i];
      clocks.row(i, c.when, c.device, c.sm_mhz, c.memory_mhz, c.temperature_c, c.power_mw);
    }
    return insert.ok() && clocks.ok();
  }

  static std::optional<double> value(const std::optional<MeasuredValue>& measured) {
    if (!measured) return std::nullopt;
    return measured->value;
  }
  static std::optional<std::string_view> source(const std::optional<MeasuredValue>& measured) {
    if (!measured) return std::nullopt;
    return measured->source;
  }

  bool devices() {
    Inserter insert(database_, "devices", 34);
    Inserter limits(database_, "device_hidden_limits", 8);
    Inserter crossovers(database_, "device_crossovers", 8);
    std::size_t limit_id = 0, crossover_id = 0;
    for (std::size_t i = 0; i < p_.devices.size(); ++i) {
      const auto& d = p_.devices[i];
      insert.row(i, d.id, d.name, d.architecture, d.compute_major, d.compute_minor, d.sm_count,
                 d.memory_bytes, d.l2_bytes, d.shared_memory_per_sm, d.shared_memory_per_block,
                 d.registers_per_sm, d.memory_bandwidth, d.fp64_flops, d.fp32_flops,
                 d.tf32_tensor_flops, d.fp16_flops, d.fp16_tensor_flops, d.bf16_tensor_flops,
                 d.boost_clock_hz, d.source, value(d.measured_bandwidth),
                 source(d.measured_bandwidth), value(d.measured_fp16_tensor_flops),
                 source(d.measured_fp16_tensor_flops), value(d.kernel_launch_seconds),
                 source(d.kernel_launch_seconds), value(d.grid_sync_seconds),
                 source(d.grid_sync_seconds), value(d.persist_backward_hidden),
                 source(d.persist_backward_hidden), d.cudnn_version, d.live, d.uuid);
      for (const auto& limit : d.hidden_limits) {
        limits.row(limit_id++, i, to_string(limit.algo), to_string(limit.cell), limit.backward,
                   limit.accepted, limit.rejected, limit.source);
      }
      for (const auto& c : d.crossovers) {
        crossovers.row(crossover_id++, i, to_string(c.cell), to_string(c.data_type), c.hidden_size,
                       c.batch_forward, c.batch_training, c.source);
      }
    }
    return insert.ok() && limits.ok() && crossovers.ok();
  }

  bool configurations() {
    Inserter insert(database_, "configurations", 36);
    for (std::size_t i = 0; i < p_.configurations.size(); ++i) {
      const auto& f = p_.configurations[i];
      const auto& c = f.config;
      const auto& z = f.sizes;
      const auto written = f.given.empty()
                               ? std::nullopt
                               : std::optional(to_json_line(f.written.value_or(c), f.given));
      insert.row(i, to_json_line(ConfigInput{c, f.program, {}}), written, c.id, to_string(c.cell),
                 to_string(c.algo), to_string(c.direction), to_string(c.data_type),
                 to_string(c.math_precision), to_string(c.math_type), c.input_size, c.hidden_size,
                 c.proj_size, c.num_layers, c.dropout, to_string(c.layout), c.seq_length,
                 c.batch_size, to_string(c.mode), to_string(f.origin), to_string(f.outcome),
                 f.message, f.device, z.weights.value, to_string(z.weights.exactness),
                 z.workspace_inference.value, to_string(z.workspace_inference.exactness),
                 z.workspace_training.value, to_string(z.workspace_training.exactness),
                 z.reserve_training.value, to_string(z.reserve_training.exactness),
                 f.sizes_from_cudnn, f.memory_free_before, f.memory_peak_used, f.memory_predicted,
                 f.outputs_finite);
    }
    return insert.ok();
  }

  bool stages_and_timings() {
    Inserter stages(database_, "configuration_stages", 7);
    Inserter timings(database_, "configuration_timings", 11);
    Inserter counters(database_, "counters", 5);
    Inserter correctness(database_, "correctness", 6);
    std::size_t stage_id = 0, timing_id = 0, counter_id = 0, correctness_id = 0;
    for (std::size_t i = 0; i < p_.configurations.size(); ++i) {
      const auto& f = p_.configurations[i];
      for (const auto& s : f.stages) {
        stages.row(stage_id++, i, to_string(s.stage), s.attempted, s.status, s.status_name,
                   s.reason);
      }
      for (const auto& t : f.timings) {
        timings.row(timing_id++, i, to_string(t.phase), t.ms.median, t.ms.low, t.ms.high,
                    t.ms.confidence, t.ms.count, t.warmup, t.converged, samples_json(t.samples_ms));
      }
      for (const auto& c : f.counters)
        counters.row(counter_id++, i, to_string(c.phase), c.metric, c.value);
      for (const auto& c : f.correctness) {
        correctness.row(correctness_id++, i, c.tensor, c.relative_error, c.tolerance, c.passed);
      }
    }
    return stages.ok() && timings.ok() && counters.ok() && correctness.ok();
  }

  bool remarks() {
    Inserter notes(database_, "notes", 5);
    for (std::size_t i = 0; i < p_.notes.size(); ++i) {
      const auto& n = p_.notes[i];
      notes.row(i, to_string(n.severity), n.code, n.text, n.count);
    }
    Inserter figures(database_, "figures", 8);
    Inserter members(database_, "figure_configurations", 3);
    std::size_t member_id = 0;
    for (std::size_t i = 0; i < p_.figures.size(); ++i) {
      const auto& f = p_.figures[i];
      figures.row(i, f.id, f.title, f.x_key, f.series_key, f.measure, f.statement, f.source);
      for (const auto& id : f.configuration_ids) members.row(member_id++, i, id);
    }
    return notes.ok() && figures.ok() && members.ok() && write_experiments(p_, database_);
  }

  const Profile& p_;
  sqlite3* database_;
  std::int64_t origin_;
};

// Whether the reader would take every configuration: a profile that can be written can be read.
Result<void> check_configurations_read_back(const Profile& profile) {
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    const auto& f = profile.configurations[i];
    const ConfigInput input{f.config, f.program, {}};
    const auto back = read_json_line(to_json_line(input), "configuration", 1);
    if (back && back->config == input.config && back->program == input.program) continue;
    return fail(ErrorCode::internal,
                fmt::format("configuration {} ({}) does not survive being written: {}", i,
                            f.config.id, back ? "a field changed" : to_text(back.error())));
  }
  return {};
}

}  // namespace

Result<void> write_profile(const Profile& profile, const std::string& path, bool replace) {
  return or_out_of_memory(path, [&]() -> Result<void> {
    auto written = check_profile(profile, ErrorCode::internal);
    if (written) written = check_configurations_read_back(profile);
    if (!written) return fail(about_file(std::move(written.error()), path));
    return replace_profile(path, replace, [&](const std::string& temporary) -> Result<void> {
      auto database = sqlite::open_for_writing(temporary);
      if (!database) return fail(std::move(database.error()));
      return Writer(profile, database->get()).write();
    });
  });
}

Result<void> replace_profile(
    const std::string& path, bool replace,
    const std::function<Result<void>(const std::string& temporary)>& fill) {
  // Command lines, host names and paths of the program are nobody else's business.
  auto file = OutputFile::open(path, {.replace = replace, .owner_only = true});
  if (!file) return fail(std::move(file.error()));
  if (file->temporary().empty()) {
    return fail(about_file(
        {ErrorCode::io, "it is not a regular file", "choose another name", std::nullopt, {}},
        path));
  }
  auto filled = fill(file->temporary());
  if (filled) filled = seal(file->temporary());
  if (!filled) return fail(about_file(std::move(filled.error()), path));
  return file->commit();
}

}  // namespace rnnadvisor
