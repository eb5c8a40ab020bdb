#include <gtest/gtest.h>

#include <cmath>

#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor::testing {
namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_equal_environments(const Environment& a, const Environment& b) {
  const auto fields = {&Environment::rnnadvisor_version,
                       &Environment::command_line,
                       &Environment::host,
                       &Environment::operating_system,
                       &Environment::cpu,
                       &Environment::created,
                       &Environment::driver_version,
                       &Environment::cuda_driver_version,
                       &Environment::cuda_runtime_version,
                       &Environment::cudnn_version,
                       &Environment::cupti_version,
                       &Environment::cudnn_path,
                       &Environment::cupti_path,
                       &Environment::framework,
                       &Environment::framework_version};
  int number = 0;
  for (const auto field : fields) EXPECT_EQ(a.*field, b.*field) << "environment text " << number++;
  EXPECT_EQ(a.tracing, b.tracing);
  EXPECT_EQ(a.counters, b.counters);
  ASSERT_EQ(a.clocks.size(), b.clocks.size());
  for (std::size_t i = 0; i < a.clocks.size(); ++i) {
    const auto &x = a.clocks[i], &y = b.clocks[i];
    EXPECT_EQ(std::tie(x.when, x.device, x.sm_mhz, x.memory_mhz, x.temperature_c, x.power_mw),
              std::tie(y.when, y.device, y.sm_mhz, y.memory_mhz, y.temperature_c, y.power_mw));
  }
}

void expect_equal_configurations(const Configuration& a, const Configuration& b) {
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.program, b.program);
  EXPECT_EQ(a.written, b.written);
  EXPECT_EQ(a.given, b.given);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.sizes.weights, b.sizes.weights);
  EXPECT_EQ(a.sizes.workspace_inference, b.sizes.workspace_inference);
  EXPECT_EQ(a.sizes.workspace_training, b.sizes.workspace_training);
  EXPECT_EQ(a.sizes.reserve_training, b.sizes.reserve_training);
  EXPECT_EQ(a.sizes_from_cudnn, b.sizes_from_cudnn);
  EXPECT_EQ(a.memory_free_before, b.memory_free_before);
  EXPECT_EQ(a.memory_peak_used, b.memory_peak_used);
  EXPECT_EQ(a.memory_predicted, b.memory_predicted);
  EXPECT_EQ(a.outputs_finite, b.outputs_finite);
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (std::size_t i = 0; i < a.stages.size(); ++i) {
    const auto &x = a.stages[i], &y = b.stages[i];
    EXPECT_EQ(std::tie(x.stage, x.attempted, x.status, x.status_name, x.reason),
              std::tie(y.stage, y.attempted, y.status, y.status_name, y.reason));
  }
  ASSERT_EQ(a.timings.size(), b.timings.size());
  for (std::size_t i = 0; i < a.timings.size(); ++i) {
    const auto &x = a.timings[i], &y = b.timings[i];
    EXPECT_EQ(std::tie(x.phase, x.ms.median, x.ms.low, x.ms.high, x.ms.confidence, x.ms.count,
                       x.samples_ms, x.warmup, x.converged),
              std::tie(y.phase, y.ms.median, y.ms.low, y.ms.high, y.ms.confidence, y.ms.count,
                       y.samples_ms, y.warmup, y.converged));
  }
  ASSERT_EQ(a.counters.size(), b.counters.size());
  for (std::size_t i = 0; i < a.counters.size(); ++i) {
    const auto &x = a.counters[i], &y = b.counters[i];
    EXPECT_EQ(std::tie(x.phase, x.metric), std::tie(y.phase, y.metric));
    EXPECT_TRUE(same(x.value, y.value)) << x.value << " and " << y.value;
  }
  ASSERT_EQ(a.correctness.size(), b.correctness.size());
  for (std::size_t i = 0; i < a.correctness.size(); ++i) {
    const auto &x = a.correctness[i], &y = b.correctness[i];
    EXPECT_EQ(std::tie(x.tensor, x.tolerance, x.passed), std::tie(y.tensor, y.tolerance, y.passed));
    EXPECT_TRUE(same(x.relative_error, y.relative_error))
        << x.relative_error << " and " << y.relative_error;
  }
}

auto fields(const RnnCall& c) {
  return std::tie(c.configuration, c.phase, c.process, c.thread, c.device, c.stream,
                  c.host_start_ns, c.host_end_ns, c.status, c.workspace_bytes, c.reserve_bytes,
                  c.repetition, c.weights_bytes, c.device_start_ns, c.device_duration_ns, c.source,
                  c.graph, c.reason, c.arguments, c.site, c.nvtx_path, c.forward);
}

auto fields(const SetupCall& c) {
  return std::tie(c.configuration, c.function, c.process, c.thread, c.host_start_ns, c.host_end_ns,
                  c.status, c.reason);
}

auto fields(const Process& p) {
  return std::tie(p.pid, p.parent_pid, p.host, p.executable, p.command_line, p.cudnn_version,
                  p.framework, p.framework_version, p.rank, p.local_rank, p.world_size, p.mode,
                  p.start_ns, p.end_ns, p.end, p.exit_status, p.signal, p.variables);
}

auto fields(const CallArguments& a) { return std::tie(a.alignment, a.contiguous, a.seq_lengths); }

auto fields(const CallSite& s) { return std::tie(s.file, s.line, s.function, s.inner); }

template <class Row>
void expect_equal_rows(const char* table, const std::vector<Row>& a, const std::vector<Row>& b) {
  ASSERT_EQ(a.size(), b.size()) << table;
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(fields(a[i]), fields(b[i])) << table << " row " << i;
}

void expect_equal_payloads(const std::vector<NvtxPayload>& a, const std::vector<NvtxPayload>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto *x = std::get_if<double>(&a[i]), *y = std::get_if<double>(&b[i]);
    if (x != nullptr && y != nullptr) {
      EXPECT_TRUE(same(*x, *y)) << *x << " and " << *y;
    } else {
      EXPECT_EQ(a[i], b[i]) << "payload " << i;
    }
  }
}

}  // namespace

#define EXPECT_SAME_COLUMN(table, column) \
  EXPECT_EQ(a.table.column, b.table.column) << #table "." #column

void expect_equal(const Profile& a, const Profile& b) {
  expect_equal_environments(a.environment, b.environment);
  EXPECT_EQ(a.devices, b.devices);
  EXPECT_EQ(a.strings, b.strings);
  ASSERT_EQ(a.configurations.size(), b.configurations.size());
  for (std::size_t i = 0; i < a.configurations.size(); ++i) {
    SCOPED_TRACE(a.configurations[i].config.id);
    expect_equal_configurations(a.configurations[i], b.configurations[i]);
  }
  expect_equal_rows("processes", a.processes, b.processes);
  expect_equal_rows("calls", a.calls, b.calls);
  expect_equal_rows("call_arguments", a.call_arguments, b.call_arguments);
  expect_equal_rows("call_sites", a.call_sites, b.call_sites);
  expect_equal_rows("setup_calls", a.setup_calls, b.setup_calls);

  EXPECT_SAME_COLUMN(kernels, start_ns);
  EXPECT_SAME_COLUMN(kernels, end_ns);
  EXPECT_SAME_COLUMN(kernels, name);
  EXPECT_SAME_COLUMN(kernels, call);
  EXPECT_SAME_COLUMN(kernels, device);
  EXPECT_SAME_COLUMN(kernels, stream);
  EXPECT_SAME_COLUMN(kernels, process);
  EXPECT_SAME_COLUMN(kernels, correlation);
  EXPECT_SAME_COLUMN(kernels, grid);
  EXPECT_SAME_COLUMN(kernels, block);
  EXPECT_SAME_COLUMN(kernels, registers);
  EXPECT_SAME_COLUMN(kernels, shared_static);
  EXPECT_SAME_COLUMN(kernels, shared_dynamic);
  EXPECT_SAME_COLUMN(kernels, family);
  EXPECT_SAME_COLUMN(kernels, role);
  EXPECT_SAME_COLUMN(transfers, start_ns);
  EXPECT_SAME_COLUMN(transfers, end_ns);
  EXPECT_SAME_COLUMN(transfers, bytes);
  EXPECT_SAME_COLUMN(transfers, correlation);
  EXPECT_SAME_COLUMN(transfers, operation);
  EXPECT_SAME_COLUMN(transfers, kind);
  EXPECT_SAME_COLUMN(transfers, call);
  EXPECT_SAME_COLUMN(transfers, device);
  EXPECT_SAME_COLUMN(transfers, stream);
  EXPECT_SAME_COLUMN(transfers, process);
  EXPECT_SAME_COLUMN(api, start_ns);
  EXPECT_SAME_COLUMN(api, end_ns);
  EXPECT_SAME_COLUMN(api, correlation);
  EXPECT_SAME_COLUMN(api, thread);
  EXPECT_SAME_COLUMN(api, name);
  EXPECT_SAME_COLUMN(api, call);
  EXPECT_SAME_COLUMN(api, process);
  EXPECT_SAME_COLUMN(api, driver);
  EXPECT_SAME_COLUMN(api, result);
  EXPECT_SAME_COLUMN(allocations, time_ns);
  EXPECT_SAME_COLUMN(allocations, bytes);
  EXPECT_SAME_COLUMN(allocations, address);
  EXPECT_SAME_COLUMN(allocations, correlation);
  EXPECT_SAME_COLUMN(allocations, release);
  EXPECT_SAME_COLUMN(allocations, call);
  EXPECT_SAME_COLUMN(allocations, device);
  EXPECT_SAME_COLUMN(allocations, process);
  EXPECT_SAME_COLUMN(nvtx, start_ns);
  EXPECT_SAME_COLUMN(nvtx, end_ns);
  EXPECT_SAME_COLUMN(nvtx, thread);
  EXPECT_SAME_COLUMN(nvtx, name);
  EXPECT_SAME_COLUMN(nvtx, domain);
  EXPECT_SAME_COLUMN(nvtx, category);
  EXPECT_SAME_COLUMN(nvtx, color);
  expect_equal_payloads(a.nvtx.payload, b.nvtx.payload);
  EXPECT_SAME_COLUMN(nvtx, depth);
  EXPECT_SAME_COLUMN(nvtx, process);
  EXPECT_SAME_COLUMN(overhead, start_ns);
  EXPECT_SAME_COLUMN(overhead, end_ns);
  EXPECT_SAME_COLUMN(overhead, kind);
  EXPECT_SAME_COLUMN(overhead, process);
  EXPECT_SAME_COLUMN(counters, start_ns);
  EXPECT_SAME_COLUMN(counters, end_ns);
  EXPECT_SAME_COLUMN(counters, device);
  EXPECT_SAME_COLUMN(counters, process);
  EXPECT_SAME_COLUMN(counters, metric);
  EXPECT_SAME_COLUMN(counters, value);

  ASSERT_EQ(a.notes.size(), b.notes.size());
  for (std::size_t i = 0; i < a.notes.size(); ++i) {
    const auto &x = a.notes[i], &y = b.notes[i];
    EXPECT_EQ(std::tie(x.severity, x.code, x.text, x.count),
              std::tie(y.severity, y.code, y.text, y.count));
  }
  ASSERT_EQ(a.figures.size(), b.figures.size());
  for (std::size_t i = 0; i < a.figures.size(); ++i) {
    const auto &x = a.figures[i], &y = b.figures[i];
    EXPECT_EQ(std::tie(x.id, x.title, x.x_key, x.series_key, x.measure, x.statement, x.source,
                       x.configuration_ids),
              std::tie(y.id, y.title, y.x_key, y.series_key, y.measure, y.statement, y.source,
                       y.configuration_ids));
  }
  EXPECT_EQ(a.thread_names, b.thread_names);
  EXPECT_EQ(a.resource_names, b.resource_names);
  ASSERT_EQ(a.experiments.size(), b.experiments.size());
  for (std::size_t i = 0; i < a.experiments.size(); ++i)
    EXPECT_EQ(a.experiments[i], b.experiments[i]) << "experiment " << i;
}

}  // namespace rnnadvisor::testing
