#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/device/measured_times.h"
#include "core/model/cost.h"
#include "core/model/limits.h"
#include "core/model/time_model.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A GPU that is no H200: persist_static takes 700 units and is wrong about nothing; SMALL_H takes
// 100, backward 40; persist_dynamic takes everything. Times follow a formula.
struct MadeUpGpu {
  FakeMachine machine;
  int measured = 0, asked = 0;
  int stop_after = -1;  // timed configurations after which the user presses Ctrl-C
  int every = 9;        // only every so manieth is timed: choosing takes long with a thousand rows

  static int limit(const RnnConfig& config, bool backward) {
    switch (config.algo) {
      case Algo::persist_static:
        return 700;
      case Algo::persist_static_small_h:
        return backward ? 40 : 100;
      case Algo::standard:
      case Algo::persist_dynamic:
        break;
    }
    return 1 << 20;
  }

  static double seconds(const RnnConfig& config, Phase phase) {
    const double flops = static_cast<double>(model::phase_cost(config, phase).gemm_flops);
    const double step = config.algo == Algo::standard ? 10e-6 : 4e-6;
    return 30e-6 + step * config.seq_length * config.num_layers * config.directions() +
           flops * 1e-14;
  }

  Configuration run_one(const ConfigInput& input, const RunOptions& options) {
    Configuration result;
    result.config = input.config;
    result.origin = Origin::run;
    const auto stage = [&](model::Stage which, bool good) {
      result.stages.push_back({which, true, good ? 0 : 3000, good ? "" : "NOT_SUPPORTED", ""});
      if (!good) result.outcome = Outcome::refused;
      return good;
    };
    result.outcome = Outcome::not_run;
    stage(model::Stage::set_descriptor, true);
    if (!stage(model::Stage::temp_space, input.config.hidden_size <= limit(input.config, false)))
      return result;
    if (options.sizes_only) return result;
    result.outcome = Outcome::completed;
    stage(model::Stage::forward_training, true);
    const bool back =
        stage(model::Stage::backward_data, input.config.hidden_size <= limit(input.config, true));
    if (!options.time) return result;
    if (measured++ % every != 0) {
      result.outcome = Outcome::failed;
      return result;
    }
    for (const Phase phase : all_phases) {
      const bool backward = phase == Phase::backward_data || phase == Phase::backward_weights;
      if (backward && !back) continue;
      PhaseTiming timing;
      timing.phase = phase;
      timing.ms.median = 1e3 * seconds(input.config, phase);
      result.timings.push_back(timing);
    }
    return result;
  }

  Services services() {
    machine.gpu = true;
    Services result = machine.services();
    result.inspect_machine = [inspect = result.inspect_machine] {
      MachineReport report = inspect();
      for (auto& gpu : report.gpus) {
        gpu.spec.name = "NVIDIA Made Up 7";
        gpu.spec.id = gpu.spec.name;
        gpu.spec.live = true;
      }
      LibraryState cudnn;
      cudnn.name = "cuDNN";
      cudnn.found = true;
      cudnn.version = "9.99.0";
      report.libraries.push_back(cudnn);
      report.cpu = "made up";
      return report;
    };
    result.run_configurations = [this](const RunRequest& request) -> Result<Profile> {
      machine.requests.push_back(request);
      ProfileBuilder builder;
      const DeviceSpec device = machine.services().inspect_machine().gpus.front().spec;
      int finished = 0;
      for (const auto& input : request.configurations) {
        ProfileBuilder single;
        Configuration one;
        const bool stopped = request.stop != nullptr && request.stop->load();
        if (stopped) {
          one.config = input.config;
          one.outcome = Outcome::interrupted;
        } else {
          one = run_one(input, request.options);
          asked += request.options.sizes_only ? 1 : 0;
        }
        one.origin = Origin::run;
        one.device = single.add_device(device);
        single.add_configuration(std::move(one));
        const Profile profile = single.finish();
        builder.append(profile);
        if (stopped) continue;
        if (stop_after >= 0 && measured >= stop_after) machine.interrupted = true;
        if (request.on_progress)
          request.on_progress(
              {++finished, static_cast<int>(request.configurations.size()), &profile});
      }
      return builder.finish();
    };
    return result;
  }
};

TEST(Calibrate, WritesADescriptionThatPredicts) {
  TemporaryFolder folder;
  MadeUpGpu gpu;
  const std::string path = folder / "my.toml";
  const auto called = call({"calibrate", "-o", path}, gpu.services());
  ASSERT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.out, HasSubstr("NVIDIA Made Up 7, cuDNN 9.99.0"));
  EXPECT_THAT(called.out, HasSubstr("off by"));
  EXPECT_THAT(called.out, HasSubstr("best algorithm named in"));
  EXPECT_LT(gpu.asked, 1000) << "limits are searched for, not tried one by one";

  const auto device = find_device(path);
  ASSERT_TRUE(device) << to_text(device.error());
  EXPECT_EQ(device->id, "nvidia-made-up-7");
  EXPECT_EQ(device->cudnn_version, "9.99.0");
  EXPECT_FALSE(device->live);
  EXPECT_TRUE(device->crossovers.empty()) << "those were of cuDNN 9.19";
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn_tanh, Cell::rnn_relu}) {
    const auto limit = [&](Algo algo, bool backward) {
      for (const HiddenLimit& each : device->hidden_limits) {
        if (each.algo == algo && each.cell == cell && each.backward == backward)
          return std::pair(each.accepted, each.rejected);
      }
      return std::pair(-1, -1);
    };
    EXPECT_EQ(limit(Algo::persist_static, false), std::pair(700, 701));
    EXPECT_EQ(limit(Algo::persist_static, true), std::pair(-1, -1)) << "as far as forward";
    EXPECT_EQ(limit(Algo::persist_static_small_h, false), std::pair(100, 101));
    EXPECT_EQ(limit(Algo::persist_static_small_h, true), std::pair(40, 41));
    EXPECT_EQ(limit(Algo::persist_dynamic, false), std::pair(-1, -1)) << "it took everything";
  }

  const auto model = model::find_time_model(path, *device);
  ASSERT_TRUE(model && *model);
  EXPECT_EQ((*model)->times().cpu, "made up");
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.hidden_size = config.input_size = config.proj_size = 300;
  config.batch_size = 64;
  config.seq_length = 50;
  const auto predicted = (*model)->predict(config, Phase::forward_training);
  ASSERT_TRUE(predicted);
  EXPECT_NEAR(predicted->seconds / MadeUpGpu::seconds(config, Phase::forward_training), 1, 0.1);

  const auto check = call({"check", "--hidden-size", "300", "--data-type", "half", "--math-type",
                           "tensor_op", "--batch-size", "64", "--device", path});
  EXPECT_THAT(check.out, HasSubstr("Predicted times (an estimate)"));
  EXPECT_THAT(check.out, HasSubstr("cuDNN 9.99.0"));
}

// The made-up GPU's times have a formula of their own: what can be learned of it from few of them
// is in tests/core/model/adapted_times_test.cpp.
TEST(Calibrate, AMinuteCorrectsAnH200) {
  TemporaryFolder folder;
  for (const auto& [arguments, adapts] :
       {std::pair{std::vector<std::string>{"--budget", "60"}, "nvidia-h200"},
        {{"--budget", "60", "--adapt", "none"}, ""},
        {{"--budget", "300"}, ""},
        {{"--budget", "300", "--adapt", "nvidia-h200"}, "nvidia-h200"}}) {
    MadeUpGpu gpu;
    gpu.every = 30;
    std::vector<std::string> command = {"calibrate", "-o", folder / "my.toml", "--force"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto called = call(command, gpu.services());
    ASSERT_EQ(called.status, 0) << called.err;
    const auto times = read_measured_times_file(folder / "my.times.jsonl");
    ASSERT_TRUE(times) << to_text(times.error());
    EXPECT_EQ(times->adapts, adapts);
    const bool corrects = !times->adapts.empty();
    EXPECT_EQ(called.out.find("They correct the times of nvidia-h200") != std::string::npos,
              corrects);
    EXPECT_EQ(called.out.find("kernels that were not measured") != std::string::npos, corrects);
    const auto& options = gpu.machine.requests.back().options;
    EXPECT_LE(options.max_repeats, corrects ? 12 : 50);
  }
  // Of kernels of which nothing was measured, as of those of which little was.
  MadeUpGpu gpu;
  gpu.every = 1;
  gpu.stop_after = 40;
  ASSERT_EQ(call({"calibrate", "-o", folder / "few.toml", "--budget", "60"}, gpu.services()).status,
            130);
  const auto check =
      call({"check", "--hidden-size", "300", "--data-type", "half", "--math-type", "tensor_op",
            "--batch-size", "64", "--device", folder / "few.toml", "--format", "json"});
  EXPECT_THAT(check.out, HasSubstr("which correct predictions of NVIDIA H200"));
}

TEST(Calibrate, MeasuresSlowOnesLastInAMinute) {
  TemporaryFolder folder;
  MadeUpGpu gpu;
  gpu.every = 40;
  ASSERT_EQ(call({"calibrate", "-o", folder / "my.toml", "--budget", "60"}, gpu.services()).status,
            0);
  const auto h200 = model::shipped_fits("nvidia-h200");
  ASSERT_TRUE(h200);
  bool slow_before = false;
  int slow = 0;
  for (const auto& input : gpu.machine.requests.back().configurations) {
    double seconds = 0;
    for (const Phase phase :
         {Phase::forward_training, Phase::backward_data, Phase::backward_weights})
      if (const auto predicted = h200->predict(input.config, phase)) seconds += predicted->seconds;
    EXPECT_FALSE(slow_before && seconds <= 0.04) << input.config.id;
    slow_before = seconds > 0.04;
    slow += slow_before;
  }
  EXPECT_GE(slow, 3);
}

TEST(Calibrate, OverwritesNothingUnasked) {
  TemporaryFolder folder;
  MadeUpGpu gpu;
  for (const std::string name : {"my.toml", "my.times.jsonl"}) {
    std::filesystem::remove(folder / "my.toml");
    write_text_file(folder / name, "mine");
    const auto called = call({"calibrate", "-o", folder / "my.toml"}, gpu.services());
    EXPECT_EQ(called.status, 2) << called.err;
    EXPECT_EQ(read_text(folder / name), "mine");
  }
  EXPECT_TRUE(gpu.machine.requests.empty()) << "said before anything is measured";
  gpu.every = 40;
  EXPECT_EQ(call({"calibrate", "-o", folder / "my.toml", "--force"}, gpu.services()).status, 0);
  EXPECT_TRUE(find_device(folder / "my.toml"));
}

TEST(Calibrate, KeepsWhatWasMeasuredOnCtrlC) {
  TemporaryFolder folder;
  MadeUpGpu gpu;
  gpu.every = 1;
  gpu.stop_after = 30;
  const auto called = call({"calibrate", "-o", folder / "my.toml"}, gpu.services());
  EXPECT_EQ(called.status, 130);
  const auto times = read_measured_times_file(folder / "my.times.jsonl");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->rows.size(), 30U);
  EXPECT_TRUE(find_device(folder / "my.toml"));

  MadeUpGpu early;
  early.machine.interrupted = true;
  EXPECT_EQ(call({"calibrate", "-o", folder / "no.toml"}, early.services()).status, 130);
  EXPECT_FALSE(std::filesystem::exists(folder / "no.toml"));
}

TEST(Calibrate, MeasuresTheMostTellingFirst) {
  TemporaryFolder folder;
  MadeUpGpu gpu;
  gpu.every = 40;
  ASSERT_EQ(call({"calibrate", "-o", folder / "my.toml", "--gpu", "1"}, gpu.services()).status, 0);
  const RunRequest& timed = gpu.machine.requests.back();
  EXPECT_EQ(timed.devices, std::vector<int>{1});
  EXPECT_FALSE(timed.options.trace);
  std::set<std::pair<Algo, DataType>> met;
  for (std::size_t i = 0; i < 40; ++i) {
    const RnnConfig& config = timed.configurations[i].config;
    met.insert({config.algo, config.data_type});
  }
  EXPECT_GE(met.size(), 6U) << "every algorithm and type within the first 40";
  for (const auto& input : timed.configurations)
    EXPECT_LE(input.config.hidden_size, MadeUpGpu::limit(input.config, false));
}

TEST(Calibrate, TakesRecordedSweeps) {
  TemporaryFolder folder;
  MadeUpGpu gpu;
  RunRequest request;
  for (const int hidden : {64, 128, 256, 512}) {
    for (const int batch : {8, 64, 256}) {
      ConfigInput input;
      input.config.hidden_size = input.config.input_size = input.config.proj_size = hidden;
      input.config.batch_size = batch;
      request.configurations.push_back(input);
    }
  }
  gpu.every = 1;
  auto profile = gpu.services().run_configurations(request);
  ASSERT_TRUE(profile);
  profile->environment.cudnn_version = "9.99.0";
  ASSERT_TRUE(write_profile(*profile, folder / "a.rnnprof", false));
  const auto called = call({"calibrate", "--from", folder / "a.rnnprof", "-o", folder / "my.toml"});
  ASSERT_EQ(called.status, 0) << called.err;
  const auto times = read_measured_times_file(folder / "my.times.jsonl");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->rows.size(), 12U);
  EXPECT_EQ(times->cudnn_version, "9.99.0");
  EXPECT_NEAR(times->rows[3].at(Phase::backward_data),
              MadeUpGpu::seconds(request.configurations[3].config, Phase::backward_data), 1e-8);

  ASSERT_TRUE(write_profile(ProfileBuilder().finish(), folder / "empty.rnnprof", false));
  const auto empty =
      call({"calibrate", "--from", folder / "empty.rnnprof", "-o", folder / "b.toml"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("timed"));
  profile->environment.cudnn_version = "9.1.0";
  ASSERT_TRUE(write_profile(*profile, folder / "b.rnnprof", false));
  const auto mixed = call({"calibrate", "--from", folder / "a.rnnprof", "--from",
                           folder / "b.rnnprof", "-o", folder / "b.toml"});
  EXPECT_EQ(mixed.status, 2);
  EXPECT_THAT(mixed.err, HasSubstr("9.1.0"));
}

TEST(Calibrate, SaysWhatStandsInTheWay) {
  FakeMachine machine;
  const auto none = call({"calibrate"}, machine.services());
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("calibrate needs an NVIDIA GPU"));
  MadeUpGpu gpu;
  EXPECT_EQ(call({"calibrate", "-o", "my.json"}, gpu.services()).status, 2);
  EXPECT_EQ(call({"calibrate", "--budget", "5"}, gpu.services()).status, 2);
  EXPECT_EQ(call({"calibrate", "--budget", "nan"}, gpu.services()).status, 2);
  const auto unknown = call({"calibrate", "--adapt", "nvidia-a100"}, gpu.services());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--adapt nvidia-h200, or none"));
  const auto other = call({"calibrate", "--gpu", "7"}, gpu.services());
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("--gpu takes 0 to 1"));
}

TEST(PredictedTimes, AreInJsonByItsSchema) {
  FakeMachine machine;
  const auto called = call({"check", "--hidden-size", "512", "--data-type", "half", "--math-type",
                            "tensor_op", "--device", "h200", "--json"},
                           machine.services());
  const auto json = nlohmann::json::parse(called.out);
  EXPECT_EQ(violations("docs/schema/report.schema.json", json), "");
  const auto& predicted = json.at("predicted_times");
  EXPECT_EQ(predicted.at("estimate"), true);
  const auto& algorithms = predicted.at("configurations").at(0).at("algorithms");
  ASSERT_EQ(algorithms.size(), 3U);
  int fastest = 0;
  for (const auto& algorithm : algorithms) {
    fastest += algorithm.at("fastest").get<bool>() ? 1 : 0;
    double sum = 0;
    for (const auto& phase : algorithm.at("phases")) sum += phase.at("ms").get<double>();
    EXPECT_NEAR(algorithm.at("total").at("ms").get<double>(), sum, 1e-9);
    EXPECT_LT(algorithm.at("total").at("low_ms"), algorithm.at("total").at("high_ms"));
  }
  EXPECT_LE(fastest, 1);  // none where intervals overlap
}

TEST(PredictedTimes, AreNoneWithAHintForUnmeasuredGpus) {
  FakeMachine machine;
  const std::vector<std::string> arguments = {"check", "--hidden-size", "512", "--device", "a100"};
  const auto called = call(arguments, machine.services());
  EXPECT_THAT(called.out, HasSubstr("None: no times of"));
  EXPECT_THAT(called.out, HasSubstr("`rnnadvisor calibrate`"));
  auto words = arguments;
  words.push_back("--json");
  const auto json = nlohmann::json::parse(call(words, machine.services()).out);
  EXPECT_EQ(violations("docs/schema/report.schema.json", json), "");
  const auto& of = json.at("predicted_times").at("configurations").at(0);
  EXPECT_TRUE(of.at("algorithms").empty());
  EXPECT_TRUE(of.at("why_none").is_string());
}

TEST(PredictedTimes, OfManyConfigurationsAreALineEach) {
  TemporaryFolder folder;
  std::string lines;
  for (int i = 1; i <= 15; ++i)
    lines += "{\"id\": \"c" + std::to_string(i) +
             "\", \"data_type\": \"half\", \"math_type\": \"tensor_op\", \"hidden_size\": 256}\n";
  write_text_file(folder / "many.jsonl", lines);
  const auto called = call({"check", folder / "many.jsonl", "--device", "h200"});
  const auto at = called.out.find("Predicted times");
  ASSERT_NE(at, std::string::npos);
  const std::string shown = called.out.substr(at);
  EXPECT_THAT(shown, HasSubstr("c12"));
  EXPECT_THAT(shown, Not(HasSubstr("c13")));
  EXPECT_THAT(shown, HasSubstr("and 3 more"));
  EXPECT_THAT(shown, HasSubstr("persist_static"));
}

}  // namespace
}  // namespace rnnadvisor::cli
