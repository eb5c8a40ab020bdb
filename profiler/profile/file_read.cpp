// read_profile(): the tables of schema.sql back into a profile; its records are read by
// file_read_records.cpp. Types are checked value by value here, what values mean to each other in
// check.cpp.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <future>
#include <limits>
#include <optional>

#include "core/base/out_of_memory.h"
#include "core/config/read_config.h"
#include "profiler/profile/check.h"
#include "profiler/profile/checksum.h"
#include "profiler/profile/file.h"
#include "profiler/profile/file_parts.h"

namespace rnnadvisor {

namespace {

using sqlite::Rows;

class Reader {
 public:
  explicit Reader(RecordsInput input) : input_(std::move(input)), database_(input_.database) {}

  Result<Profile> read() {
    for (const auto part :
         {&Reader::meta, &Reader::environment, &Reader::devices, &Reader::device_limits,
          &Reader::configurations, &Reader::stages_and_timings, &Reader::counters_and_correctness,
          &Reader::records, &Reader::notes_and_figures, &Reader::experiments}) {
      if (auto done = (this->*part)(); !done) return fail(std::move(done.error()));
    }
    if (auto good = check_profile(p_, ErrorCode::damaged); !good)
      return fail(std::move(good.error()));
    return std::move(p_);
  }

 private:
  template <class Row>
  Result<void> each(const char* table, std::string_view columns, Row row) {
    return read_table(database_, table, columns, row);
  }

  Result<void> meta() {
    Rows rows(database_, "meta", "SELECT value FROM meta WHERE key='time_origin_ns'");
    if (rows.next()) origin_ = rows.int64(0, 0, latest_time_ns);
    if (!rows.ok()) return fail(rows.error());
    Rows version(database_, "user_version", "PRAGMA user_version");
    if (version.next()) version_ = version.int32(0);
    if (!version.ok()) return fail(version.error());
    return {};
  }

  Result<void> environment() {
    auto& e = p_.environment;
    struct Field {
      std::string_view key;
      std::string* text;
      bool* flag;
    };
    const std::array<Field, 17> fields = {
        {{"rnnadvisor_version", &e.rnnadvisor_version, nullptr},
         {"command_line", &e.command_line, nullptr},
         {"host", &e.host, nullptr},
         {"operating_system", &e.operating_system, nullptr},
         {"cpu", &e.cpu, nullptr},
         {"created", &e.created, nullptr},
         {"driver_version", &e.driver_version, nullptr},
         {"cuda_driver_version", &e.cuda_driver_version, nullptr},
         {"cuda_runtime_version", &e.cuda_runtime_version, nullptr},
         {"cudnn_version", &e.cudnn_version, nullptr},
         {"cupti_version", &e.cupti_version, nullptr},
         {"cudnn_path", &e.cudnn_path, nullptr},
         {"cupti_path", &e.cupti_path, nullptr},
         {"framework", &e.framework, nullptr},
         {"framework_version", &e.framework_version, nullptr},
         {"tracing", nullptr, &e.tracing},
         {"counters", nullptr, &e.counters}}};
    Rows rows(database_, "environment", "SELECT key, value FROM environment");
    while (rows.next()) {
      const std::string key = rows.text(0);
      const auto* field =
          std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key; });
      if (field == fields.end()) continue;  // of a person, or of a later version with this schema
      if (field->text != nullptr) *field->text = rows.text(1);
      if (field->flag != nullptr) *field->flag = rows.boolean(1);
    }
    if (!rows.ok()) return fail(rows.error());
    return each("clocks", "\"when\", device, sm_mhz, memory_mhz, temperature_c, power_mw",
                [&](Rows& r) {
                  e.clocks.push_back(
                      {r.text(0), r.int32(1), r.int32(2), r.int32(3), r.int32(4), r.int32(5)});
                });
  }

  static std::optional<MeasuredValue> measured(Rows& r, int column) {
    if (r.is_null(column)) return std::nullopt;
    return MeasuredValue{r.real(column), r.text(column + 1)};
  }

  Result<void> devices() {
    // Schema 1 has no place for the backward limit.
    const std::string columns = fmt::format(
        "device_id, name, architecture, compute_major, compute_minor, sm_count, memory_bytes, "
        "l2_bytes, shared_memory_per_sm, shared_memory_per_block, registers_per_sm, "
        "memory_bandwidth, fp64_flops, fp32_flops, tf32_tensor_flops, fp16_flops, "
        "fp16_tensor_flops, bf16_tensor_flops, boost_clock_hz, source, measured_bandwidth, "
        "measured_bandwidth_source, measured_fp16_tensor_flops, "
        "measured_fp16_tensor_flops_source, kernel_launch_seconds, kernel_launch_seconds_source, "
        "grid_sync_seconds, grid_sync_seconds_source, {}, cudnn_version, live, {}",
        version_ == 1 ? "NULL, NULL" : "persist_backward_hidden, persist_backward_hidden_source",
        version_ < 3 ? "''" : "uuid");
    return each("devices", columns, [&](Rows& r) {
      DeviceSpec d;
      d.id = r.text(0);
      d.name = r.text(1);
      d.architecture = r.text(2);
      d.compute_major = r.int32(3, 0);
      d.compute_minor = r.int32(4, 0);
      d.sm_count = r.int32(5, 0);
      d.memory_bytes = r.int64(6, 0);
      d.l2_bytes = r.int64(7, 0);
      d.shared_memory_per_sm = r.int64(8, 0);
      d.shared_memory_per_block = r.int64(9, 0);
      d.registers_per_sm = r.int64(10, 0);
      d.memory_bandwidth = r.real(11);
      d.fp64_flops = r.real(12);
      d.fp32_flops = r.real(13);
      d.tf32_tensor_flops = r.real(14);
      d.fp16_flops = r.real(15);
      d.fp16_tensor_flops = r.real(16);
      d.bf16_tensor_flops = r.real(17);
      d.boost_clock_hz = r.real(18);
      d.source = r.text(19);
      d.measured_bandwidth = measured(r, 20);
      d.measured_fp16_tensor_flops = measured(r, 22);
      d.kernel_launch_seconds = measured(r, 24);
      d.grid_sync_seconds = measured(r, 26);
      d.persist_backward_hidden = measured(r, 28);
      d.cudnn_version = r.text(30);
      d.live = r.boolean(31);
      d.uuid = r.text(32);
      p_.devices.push_back(std::move(d));
    });
  }

  DeviceSpec* device(Rows& r, int column) {
    const int index = r.index(column, p_.devices.size(), false);
    return r.ok() ? &p_.devices[static_cast<std::size_t>(index)] : nullptr;
  }

  Result<void> device_limits() {
    auto done = each("device_hidden_limits",
                     "device, algo, cell, backward, accepted, rejected, source", [&](Rows& r) {
                       if (auto* d = device(r, 0)) {
                         d->hidden_limits.push_back({r.word(1, Algo::persist_static_small_h),
                                                     r.word(2, Cell::gru), r.boolean(3),
                                                     r.int32(4, 0), r.int32(5, 0), r.text(6)});
                       }
                     });
    if (!done) return done;
    return each("device_crossovers",
                "device, cell, data_type, hidden_size, batch_forward, batch_training, source",
                [&](Rows& r) {
                  if (auto* d = device(r, 0)) {
                    d->crossovers.push_back({r.word(1, Cell::gru), r.word(2, DataType::bfloat16),
                                             r.int32(3, 0), r.real(4), r.real(5), r.text(6)});
                  }
                });
  }

  static model::Bytes bytes(Rows& r, int column) {
    return {r.int64(column, 0), r.word(column + 1, model::Exactness::unknown)};
  }

  Result<void> configurations() {
    return each(
        "configurations",
        "json, origin, outcome, message, device, weights_bytes, weights_exactness, "
        "workspace_inference_bytes, "
        "workspace_inference_exactness, workspace_training_bytes, workspace_training_exactness, "
        "reserve_training_bytes, reserve_training_exactness, sizes_from_cudnn, memory_free_before, "
        "memory_peak_used, memory_predicted, outputs_finite, " +
            std::string(version_ < 7 ? "NULL" : "written"),
        [&](Rows& r) {
          const auto input = read_json_line(r.text(0), "configurations.json", 1);
          if (!input) {
            r.wrong(0, fmt::format("is no configuration: {}", input.error().message));
            return;
          }
          Configuration f;
          f.config = input->config;
          f.program = input->program;
          f.origin = r.word(1, Origin::kernels);
          f.outcome = r.word(2, Outcome::interrupted);
          f.message = r.text(3);
          f.device = r.index(4, p_.devices.size(), false);
          f.sizes = {bytes(r, 5), bytes(r, 7), bytes(r, 9), bytes(r, 11)};
          f.sizes_from_cudnn = r.boolean(13);
          f.memory_free_before = r.int64(14, -1);
          f.memory_peak_used = r.int64(15, -1);
          f.memory_predicted = r.int64(16, -1);
          f.outputs_finite = r.boolean(17);
          if (!r.is_null(18)) {
            const auto written = read_json_line(r.text(18), "configurations.written", 1);
            if (!written) {
              r.wrong(18, fmt::format("is no configuration: {}", written.error().message));
              return;
            }
            f.given = written->given;
            if (!(written->config == f.config)) f.written = written->config;
          }
          p_.configurations.push_back(std::move(f));
        });
  }

  Configuration* configuration(Rows& r, int column) {
    const int index = r.index(column, p_.configurations.size(), false);
    return r.ok() ? &p_.configurations[static_cast<std::size_t>(index)] : nullptr;
  }

  Result<void> stages_and_timings() {
    auto done = each("configuration_stages",
                     "configuration, stage, attempted, status, status_name, reason", [&](Rows& r) {
                       if (auto* f = configuration(r, 0)) {
                         f->stages.push_back({r.word(1, model::Stage::backward_weights),
                                              r.boolean(2), r.int32(3), r.text(4), r.text(5)});
                       }
                     });
    if (!done) return done;
    return each("configuration_timings",
                "configuration, phase, median_ms, low_ms, high_ms, confidence, count, warmup, "
                "converged, samples_ms",
                [&](Rows& r) {
                  auto* f = configuration(r, 0);
                  auto samples = parse_samples(r.text(9));
                  if (f == nullptr || !samples) {
                    r.wrong(9, "is not a list of numbers");
                    return;
                  }
                  f->timings.push_back({r.word(1, Phase::backward_weights),
                                        {r.real(2), r.real(3), r.real(4), r.real(5), r.int32(6, 0)},
                                        std::move(*samples),
                                        r.int32(7, 0),
                                        r.boolean(8)});
                });
  }

  Result<void> counters_and_correctness() {
    auto done = each("counters", "configuration, phase, metric, value", [&](Rows& r) {
      if (auto* f = configuration(r, 0)) {
        f->counters.push_back({r.word(1, Phase::backward_weights), r.text(2), r.real_or_nan(3)});
      }
    });
    if (!done) return done;
    return each(
        "correctness", "configuration, tensor, relative_error, tolerance, passed", [&](Rows& r) {
          if (auto* f = configuration(r, 0)) {
            f->correctness.push_back({r.text(1), r.real_or_nan(2), r.real_or_nan(3), r.boolean(4)});
          }
        });
  }

  Result<void> records() {
    input_.version = version_;
    input_.origin = origin_;
    return read_records(p_, input_);
  }

  Result<void> notes_and_figures() {
    auto done = each("notes", "severity, code, text, count", [&](Rows& r) {
      p_.notes.push_back({r.word(0, NoteSeverity::error), r.text(1), r.text(2), r.int64(3, 0)});
    });
    if (!done) return done;
    done = each(
        "figures", "figure_id, title, x_key, series_key, measure, statement, source", [&](Rows& r) {
          p_.figures.push_back(
              {r.text(0), r.text(1), r.text(2), r.text(3), r.text(4), r.text(5), r.text(6), {}});
        });
    if (!done) return done;
    return each("figure_configurations", "figure, configuration_name", [&](Rows& r) {
      const int index = r.index(0, p_.figures.size(), false);
      if (r.ok())
        p_.figures[static_cast<std::size_t>(index)].configuration_ids.push_back(r.text(1));
    });
  }

  // Nothing wrote experiments before version 3; they had other columns then.
  Result<void> experiments() {
    if (version_ < 3) return {};
    return read_experiments(p_, database_, version_);
  }

  RecordsInput input_;
  sqlite3* database_;
  int version_ = 0;  // of the schema; open_profile() has looked that it is one of ours
  std::int64_t origin_ = 0;
  Profile p_;
};

constexpr std::int64_t large_file_bytes = 16 << 20;

// What tells a file from one that took its place.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  std::int64_t bytes;
  bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino, status.st_size};
}

Result<Profile> read(const std::string& path, const ProfileReadOptions& options) {
  const auto before = identity_of(path);
  // Checking the pages of a large file takes as long as reading them: both go on at once, and
  // nothing is returned unless both are well.
  const bool large = before && before->bytes > large_file_bytes;
  auto database = open_profile(path, !large);
  if (!database) return fail(std::move(database.error()));
  std::future<Result<void>> pages;
  RecordsInput input;
  input.database = database->get();
  input.options = options;
  if (large) {
    input.file_bytes = before->bytes;
    // A file that was replaced in between is another one; then one connection has to do.
    const auto another = [path, before]() -> Result<sqlite::Database> {
      auto second = open_profile(path, false);
      if (second && identity_of(path) != before)
        return fail(ErrorCode::io, "it was replaced while it was read");
      return second;
    };
    input.another = another;
    pages = std::async(std::launch::async, [another, path]() -> Result<void> {
      if (auto sealed = check_seal(path); !sealed) return sealed;
      const auto own = another();
      if (!own) return fail(own.error());
      return check_pages(own->get());
    });
  }
  auto profile = Reader(std::move(input)).read();
  if (large) {
    if (auto good = pages.get(); !good) return fail(about_file(std::move(good.error()), path));
  }
  if (!profile) return fail(about_file(std::move(profile.error()), path));
  return profile;
}

Result<Profile> read_bytes(std::string_view bytes, std::string_view name) {
  auto database = open_profile_bytes(bytes);
  if (!database) return fail(about_file(std::move(database.error()), name));
  RecordsInput input;
  input.database = database->get();
  auto profile = Reader(std::move(input)).read();
  if (!profile) return fail(about_file(std::move(profile.error()), name));
  return profile;
}

}  // namespace

Result<Profile> read_profile(const std::string& path, const ProfileReadOptions& options) {
  return or_out_of_memory(path, [&] { return read(path, options); });
}

Result<Profile> read_profile_bytes(std::string_view bytes, std::string_view name) {
  return or_out_of_memory(name, [&] { return read_bytes(bytes, name); });
}

}  // namespace rnnadvisor
