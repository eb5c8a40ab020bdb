#include "tests/rules/case_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/config/read_config.h"
#include "core/device/device_spec.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor::advisor::testing {
namespace {

// What belongs to one configuration; siblings take these keys too.
const std::vector<std::string_view> configuration_keys = {
    "configuration", "framework",       "outcome",       "reason",  "stages",
    "timings",       "timing_interval", "kernels",       "host_ms", "counters",
    "sizes",         "memory",          "outputs_finite"};
const std::vector<std::string_view> whole_keys = {
    "device", "device_overrides", "cudnn_version", "environment",
    "notes",  "siblings",         "experiments"};

constexpr std::int64_t launch_ns = 5000;  // between the start of a call and its first kernel

// Tables of one kind of key: calls visit(key, node) for each, after a check that it is a table.
template <class Visit>
void each(CardReader& reader, const toml::table& table, std::string_view key, Visit&& visit) {
  const auto* node = table.get(key);
  if (!node) return;
  const auto* inner = node->as_table();
  if (!inner) {
    reader.report(*node, fmt::format("'{}' must be a table", key));
    return;
  }
  for (const auto& [name, value] : *inner) visit(name, value);
}

template <class Visit>
void each_phase(CardReader& reader, const toml::table& table, std::string_view key, Visit&& visit) {
  each(reader, table, key, [&](const toml::key& name, const toml::node& value) {
    const auto phase = parse_enum<Phase>(name.str());
    if (phase) {
      visit(*phase, value);
    } else {
      reader.report(name.source(), fmt::format("'{}' is no phase", name.str()));
    }
  });
}

double number_of(CardReader& reader, const toml::node& node) {
  if (const auto* whole = node.as_integer()) return static_cast<double>(whole->get());
  if (const auto* real = node.as_floating_point()) return real->get();
  reader.report(node, "a number is needed");
  return 0;
}

std::int64_t bytes_of(CardReader& reader, const toml::node& node) {
  if (const auto* whole = node.as_integer()) return whole->get();
  reader.report(node, "a whole number of bytes is needed");
  return 0;
}

// Through the program's own reader, so that defaults and checks are those of a configuration file.
ConfigInput read_configuration(CardReader& reader, const toml::table& table,
                               const std::string& path) {
  toml::table written;
  if (const auto* inner = table.get_as<toml::table>("configuration")) written = *inner;
  if (const auto* inner = table.get_as<toml::table>("framework"))
    written.insert("framework", *inner);
  written.is_inline(false);  // the root of a document
  std::ostringstream text;
  text << toml::toml_formatter(written);
  auto inputs = read_toml(text.str(), path);
  if (!inputs) {
    // Positions in the rewritten text would mislead: name the case instead.
    for (const auto& error : inputs.error()) reader.report(table, error.message, error.remedy);
    return {};
  }
  if (inputs->size() != 1) {
    reader.report(table, "a case has one configuration");
    return {};
  }
  return inputs->front();
}

void read_timings(CardReader& reader, const toml::table& table, Configuration& made) {
  const double half = reader.number(table, "timing_interval").value_or(0.01);
  each_phase(reader, table, "timings", [&](Phase phase, const toml::node& node) {
    PhaseTiming timing;
    timing.phase = phase;
    const double ms = number_of(reader, node);
    timing.ms = {ms, ms * (1 - half), ms * (1 + half), 0.95, 20};
    timing.samples_ms.assign(20, ms);
    timing.warmup = 3;
    timing.converged = half <= 0.02;
    made.timings.push_back(std::move(timing));
  });
}

void read_stages(CardReader& reader, const toml::table& table, Configuration& made) {
  for (const auto stage : model::all_stages) {
    const auto* stages = table.get_as<toml::table>("stages");
    const auto* node = stages ? stages->get(model::to_string(stage)) : nullptr;
    if (!node) continue;
    StageResult result;
    result.stage = stage;
    result.attempted = true;
    result.status_name = node->value_or(std::string());
    result.status = result.status_name == "CUDNN_STATUS_SUCCESS" ? 0 : 3000;
    made.stages.push_back(std::move(result));
  }
  each(reader, table, "stages", [&](const toml::key& name, const toml::node& node) {
    const bool known =
        std::any_of(model::all_stages.begin(), model::all_stages.end(),
                    [&](auto stage) { return model::to_string(stage) == name.str(); });
    if (!known) reader.report(name.source(), fmt::format("'{}' is no stage", name.str()));
    if (!node.is_string()) reader.report(node, "the name of a status is needed");
  });
}

void read_sizes(CardReader& reader, const toml::table& table, Configuration& made) {
  made.sizes = model::space_sizes(made.config);
  each(reader, table, "sizes", [&](const toml::key& name, const toml::node& node) {
    const model::Bytes bytes{bytes_of(reader, node), model::Exactness::exact};
    made.sizes_from_cudnn = true;
    if (name.str() == "weights") {
      made.sizes.weights = bytes;
    } else if (name.str() == "workspace_inference") {
      made.sizes.workspace_inference = bytes;
    } else if (name.str() == "workspace_training") {
      made.sizes.workspace_training = bytes;
    } else if (name.str() == "reserve_training") {
      made.sizes.reserve_training = bytes;
    } else {
      reader.report(name.source(), fmt::format("'{}' is no size", name.str()));
    }
  });
  each(reader, table, "memory", [&](const toml::key& name, const toml::node& node) {
    const auto bytes = bytes_of(reader, node);
    if (name.str() == "free_before") {
      made.memory_free_before = bytes;
    } else if (name.str() == "peak_used") {
      made.memory_peak_used = bytes;
    } else if (name.str() == "predicted") {
      made.memory_predicted = bytes;
    } else {
      reader.report(name.source(),
                    fmt::format("'{}' is none of free_before, peak_used, predicted", name.str()));
    }
  });
}

void read_outcome(CardReader& reader, const toml::table& table, Configuration& made, bool ran) {
  const bool refused = std::any_of(made.stages.begin(), made.stages.end(),
                                   [](const auto& s) { return s.status != 0; });
  made.outcome = refused ? Outcome::refused : ran ? Outcome::completed : Outcome::not_run;
  const auto word = reader.text(table, "outcome");
  if (!word.empty()) {
    if (const auto outcome = parse_outcome(word)) {
      made.outcome = *outcome;
    } else {
      reader.report(*table.get("outcome"), fmt::format("'{}' is no outcome", word));
    }
  }
  made.origin = made.outcome == Outcome::not_run ? Origin::checked : Origin::run;
  made.message = reader.text(table, "reason");
  if (const auto* flag = table.get_as<bool>("outputs_finite")) made.outputs_finite = flag->get();
}

class ProfileMaker {
 public:
  ProfileMaker(CardReader& reader, const std::string& path) : reader_(reader), path_(path) {}

  Profile make(const toml::table& table) {
    read_device(table);
    read_environment(table);
    add_configuration(table);
    for (const auto* sibling : reader_.tables(table, "siblings")) {
      reader_.check_keys(*sibling, configuration_keys, "a sibling");
      toml::table own;
      for (const auto key : configuration_keys) {
        if (const auto* node = table.get(key)) own.insert(key, *node);
      }
      add_configuration(merged(own, *sibling));
    }
    for (const auto* experiment : reader_.tables(table, "experiments")) add_experiment(*experiment);
    return builder_.finish();
  }

 private:
  void read_device(const toml::table& table) {
    auto id = reader_.text(table, "device");
    if (id.empty()) id = "nvidia-h200";
    if (id == "none") return;
    auto device = find_device(id);
    if (!device) {
      reader_.report(
          table.contains("device") ? *table.get("device") : static_cast<const toml::node&>(table),
          device.error().message, device.error().remedy);
      return;
    }
    each(reader_, table, "device_overrides", [&](const toml::key& name, const toml::node& node) {
      if (name.str() == "sm_count") {
        device->sm_count = static_cast<int>(bytes_of(reader_, node));
      } else if (name.str() == "memory_bytes") {
        device->memory_bytes = bytes_of(reader_, node);
      } else if (name.str() == "architecture") {
        device->architecture = node.value_or(std::string());
      } else if (name.str() == "compute_capability") {
        const auto version = parse_version(node.value_or(std::string()));
        if (!version) reader_.report(node, "write the compute capability as \"8.6\"");
        device->compute_major = version ? version->major : 0;
        device->compute_minor = version ? version->minor : 0;
      } else {
        reader_.report(name.source(), fmt::format("'{}' cannot be overridden", name.str()));
      }
    });
    device_ = builder_.add_device(*device);
  }

  void read_environment(const toml::table& table) {
    auto& environment = builder_.profile().environment;
    environment.cudnn_version = reader_.text(table, "cudnn_version");
    each(reader_, table, "environment", [&](const toml::key& name, const toml::node& node) {
      const auto text = node.value_or(std::string());
      const auto flag = node.value_or(false);
      if (name.str() == "driver_version") {
        environment.driver_version = text;
      } else if (name.str() == "cuda_runtime_version") {
        environment.cuda_runtime_version = text;
      } else if (name.str() == "cupti_version") {
        environment.cupti_version = text;
      } else if (name.str() == "framework") {
        environment.framework = text;
      } else if (name.str() == "framework_version") {
        environment.framework_version = text;
      } else if (name.str() == "tracing") {
        environment.tracing = flag;
      } else if (name.str() == "counters") {
        environment.counters = flag;
      } else {
        reader_.report(name.source(), fmt::format("the environment has no '{}'", name.str()));
      }
    });
    for (const auto& code : reader_.texts(table, "notes")) {
      builder_.add_note({NoteSeverity::warning, code, code, 1});
    }
  }

  void add_configuration(const toml::table& table) {
    const auto input = read_configuration(reader_, table, path_);
    Configuration made;
    made.config = input.config;
    made.written = input.config;
    made.given = input.given;
    made.program = input.program;
    made.device = device_;
    read_timings(reader_, table, made);
    read_stages(reader_, table, made);
    read_sizes(reader_, table, made);
    read_outcome(reader_, table, made, !made.timings.empty() || table.contains("kernels"));
    each_phase(reader_, table, "counters", [&](Phase phase, const toml::node& node) {
      const auto* metrics = node.as_table();
      if (!metrics) {
        reader_.report(node, "a table of metrics is needed");
        return;
      }
      for (const auto& [metric, value] : *metrics) {
        made.counters.push_back({phase, std::string(metric.str()), number_of(reader_, value)});
      }
    });
    if (!made.counters.empty()) builder_.profile().environment.counters = true;
    const int index = builder_.add_configuration(std::move(made));
    each_phase(reader_, table, "kernels",
               [&](Phase phase, const toml::node& node) { add_call(index, phase, node, table); });
  }

  // One traced call: its kernels one after the other on one stream.
  void add_call(int configuration, Phase phase, const toml::node& node, const toml::table& table) {
    const auto* kernels = node.as_array();
    if (!kernels) {
      reader_.report(node, "an array of kernels is needed");
      return;
    }
    builder_.profile().environment.tracing = true;
    RnnCall call;
    call.configuration = configuration;
    call.phase = phase;
    call.device = std::max(device_, 0);
    call.stream = 7;
    call.host_start_ns = now_ns_;
    std::vector<KernelRecord> records;
    std::int64_t at = now_ns_ + launch_ns;
    for (const auto& item : *kernels) {
      const auto* kernel = item.as_table();
      if (!kernel) {
        reader_.report(item, "a kernel is a table");
        continue;
      }
      reader_.check_keys(*kernel, {"name", "count", "us", "gap_us"}, "a kernel");
      const auto count =
          std::clamp<std::int64_t>(reader_.whole(*kernel, "count").value_or(1), 1, 100000);
      const double us = reader_.number(*kernel, "us").value_or(0);
      const double gap = reader_.number(*kernel, "gap_us").value_or(1);
      for (std::int64_t i = 0; i < count; ++i) {
        KernelRecord record;
        record.name = reader_.text(*kernel, "name", true);
        record.start_ns = at;
        record.end_ns = at + static_cast<std::int64_t>(us * 1000 / static_cast<double>(count));
        record.stream = call.stream;
        record.device = call.device;
        record.correlation = ++correlation_;
        at = record.end_ns + static_cast<std::int64_t>(gap * 1000);
        records.push_back(std::move(record));
      }
    }
    call.host_end_ns = records.empty() ? at : records.back().end_ns;
    if (const auto ms = reader_.number(table, "host_ms")) {
      call.host_end_ns = call.host_start_ns + static_cast<std::int64_t>(*ms * 1e6);
    }
    now_ns_ = std::max(at, call.host_end_ns) + 1'000'000;
    const int index = builder_.add_call(call);
    for (auto& record : records) {
      record.call = index;
      builder_.add_kernel(record);
    }
  }

  void add_experiment(const toml::table& table) {
    reader_.check_keys(
        table, {"transforms", "verdict", "speedup", "low", "high", "meaning", "rule", "moved"},
        "an experiment");
    Experiment experiment;
    experiment.configuration = 0;
    experiment.device = 0;
    experiment.where = "cudnn";
    experiment.transforms = reader_.text(table, "transforms", true);
    experiment.meaning = reader_.text(table, "meaning");
    if (experiment.meaning.empty()) experiment.meaning = "exact";
    experiment.rule = reader_.text(table, "rule");
    if (const auto moved = reader_.number(table, "moved"))
      experiment.shifts.push_back({"y", *moved, -1, -1});
    const std::string verdict = reader_.text(table, "verdict", true);
    bool known = false;
    for (int word = 0; word <= static_cast<int>(ExperimentVerdict::not_run); ++word) {
      if (to_string(static_cast<ExperimentVerdict>(word)) != verdict) continue;
      experiment.verdict = static_cast<ExperimentVerdict>(word);
      known = true;
    }
    if (!known && !verdict.empty())
      reader_.report(*table.get("verdict"), "'" + verdict + "' is no verdict");
    ExperimentTiming timing;
    if (builder_.profile().configurations.front().config.mode == Mode::inference)
      timing.scope = ExperimentScope::inference;
    timing.speedup = reader_.number(table, "speedup").value_or(0);
    timing.speedup_low = reader_.number(table, "low").value_or(timing.speedup);
    timing.speedup_high = reader_.number(table, "high").value_or(timing.speedup);
    timing.control_low = timing.control_high = 1;
    experiment.timings.push_back(timing);
    builder_.profile().experiments.push_back(std::move(experiment));
  }

  CardReader& reader_;
  const std::string& path_;
  ProfileBuilder builder_;
  int device_ = -1;
  std::int64_t now_ns_ = 1'700'000'000'000'000'000;
  std::int64_t correlation_ = 0;
};

}  // namespace

std::vector<std::string_view> profile_keys() {
  auto keys = configuration_keys;
  keys.insert(keys.end(), whole_keys.begin(), whole_keys.end());
  return keys;
}

Profile make_profile(CardReader& reader, const toml::table& table, const std::string& path) {
  return ProfileMaker(reader, path).make(table);
}

}  // namespace rnnadvisor::advisor::testing
