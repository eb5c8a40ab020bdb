// The experiments of a profile to and from their tables.
#include <charconv>
#include <system_error>

#include "profiler/profile/file_parts.h"

namespace rnnadvisor {
namespace {

using sqlite::Inserter;
using sqlite::Rows;

MedianInterval interval(Rows& r, int column, double confidence, int count) {
  return {r.real(column), r.real(column + 1), r.real(column + 2), confidence, count};
}

constexpr std::string_view clocks_before = "before", clocks_after = "after";

std::optional<int> positive(int value) { return value > 0 ? std::optional(value) : std::nullopt; }

std::vector<double> samples(Rows& r, int column) {
  auto parsed = parse_samples(r.text(column));
  if (!parsed) r.wrong(column, "is not a list of numbers");
  return parsed.value_or(std::vector<double>());
}

}  // namespace

std::string samples_json(const std::vector<double>& samples) {
  std::string text = "[";
  for (const double sample : samples)
    text += fmt::format("{}{}", text.size() > 1 ? "," : "", sample);
  return text + "]";
}

std::optional<std::vector<double>> parse_samples(std::string_view text) {
  std::vector<double> samples;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc()) return std::nullopt;
    samples.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return samples;
}

bool write_experiments(const Profile& profile, sqlite3* database) {
  Inserter experiments(database, "experiments", 12);
  for (std::size_t i = 0; i < profile.experiments.size(); ++i) {
    const auto& e = profile.experiments[i];
    experiments.row(i, e.configuration, e.where, e.rule, e.transforms, e.meaning,
                    to_string(e.verdict), e.message, e.device, e.memory_before, e.memory_after,
                    e.seconds);
  }
  Inserter changed(database, "experiment_changed", 3);
  Inserter timings(database, "experiment_timings", 19);
  Inserter shifts(database, "experiment_shifts", 6);
  Inserter clocks(database, "experiment_clocks", 8);
  Inserter code(database, "experiment_code", 5);
  std::size_t changed_id = 0, timing_id = 0, shift_id = 0, clocks_id = 0, code_id = 0;
  for (std::size_t i = 0; i < profile.experiments.size(); ++i) {
    const auto& e = profile.experiments[i];
    for (const int configuration : e.changed) changed.row(changed_id++, i, configuration);
    for (const auto& t : e.timings) {
      timings.row(timing_id++, i, to_string(t.scope), t.before_ms.median, t.before_ms.low,
                  t.before_ms.high, t.after_ms.median, t.after_ms.low, t.after_ms.high,
                  t.before_ms.confidence, t.before_ms.count, t.speedup, t.speedup_low,
                  t.speedup_high, t.control_low, t.control_high, samples_json(t.before_samples_ms),
                  samples_json(t.after_samples_ms), samples_json(t.control_samples_ms));
    }
    for (const auto& s : e.shifts)
      shifts.row(shift_id++, i, s.tensor, s.from_before, s.before_error, s.after_error);
    for (const auto& [when, c] :
         {std::pair(clocks_before, e.clocks_before), std::pair(clocks_after, e.clocks_after)}) {
      if (!c.known()) continue;
      clocks.row(clocks_id++, i, when, positive(c.sm_mhz), positive(c.memory_mhz),
                 positive(c.temperature_c), positive(c.power_mw),
                 c.event_reasons < 0 ? std::nullopt : std::optional(c.event_reasons));
    }
    for (const auto& c : e.code) code.row(code_id++, i, c.name, c.language, c.text);
  }
  return experiments.ok() && changed.ok() && timings.ok() && shifts.ok() && clocks.ok() &&
         code.ok();
}

Result<void> read_experiments(Profile& profile, sqlite3* database, int version) {
  auto& all = profile.experiments;
  const auto configurations = profile.configurations.size(), devices = profile.devices.size();
  auto done =
      read_table(database, "experiments",
                 "configuration, \"where\", rule, transforms, meaning, verdict, message, device, "
                 "memory_before, memory_after, seconds",
                 [&](Rows& r) {
                   Experiment e;
                   e.configuration = r.index(0, configurations);
                   e.where = r.text(1);
                   e.rule = r.text(2);
                   e.transforms = r.text(3);
                   e.meaning = r.text(4);
                   e.verdict = r.word(5, ExperimentVerdict::not_run);
                   e.message = r.text(6);
                   e.device = r.index(7, devices);
                   e.memory_before = r.int64(8, -1);
                   e.memory_after = r.int64(9, -1);
                   e.seconds = r.real(10);
                   all.push_back(std::move(e));
                 });
  if (!done) return done;
  // A row of a table of parts goes to the experiment that its first column names.
  const auto parts = [&](const char* table, std::string_view columns, auto take) {
    return read_table(database, table, columns, [&](Rows& r) {
      const int index = r.index(0, all.size(), false);
      if (r.ok()) take(r, all[static_cast<std::size_t>(index)]);
    });
  };
  done = parts("experiment_changed", "experiment, configuration", [&](Rows& r, Experiment& e) {
    e.changed.push_back(r.index(1, configurations, false));
  });
  if (!done) return done;
  done = parts("experiment_timings",
               "experiment, scope, before_ms, before_low_ms, before_high_ms, after_ms, "
               "after_low_ms, after_high_ms, confidence, count, speedup, speedup_low, "
               "speedup_high, control_low, control_high, before_samples_ms, after_samples_ms, "
               "control_samples_ms",
               [&](Rows& r, Experiment& e) {
                 ExperimentTiming t;
                 t.scope = r.word(1, ExperimentScope::program_step);
                 const double confidence = r.real(8);
                 const int count = r.int32(9, 0);
                 t.before_ms = interval(r, 2, confidence, count);
                 t.after_ms = interval(r, 5, confidence, count);
                 t.speedup = r.real(10);
                 t.speedup_low = r.real(11);
                 t.speedup_high = r.real(12);
                 t.control_low = r.real(13);
                 t.control_high = r.real(14);
                 t.before_samples_ms = samples(r, 15);
                 t.after_samples_ms = samples(r, 16);
                 t.control_samples_ms = samples(r, 17);
                 e.timings.push_back(std::move(t));
               });
  if (!done) return done;
  done = parts("experiment_shifts", "experiment, tensor, from_before, before_error, after_error",
               [&](Rows& r, Experiment& e) {
                 e.shifts.push_back({r.text(1), r.real(2), r.real(3), r.real(4)});
               });
  if (!done) return done;
  if (version >= 5) {
    done = parts("experiment_clocks",
                 "experiment, \"when\", sm_mhz, memory_mhz, temperature_c, power_mw, event_reasons",
                 [&](Rows& r, Experiment& e) {
                   const auto when = r.text(1);
                   if (when != clocks_before && when != clocks_after) {
                     r.wrong(1, "is the unknown word '" + when.substr(0, 40) + "'");
                     return;
                   }
                   const auto of = [&](int column) {
                     return r.is_null(column) ? 0 : r.int32(column, 0);
                   };
                   GpuClocks& c = when == clocks_before ? e.clocks_before : e.clocks_after;
                   c = {of(2), of(3), of(4), of(5), r.is_null(6) ? -1 : r.int64(6, 0)};
                 });
    if (!done) return done;
  }
  return parts("experiment_code", "experiment, name, language, text", [&](Rows& r, Experiment& e) {
    e.code.push_back({r.text(1), r.text(2), r.text(3)});
  });
}

}  // namespace rnnadvisor
