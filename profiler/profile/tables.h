// The tables of a profile, each described once: ProfileBuilder, check_profile(), the .rnnprof file
// and its documented schema, the CSV of kernels and the comparison in tests follow from here. A new
// column is a member (profile.h, and its record in builder.h) and a line here, with
// `.from(version, …)` for a new rnnprof_schema_version (file.h).
//
// Tables stand in the order in which they are read: after those that their ids refer to.
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiler/profile/check.h"
#include "profiler/profile/columns.h"
#include "profiler/profile/file.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::columns {

// A lambda and not a pointer to a member: it is asked of rows, records and tables alike.
#define MEMBER(member) [](auto& row) -> decltype((row.member)) { return row.member; }
#define COLUMN(member, ...) column(#member, MEMBER(member), __VA_ARGS__)
#define COPY(name, type, value) \
  column(name, [](const auto& row) { return value; }, Copy<Sql::type>{})

inline constexpr auto itself = [](auto& row) -> auto& { return row; };

template <class Of, class Columns>
constexpr Table<Of, Columns> table(const char* name, Of of, Columns columns, int since = 1,
                                   const char* kinds = nullptr) {
  return {name, of, columns, since, kinds};
}
template <class Owners, class Of, class Columns, class Take>
constexpr Parts<Owners, Of, Take, Columns> parts(const char* name, const char* owner, Owners owners,
                                                 Of of, Columns columns, int since, Take take) {
  return {name, owner, owners, of, take, columns, since};
}
template <class Owners, class Of, class Columns>
constexpr auto parts(const char* name, const char* owner, Owners owners, Of of, Columns columns,
                     int since = 1) {
  return parts(name, owner, owners, of, columns, since, [of](auto& into, auto&& part) {
    of(into).push_back(std::forward<decltype(part)>(part));
  });
}

// The machine and the program: rows of a key and a value.
struct EnvironmentText {
  const char* key;
  std::string Environment::* text;
};
inline constexpr std::array<EnvironmentText, 15> environment_texts = {
    {{"rnnadvisor_version", &Environment::rnnadvisor_version},
     {"command_line", &Environment::command_line},
     {"host", &Environment::host},
     {"operating_system", &Environment::operating_system},
     {"cpu", &Environment::cpu},
     {"created", &Environment::created},
     {"driver_version", &Environment::driver_version},
     {"cuda_driver_version", &Environment::cuda_driver_version},
     {"cuda_runtime_version", &Environment::cuda_runtime_version},
     {"cudnn_version", &Environment::cudnn_version},
     {"cupti_version", &Environment::cupti_version},
     {"cudnn_path", &Environment::cudnn_path},
     {"cupti_path", &Environment::cupti_path},
     {"framework", &Environment::framework},
     {"framework_version", &Environment::framework_version}}};
struct EnvironmentFlag {
  const char* key;
  bool Environment::* flag;
};
inline constexpr std::array<EnvironmentFlag, 2> environment_flags = {
    {{"tracing", &Environment::tracing}, {"counters", &Environment::counters}}};

// What a table has in another form than the profile.
struct StoredPointer {
  CallPointer pointer = CallPointer::x;
  std::int64_t alignment = -1;
};
inline std::vector<StoredPointer> pointers_of(const CallArguments& arguments) {
  std::vector<StoredPointer> pointers;
  for (std::size_t i = 0; i < call_pointer_count; ++i) {
    if (arguments.alignment[i] >= 0)
      pointers.push_back({static_cast<CallPointer>(i), arguments.alignment[i]});
  }
  return pointers;
}

enum class ClocksWhen { before, after };
inline std::string_view to_string(ClocksWhen when) {
  return when == ClocksWhen::before ? "before" : "after";
}
struct StoredClocks {
  ClocksWhen when = ClocksWhen::before;
  GpuClocks clocks;
};
inline std::vector<StoredClocks> clocks_of(const Experiment& experiment) {
  std::vector<StoredClocks> all;
  if (experiment.clocks_before.known())
    all.push_back({ClocksWhen::before, experiment.clocks_before});
  if (experiment.clocks_after.known()) all.push_back({ClocksWhen::after, experiment.clocks_after});
  return all;
}

using T = Target;

// Tables of rows.
inline constexpr std::tuple row_tables(
    table("strings", MEMBER(strings), std::tuple(column("text", itself, String{}))),
    table("devices", MEMBER(devices),
          std::tuple(column("device_id", MEMBER(id), String{}), COLUMN(name, String{}),
                     COLUMN(architecture, String{}), COLUMN(compute_major, Range<0>{}),
                     COLUMN(compute_minor, Range<0>{}), COLUMN(sm_count, Range<0>{}),
                     COLUMN(memory_bytes, Range<0>{}), COLUMN(l2_bytes, Range<0>{}),
                     COLUMN(shared_memory_per_sm, Range<0>{}),
                     COLUMN(shared_memory_per_block, Range<0>{}),
                     COLUMN(registers_per_sm, Range<0>{}), COLUMN(memory_bandwidth, Real{}),
                     COLUMN(fp64_flops, Real{}), COLUMN(fp32_flops, Real{}),
                     COLUMN(tf32_tensor_flops, Real{}), COLUMN(fp16_flops, Real{}),
                     COLUMN(fp16_tensor_flops, Real{}), COLUMN(bf16_tensor_flops, Real{}),
                     COLUMN(boost_clock_hz, Real{}), COLUMN(source, String{}),
                     COLUMN(measured_bandwidth, MeasuredWithSource{}),
                     COLUMN(measured_fp16_tensor_flops, MeasuredWithSource{}),
                     COLUMN(kernel_launch_seconds, MeasuredWithSource{}),
                     COLUMN(grid_sync_seconds, MeasuredWithSource{}),
                     COLUMN(persist_backward_hidden, MeasuredWithSource{}).from(2, "NULL, NULL"),
                     COLUMN(cudnn_version, String{}), COLUMN(live, Flag{}),
                     COLUMN(uuid, String{}).from(3, "''"))),
    parts("device_hidden_limits", "device", MEMBER(devices), MEMBER(hidden_limits),
          std::tuple(COLUMN(algo, Word<Algo::persist_static_small_h>{}),
                     COLUMN(cell, Word<Cell::gru>{}), COLUMN(backward, Flag{}),
                     COLUMN(accepted, Range<0>{}), COLUMN(rejected, Range<0>{}),
                     COLUMN(source, String{}))),
    parts("device_crossovers", "device", MEMBER(devices), MEMBER(crossovers),
          std::tuple(COLUMN(cell, Word<Cell::gru>{}), COLUMN(data_type, Word<DataType::bfloat16>{}),
                     COLUMN(hidden_size, Range<0>{}), COLUMN(batch_forward, Real{}),
                     COLUMN(batch_training, Real{}), COLUMN(source, String{}))),
    table("clocks", MEMBER(environment.clocks),
          std::tuple(COLUMN(when, String{}), COLUMN(device, Id<T::devices>{}),
                     COLUMN(sm_mhz, Any{}), COLUMN(memory_mhz, Any{}), COLUMN(temperature_c, Any{}),
                     COLUMN(power_mw, Any{}))),
    table("configurations", MEMBER(configurations),
          std::tuple(
              column("json", itself, ConfigurationJson{}),
              column("written", itself, WrittenJson{}).from(7, "NULL"),
              COPY("name", text, std::string_view(row.config.id)),
              COPY("cell", text, to_string(row.config.cell)),
              COPY("algo", text, to_string(row.config.algo)),
              COPY("direction", text, to_string(row.config.direction)),
              COPY("data_type", text, to_string(row.config.data_type)),
              COPY("math_precision", text, to_string(row.config.math_precision)),
              COPY("math_type", text, to_string(row.config.math_type)),
              COPY("input_size", integer, row.config.input_size),
              COPY("hidden_size", integer, row.config.hidden_size),
              COPY("proj_size", integer, row.config.proj_size),
              COPY("num_layers", integer, row.config.num_layers),
              COPY("dropout", real, row.config.dropout),
              COPY("layout", text, to_string(row.config.layout)),
              COPY("seq_length", integer, row.config.seq_length),
              COPY("batch_size", integer, row.config.batch_size),
              COPY("mode", text, to_string(row.config.mode)),
              COLUMN(origin, Word<Origin::kernels>{}),
              COLUMN(outcome, Word<Outcome::interrupted>{}), COLUMN(message, String{}),
              COLUMN(device, Existing<T::devices>{}),
              column("weights", MEMBER(sizes.weights), SizeWithExactness{}),
              column("workspace_inference", MEMBER(sizes.workspace_inference),
                     SizeWithExactness{}),
              column("workspace_training", MEMBER(sizes.workspace_training), SizeWithExactness{}),
              column("reserve_training", MEMBER(sizes.reserve_training), SizeWithExactness{}),
              COLUMN(sizes_from_cudnn, Flag{}), COLUMN(memory_free_before, Range<-1>{}),
              COLUMN(memory_peak_used, Range<-1>{}), COLUMN(memory_predicted, Range<-1>{}),
              COLUMN(outputs_finite, Flag{}))),
    parts("configuration_stages", "configuration", MEMBER(configurations), MEMBER(stages),
          std::tuple(COLUMN(stage, Word<model::Stage::backward_weights>{}),
                     COLUMN(attempted, Flag{}), COLUMN(status, Any{}),
                     COLUMN(status_name, String{}), COLUMN(reason, String{}))),
    parts("configuration_timings", "configuration", MEMBER(configurations), MEMBER(timings),
          std::tuple(COLUMN(phase, Word<Phase::backward_weights>{}),
                     column("median_ms", MEMBER(ms.median), Real{}),
                     column("low_ms", MEMBER(ms.low), Real{}),
                     column("high_ms", MEMBER(ms.high), Real{}),
                     column("confidence", MEMBER(ms.confidence), Real{}),
                     column("count", MEMBER(ms.count), Range<0>{}), COLUMN(warmup, Range<0>{}),
                     COLUMN(converged, Flag{}), COLUMN(samples_ms, Samples{}))),
    parts("counters", "configuration", MEMBER(configurations), MEMBER(counters),
          std::tuple(COLUMN(phase, Word<Phase::backward_weights>{}), COLUMN(metric, String{}),
                     COLUMN(value, RealOrNan{}))),
    parts("correctness", "configuration", MEMBER(configurations), MEMBER(correctness),
          std::tuple(COLUMN(tensor, String{}), COLUMN(relative_error, RealOrNan{}),
                     COLUMN(tolerance, RealOrNan{}), COLUMN(passed, Flag{}))),
    table("processes", MEMBER(processes),
          std::tuple(COLUMN(pid, Range<-1>{}), COLUMN(parent_pid, Range<-1>{}),
                     COLUMN(host, String{}), COLUMN(executable, String{}),
                     COLUMN(command_line, String{}), COLUMN(cudnn_version, String{}),
                     COLUMN(framework, String{}), COLUMN(framework_version, String{}),
                     COLUMN(rank, Range<-1>{}), COLUMN(local_rank, Range<-1>{}),
                     COLUMN(world_size, Range<-1>{}), COLUMN(mode, String{}),
                     COLUMN(start_ns, OptionalTime{}), COLUMN(end_ns, OptionalTime{}),
                     column("ended", MEMBER(end), Word<ProcessEnd::killed>{}),
                     COLUMN(exit_status, Any{}), COLUMN(signal, Any{}),
                     COLUMN(memory_free_bytes, Range<-1>{}).from(9, "-1"),
                     COLUMN(cuda_status, Any{}).from(9, "0")),
          2),
    parts("process_variables", "process", MEMBER(processes), MEMBER(variables),
          std::tuple(column("name", MEMBER(first), String{}),
                     column("value", MEMBER(second), String{})),
          2),
    table("call_arguments", MEMBER(call_arguments),
          std::tuple(COLUMN(contiguous, OptionalFlag{}), COLUMN(seq_lengths, Lengths{})), 2),
    parts("call_pointers", "arguments", MEMBER(call_arguments), pointers_of,
          std::tuple(COLUMN(pointer, Word<CallPointer::seq_lengths>{}),
                     COLUMN(alignment, Range<0>{})),
          2,
          [](CallArguments& into, const StoredPointer& part) {
            into.alignment[static_cast<std::size_t>(part.pointer)] = part.alignment;
          }),
    table("call_sites", MEMBER(call_sites),
          std::tuple(COLUMN(file, Existing<T::strings>{}), COLUMN(line, Range<0>{}),
                     COLUMN(function, Text{}), column("inner_site", MEMBER(inner), Earlier{})),
          2),
    table("calls", MEMBER(calls),
          std::tuple(COLUMN(configuration, Id<T::configurations>{}),
                     COLUMN(phase, Word<Phase::backward_weights>{}),
                     COLUMN(process, Existing<T::processes>{}), COLUMN(thread, Any{}),
                     COLUMN(device, Id<T::devices>{}), COLUMN(stream, Any{}),
                     COLUMN(host_start_ns, Start<>{}),
                     column("host_duration_ns", MEMBER(host_end_ns),
                            Duration{MEMBER(host_start_ns)}),
                     COLUMN(status, Any{}), COLUMN(workspace_bytes, Any{}),
                     COLUMN(reserve_bytes, Any{}), COLUMN(repetition, Any{}),
                     COLUMN(weights_bytes, Any{}).from(2, "-1"),
                     COLUMN(device_start_ns, OptionalTime{}).from(2, "NULL"),
                     COLUMN(device_duration_ns, Known<0, -1, latest_time_ns>{}).from(2, "NULL"),
                     // Those of version 1 were all rnnadvisor's own.
                     COLUMN(source, Word<CallSource::kernels>{}).from(2, "'run'"),
                     COLUMN(graph, Word<GraphState::replayed>{}).from(2, "'none'"),
                     COLUMN(reason, Text{}).from(2, "-1"),
                     COLUMN(arguments, Id<T::call_arguments>{}).from(2, "-1"),
                     COLUMN(site, Id<T::call_sites>{}).from(2, "-1"),
                     COLUMN(nvtx_path, Text{}).from(2, "-1"),
                     COLUMN(forward, Id<T::calls>{}).from(2, "-1"),
                     COLUMN(untraced, Flag{}).from(8, "0"),
                     COLUMN(begins_step, Flag{}).from(8, "0"),
                     COLUMN(step_duration_ns, Known<0, -1, latest_time_ns>{}).from(8, "NULL"),
                     COLUMN(memory_free_bytes, Range<-1>{}).from(9, "-1"))),
    table("setup_calls", MEMBER(setup_calls),
          std::tuple(COLUMN(configuration, Id<T::configurations>{}),
                     COLUMN(function, Existing<T::strings>{}),
                     COLUMN(process, Existing<T::processes>{}), COLUMN(thread, Any{}),
                     COLUMN(host_start_ns, Start<Sorted::yes>{}),
                     column("host_duration_ns", MEMBER(host_end_ns),
                            Duration{MEMBER(host_start_ns)}),
                     COLUMN(status, Any{}), COLUMN(reason, Text{})),
          2),
    table("thread_names", MEMBER(thread_names),
          std::tuple(COLUMN(process, Existing<T::processes>{}), COLUMN(thread, Any{}),
                     COLUMN(name, Existing<T::strings>{})),
          3),
    table("resource_names", MEMBER(resource_names),
          std::tuple(COLUMN(process, Existing<T::processes>{}),
                     COLUMN(device, Existing<T::devices>{}), COLUMN(stream, Any{}),
                     COLUMN(name, Existing<T::strings>{})),
          4),
    table("notes", MEMBER(notes),
          std::tuple(COLUMN(severity, Word<NoteSeverity::error>{}), COLUMN(code, String{}),
                     COLUMN(text, String{}), COLUMN(count, Range<0>{}))),
    table("figures", MEMBER(figures),
          std::tuple(column("figure_id", MEMBER(id), String{}), COLUMN(title, String{}),
                     COLUMN(x_key, String{}), COLUMN(series_key, String{}),
                     COLUMN(measure, String{}), COLUMN(statement, String{}),
                     COLUMN(source, String{}))),
    parts("figure_configurations", "figure", MEMBER(figures), MEMBER(configuration_ids),
          std::tuple(column("configuration_name", itself, String{}))),
    // Nothing wrote experiments before version 3; they had other columns then.
    table("experiments", MEMBER(experiments),
          std::tuple(COLUMN(configuration, Id<T::configurations>{}), COLUMN(where, String{}),
                     COLUMN(rule, String{}), COLUMN(transforms, String{}),
                     COLUMN(meaning, String{}), COLUMN(verdict, Word<ExperimentVerdict::not_run>{}),
                     COLUMN(message, String{}), COLUMN(device, Id<T::devices>{}),
                     COLUMN(memory_before, Range<-1>{}), COLUMN(memory_after, Range<-1>{}),
                     COLUMN(seconds, Real{})),
          3),
    parts("experiment_changed", "experiment", MEMBER(experiments), MEMBER(changed),
          std::tuple(column("configuration", itself, Existing<T::configurations>{})), 3),
    parts(
        "experiment_timings", "experiment", MEMBER(experiments), MEMBER(timings),
        std::tuple(COLUMN(scope, Word<ExperimentScope::program_step>{}),
                   column("before_ms", MEMBER(before_ms.median), Real{}),
                   column("before_low_ms", MEMBER(before_ms.low), Real{}),
                   column("before_high_ms", MEMBER(before_ms.high), Real{}),
                   column("after_ms", MEMBER(after_ms.median), Real{}),
                   column("after_low_ms", MEMBER(after_ms.low), Real{}),
                   column("after_high_ms", MEMBER(after_ms.high), Real{}),
                   column("confidence", MEMBER(before_ms.confidence), Real{}),
                   column("count", MEMBER(before_ms.count), Range<0>{}), COLUMN(speedup, Real{}),
                   COLUMN(speedup_low, Real{}), COLUMN(speedup_high, Real{}),
                   COLUMN(control_low, Real{}), COLUMN(control_high, Real{}),
                   COLUMN(before_samples_ms, Samples{}), COLUMN(after_samples_ms, Samples{}),
                   COLUMN(control_samples_ms, Samples{})),
        3,
        [](Experiment& into, ExperimentTiming part) {
          part.after_ms.confidence = part.before_ms.confidence;
          part.after_ms.count = part.before_ms.count;
          into.timings.push_back(std::move(part));
        }),
    parts("experiment_shifts", "experiment", MEMBER(experiments), MEMBER(shifts),
          std::tuple(COLUMN(tensor, String{}), COLUMN(from_before, Real{}),
                     COLUMN(before_error, Real{}), COLUMN(after_error, Real{})),
          3),
    parts("experiment_clocks", "experiment", MEMBER(experiments), clocks_of,
          std::tuple(COLUMN(when, Word<ClocksWhen::after>{}),
                     column("sm_mhz", MEMBER(clocks.sm_mhz), Known<1, 0>{}),
                     column("memory_mhz", MEMBER(clocks.memory_mhz), Known<1, 0>{}),
                     column("temperature_c", MEMBER(clocks.temperature_c), Known<1, 0>{}),
                     column("power_mw", MEMBER(clocks.power_mw), Known<1, 0>{}),
                     column("event_reasons", MEMBER(clocks.event_reasons), Known<0, -1>{})),
          5,
          [](Experiment& into, const StoredClocks& part) {
            (part.when == ClocksWhen::before ? into.clocks_before : into.clocks_after) =
                part.clocks;
          }),
    parts("experiment_code", "experiment", MEMBER(experiments), MEMBER(code),
          std::tuple(COLUMN(name, String{}), COLUMN(language, String{}), COLUMN(text, String{})),
          3));

// Tables that keep their columns as vectors: what a trace has many of, sorted by their first
// column. The order of the columns is that of the CSV.
inline constexpr auto kernels = table(
    "kernel_records", MEMBER(kernels),
    std::tuple(COLUMN(start_ns, Start<Sorted::yes>{}),
               column("duration_ns", MEMBER(end_ns), Duration{MEMBER(start_ns)}),
               shared(COLUMN(name, Existing<T::strings>{})),
               shared(COLUMN(family, Word<model::Implementation::persistent_small_h>{})),
               shared(COLUMN(role, Word<KernelRole::unknown>{})), COLUMN(call, Id<T::calls>{}),
               shared(COLUMN(process, Existing<T::processes>{})),
               shared(COLUMN(device, Id<T::devices>{})), shared(COLUMN(stream, Any{})),
               shared(COLUMN(grid, Dimensions{})), shared(COLUMN(block, Dimensions{})),
               shared(COLUMN(registers, Range<0>{})), shared(COLUMN(shared_static, Range<0>{})),
               shared(COLUMN(shared_dynamic, Range<0>{})), COLUMN(correlation, Any{})),
    1, "kernel_kinds");
inline constexpr auto transfers =
    table("transfers", MEMBER(transfers),
          std::tuple(COLUMN(start_ns, Start<Sorted::yes>{}),
                     column("duration_ns", MEMBER(end_ns), Duration{MEMBER(start_ns)}),
                     COLUMN(bytes, Size{}), COLUMN(correlation, Any{}),
                     COLUMN(operation, Word<MemoryOperation::set>{}), COLUMN(kind, Any{}),
                     COLUMN(call, Id<T::calls>{}), COLUMN(device, Id<T::devices>{}),
                     COLUMN(stream, Any{}), COLUMN(process, Existing<T::processes>{})));
inline constexpr auto api =
    table("api_records", MEMBER(api),
          std::tuple(COLUMN(start_ns, Start<Sorted::yes>{}),
                     column("duration_ns", MEMBER(end_ns), Duration{MEMBER(start_ns)}),
                     shared(COLUMN(name, Text{})), shared(COLUMN(driver, Flag{})),
                     shared(COLUMN(result, Any{})), COLUMN(call, Id<T::calls>{}),
                     shared(COLUMN(process, Existing<T::processes>{})),
                     shared(COLUMN(thread, Any{})), COLUMN(correlation, Any{})),
          1, "api_kinds");
inline constexpr auto allocations =
    table("allocations", MEMBER(allocations),
          std::tuple(COLUMN(time_ns, Start<Sorted::yes>{}), COLUMN(bytes, Size{}),
                     COLUMN(address, Any{}), COLUMN(release, Flag{}),
                     COLUMN(device, Id<T::devices>{}), COLUMN(process, Existing<T::processes>{}),
                     COLUMN(call, Id<T::calls>{}).from(2, "-1"),
                     COLUMN(correlation, Any{}).from(2, "0")));
inline constexpr auto nvtx =
    table("nvtx_ranges", MEMBER(nvtx),
          std::tuple(COLUMN(start_ns, Start<Sorted::yes>{}),
                     column("duration_ns", MEMBER(end_ns), Duration{MEMBER(start_ns)}),
                     COLUMN(name, Text{}), COLUMN(domain, Text{}), COLUMN(color, Any{}),
                     COLUMN(depth, Level{}), COLUMN(process, Existing<T::processes>{}),
                     COLUMN(thread, Any{}), COLUMN(category, OptionalText{}).from(2, "-1"),
                     COLUMN(payload, Payload{}).from(2, "NULL")));
inline constexpr auto overhead =
    table("overhead", MEMBER(overhead),
          std::tuple(COLUMN(start_ns, Start<Sorted::yes>{}),
                     column("duration_ns", MEMBER(end_ns), Duration{MEMBER(start_ns)}),
                     COLUMN(kind, Text{}),
                     // Version 1 did not know whose it was: its first process has it.
                     COLUMN(process, Existing<T::processes>{}).from(2, "0")));
inline constexpr auto counters =
    table("counter_samples", MEMBER(counters),
          std::tuple(COLUMN(start_ns, Start<Sorted::yes>{}),
                     column("duration_ns", MEMBER(end_ns), Duration{MEMBER(start_ns)}),
                     COLUMN(device, Id<T::devices>{}), COLUMN(process, Existing<T::processes>{}),
                     COLUMN(metric, Existing<T::strings>{}), COLUMN(value, Real{})),
          3);
inline constexpr std::tuple record_tables(kernels, transfers, api, allocations, nvtx, overhead,
                                          counters);

inline constexpr auto findings = std::tuple(
    COLUMN(configuration, Range<-1>{}), COLUMN(rule, String{}), COLUMN(severity, String{}),
    COLUMN(confidence, String{}), COLUMN(title, String{}), COLUMN(message, String{}),
    COLUMN(suggestion, String{}), COLUMN(speedup, OptionalReal{}), COLUMN(speedup_basis, String{}));

// Every column is described: a structure of nothing but vectors has the size of its columns.
template <class Rows, class... Columns>
constexpr std::size_t described_bytes(const std::tuple<Columns...>& /*columns*/) {
  return (std::size_t{0} + ... + sizeof(std::declval<const Columns&>().of(std::declval<Rows&>())));
}
static_assert(described_bytes<KernelTable>(kernels.columns) == sizeof(KernelTable));
static_assert(described_bytes<TransferTable>(transfers.columns) == sizeof(TransferTable));
static_assert(described_bytes<ApiTable>(api.columns) == sizeof(ApiTable));
static_assert(described_bytes<AllocationTable>(allocations.columns) == sizeof(AllocationTable));
static_assert(described_bytes<NvtxTable>(nvtx.columns) == sizeof(NvtxTable));
static_assert(described_bytes<OverheadTable>(overhead.columns) == sizeof(OverheadTable));
static_assert(described_bytes<CounterTable>(counters.columns) == sizeof(CounterTable));

template <class Function>
void for_each_table(const Function& function) {
  for_each(row_tables, function);
  for_each(record_tables, function);
}

// Calls `change(target, id)` for every id of a profile.
template <class Change>
void for_each_id(Profile& profile, const Change& change) {
  for_each_table([&](const auto& table) {
    if constexpr (!is_parts<decltype(table)>) {
      for_each_id(table.columns, table.of(profile), 0, change);
    } else if constexpr (std::is_lvalue_reference_v<decltype(table.of(
                             *table.owners(profile).begin()))>) {
      for (auto& owner : table.owners(profile))
        for_each_id(table.columns, table.of(owner), 0, change);
    }
  });
}

// Calls `function` with the table whose rows are of that type.
template <class Row, class Function>
void with_table_of(const Function& function) {
  for_each(row_tables, [&](const auto& table) {
    if constexpr (!is_parts<decltype(table)>) {
      using Rows = std::decay_t<decltype(table.of(std::declval<const Profile&>()))>;
      if constexpr (std::is_same_v<Rows, std::vector<Row>>) function(table);
    }
  });
}

#undef MEMBER
#undef COLUMN
#undef COPY

}  // namespace rnnadvisor::columns
