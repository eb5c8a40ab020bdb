#include "advisor/facts/fact.h"

#include <gmock/gmock.h>

#include <set>

#include "advisor/facts/profile_index.h"
#include "core/config/fields.h"

namespace rnnadvisor::advisor {
namespace {

Profile profile_of(RnnConfig config, const char* device = "nvidia-h200") {
  Profile profile;
  Configuration configuration;
  configuration.config = std::move(config);
  if (device != nullptr) profile.devices.push_back(*find_device(device));
  profile.configurations.push_back(std::move(configuration));
  return profile;
}

std::optional<Fact> fact(const Profile& profile, std::string_view name, int configuration = 0) {
  const int index = find_fact(name);
  EXPECT_GE(index, 0) << name;
  if (index < 0) return std::nullopt;
  const ProfileIndex shared(profile);
  return fact_catalogue()[static_cast<std::size_t>(index)].provide({&profile, configuration},
                                                                   shared);
}

template <class T>
T value(const Profile& profile, std::string_view name, int configuration = 0) {
  const auto found = fact(profile, name, configuration);
  EXPECT_TRUE(found) << name << " is unknown";
  if (!found) return T{};
  EXPECT_TRUE(std::holds_alternative<T>(found->value)) << name << " has another type";
  return std::get<T>(found->value);
}

RnnConfig half_lstm(int hidden, int batch, int steps) {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.input_size = config.hidden_size = config.proj_size = hidden;
  config.batch_size = batch;
  config.seq_length = steps;
  return config;
}

TEST(Version, ComparesPartByPart) {
  EXPECT_GT(*parse_version("9.19.0"), *parse_version("9.9.3"));
  EXPECT_EQ(*parse_version("9"), (Version{9, 0, 0}));
  EXPECT_EQ(*parse_version("2.11.0+cu130"), (Version{2, 11, 0}));
  EXPECT_EQ(*parse_version("9.19.0.56"), (Version{9, 19, 0}));
  EXPECT_EQ(*parse_version("580.159.04"), (Version{580, 159, 4}));
  for (const char* bad : {"", "cudnn", "-1.2", "9,1", "9.", "99999999999.1"})
    EXPECT_FALSE(parse_version(bad)) << bad;
  EXPECT_EQ(to_string(Version{8, 9, 0}), "8.9");
  EXPECT_EQ(to_string(Version{8, 9, 7}), "8.9.7");
}

TEST(FormatFact, ReadsLikeAPersonWrites) {
  EXPECT_EQ(format_fact(std::int64_t{1000}, ""), "1000");
  EXPECT_EQ(format_fact(true, ""), "true");
  EXPECT_EQ(format_fact(0.8234, "1"), "0.82");
  EXPECT_EQ(format_fact(31.25, "%"), "31 %");
  EXPECT_EQ(format_fact(std::int64_t{160} << 20, "B"), "160 MiB");
  EXPECT_EQ(format_fact(989.4e12, "FLOP/s"), "989 TFLOP/s");
  EXPECT_EQ(format_fact(std::string("lstm"), ""), "lstm");
  EXPECT_EQ(format_fact(Version{7, 5, 0}, ""), "7.5");
}

TEST(Catalogue, NamesEveryFactOnceAndDescribesIt) {
  std::set<std::string> names;
  for (const auto& definition : fact_catalogue()) {
    EXPECT_TRUE(names.insert(definition.name).second) << definition.name;
    EXPECT_FALSE(definition.description.empty()) << definition.name;
    EXPECT_EQ(definition.description.find('\n'), std::string::npos) << definition.name;
    EXPECT_THAT(definition.name, testing::MatchesRegex("[a-z]+\\.[a-z0-9_]+"));
    EXPECT_TRUE(definition.provide) << definition.name;
    EXPECT_TRUE(definition.values.empty() || definition.type == FactType::text) << definition.name;
  }
  EXPECT_EQ(find_fact("call.batch_sise"), -1);
}

TEST(Catalogue, HoldsEveryFieldOfConfigurationAndProgram) {
  visit_config_fields([](std::string_view key, auto, std::string_view) {
    if (key == "seq_lengths") return;  // a list; its shape is in call.shortest_length and the like
    EXPECT_GE(find_fact("call." + std::string(key)), 0) << key;
  });
  visit_context_fields([](std::string_view key, auto, std::string_view) {
    EXPECT_GE(find_fact("program." + std::string(key)), 0) << key;
  });
}

// Every provider answers, with the declared type and spelling, for configurations at the edges and
// for a profile that knows nothing.
TEST(Catalogue, AnswersWithTheDeclaredTypeForAnyConfiguration) {
  constexpr int most = std::numeric_limits<int>::max();
  std::vector<RnnConfig> configs(4);
  configs[1] = half_lstm(most, most, most);
  configs[1].num_layers = most;
  configs[1].dropout = 0.5;
  configs[2] = half_lstm(1, 1, 1);
  configs[2].seq_lengths = {0};
  configs[3] = half_lstm(192, 3, 8);
  configs[3].cell = Cell::gru;
  configs[3].seq_lengths = {8, 5, 0};
  for (const char* device :
       {static_cast<const char*>(nullptr), "nvidia-h200", "nvidia-p100-sxm2-16gb"}) {
    for (const auto& config : configs) {
      const Profile profile = profile_of(config, device);
      const ProfileIndex index(profile);
      for (const auto& definition : fact_catalogue()) {
        const auto found = definition.provide({&profile, 0}, index);
        if (!found) continue;
        const bool right =
            (definition.type == FactType::boolean && std::holds_alternative<bool>(found->value)) ||
            (definition.type == FactType::integer &&
             std::holds_alternative<std::int64_t>(found->value)) ||
            (definition.type == FactType::real && std::holds_alternative<double>(found->value)) ||
            (definition.type == FactType::text &&
             std::holds_alternative<std::string>(found->value)) ||
            (definition.type == FactType::version && std::holds_alternative<Version>(found->value));
        EXPECT_TRUE(right) << definition.name;
        if (definition.type == FactType::text && !definition.values.empty()) {
          EXPECT_THAT(definition.values, testing::Contains(std::get<std::string>(found->value)))
              << definition.name;
        }
      }
    }
  }
}

TEST(CallFacts, FollowFromTheFields) {
  RnnConfig config = half_lstm(1001, 33, 8);
  config.seq_lengths = std::vector<int>(33, 8);
  config.seq_lengths[32] = 0;
  const Profile profile = profile_of(config);
  EXPECT_EQ(value<std::int64_t>(profile, "call.hidden_padded_8"), 1008);
  EXPECT_EQ(value<std::int64_t>(profile, "call.hidden_padded_32"), 1024);
  EXPECT_EQ(value<std::int64_t>(profile, "call.batch_padded_8"), 40);
  EXPECT_EQ(value<std::int64_t>(profile, "call.hidden_power_of_two"), 1);
  EXPECT_EQ(value<std::int64_t>(profile, "call.zero_lengths"), 1);
  EXPECT_EQ(value<std::int64_t>(profile, "call.used_steps"), 256);
  EXPECT_NEAR(value<double>(profile, "call.padding_share"), 100.0 * 8 / 264, 1e-9);
  EXPECT_TRUE(value<bool>(profile, "call.varying_lengths"));
  EXPECT_TRUE(value<bool>(profile, "call.lengths_descending"));
  EXPECT_EQ(fact(profile, "call.hidden_size")->provenance, Provenance::configured);
}

TEST(CallFacts, AreCapturedWhenTheyWereReadFromAProgram) {
  Profile profile = profile_of(half_lstm(64, 8, 8));
  profile.configurations[0].origin = Origin::captured;
  EXPECT_EQ(fact(profile, "call.hidden_size")->provenance, Provenance::captured);
  EXPECT_EQ(fact(profile, "memory.need")->provenance, Provenance::modelled);
}

// Facts 8.9: half LSTM, 1024 units, T 256, B 64: 696,779,008 bytes with persist_static, 160,170,240
// with standard.
TEST(MemoryFacts, PersistentExtraIsTheMeasuredDifference) {
  RnnConfig config = half_lstm(1024, 64, 256);
  config.padded_io = false;
  EXPECT_EQ(value<std::int64_t>(profile_of(config), "memory.persistent_extra"),
            696'779'008 - 160'170'240);
  config.data_type = DataType::bfloat16;
  EXPECT_FALSE(fact(profile_of(config), "memory.persistent_extra"));
}

TEST(MemoryFacts, KnowWhereTheWeightQueryWraps) {
  RnnConfig config = half_lstm(8192, 1, 1);
  config.num_layers = 3;  // 4 · 8192 · 16384 · 3 = 1.6e9 elements
  EXPECT_FALSE(value<bool>(profile_of(config), "memory.weight_query_wraps"));
  config.num_layers = 4;  // 2.15e9
  EXPECT_TRUE(value<bool>(profile_of(config), "memory.weight_query_wraps"));
}

TEST(MemoryFacts, PreferCudnnsOwnSizes) {
  Profile profile = profile_of(half_lstm(1024, 64, 256));
  EXPECT_EQ(value<std::int64_t>(profile, "memory.weights"), 16'793'600);
  profile.configurations[0].sizes_from_cudnn = true;
  profile.configurations[0].sizes.weights = {123, model::Exactness::exact};
  EXPECT_EQ(value<std::int64_t>(profile, "memory.weights"), 123);
}

// The guide's thresholds for a V100 are batch 128 and 256 units: the ridge point of that device
// must lie near them.
TEST(ModelFacts, ReproduceTheGuidesV100Thresholds) {
  const Profile wide = profile_of(half_lstm(8192, 64, 32), "nvidia-v100-sxm2-16gb");
  const auto batch = value<std::int64_t>(wide, "model.batch_to_compute_bound");
  EXPECT_GT(batch, 100);
  EXPECT_LT(batch, 180);
  EXPECT_FALSE(value<bool>(profile_of(half_lstm(64, 4096, 32), "nvidia-v100-sxm2-16gb"),
                           "model.width_reaches_compute_bound"));
  EXPECT_TRUE(value<bool>(profile_of(half_lstm(512, 64, 32), "nvidia-v100-sxm2-16gb"),
                          "model.width_reaches_compute_bound"));
}

TEST(ModelFacts, TakeCrossoverAndLimitsFromTheDeviceOnly) {
  EXPECT_DOUBLE_EQ(
      value<double>(profile_of(half_lstm(1024, 64, 256)), "model.crossover_batch_training"), 84);
  EXPECT_FALSE(fact(profile_of(half_lstm(512, 64, 256)), "model.crossover_batch_training"));
  EXPECT_EQ(
      value<std::int64_t>(profile_of(half_lstm(512, 64, 256)), "model.static_hidden_rejected"),
      1537);
  EXPECT_FALSE(
      fact(profile_of(half_lstm(512, 64, 256), "nvidia-t4"), "model.static_hidden_rejected"));
}

TEST(SiblingFacts, CompareTimedConfigurationsOnly) {
  Profile profile = profile_of(half_lstm(1024, 64, 256));
  profile.configurations.push_back(profile.configurations[0]);
  profile.configurations[1].config.algo = Algo::persist_static;
  const auto time = [&](std::size_t index, double ms) {
    auto& configuration = profile.configurations[index];
    configuration.outcome = Outcome::completed;
    configuration.origin = Origin::run;
    for (const Phase phase :
         {Phase::forward_training, Phase::backward_data, Phase::backward_weights}) {
      PhaseTiming timing;
      timing.phase = phase;
      timing.ms.median = ms;
      timing.ms.count = 7;
      configuration.timings.push_back(timing);
    }
  };
  time(0, 2.0);
  EXPECT_FALSE(fact(profile, "sibling.best_algo"));
  EXPECT_FALSE(value<bool>(profile, "sibling.refutes_persist_static"));
  time(1, 1.0);
  EXPECT_EQ(value<std::string>(profile, "sibling.best_algo"), "persist_static");
  EXPECT_DOUBLE_EQ(value<double>(profile, "sibling.best_algo_speedup"), 2.0);
  EXPECT_DOUBLE_EQ(value<double>(profile, "sibling.best_algo_speedup", 1), 1.0);
  EXPECT_FALSE(value<bool>(profile, "sibling.refutes_persist_static"));
  EXPECT_TRUE(value<bool>(profile, "sibling.refutes_standard", 1));
}

TEST(FrameworkFacts, AreKnownForTheirFrameworkOnly) {
  Profile profile = profile_of(half_lstm(1024, 32, 128));
  EXPECT_FALSE(fact(profile, "framework.pytorch_algo_forward"));
  EXPECT_EQ(value<std::string>(profile, "framework.runs_as"), "standard");
  profile.configurations[0].program.name = Framework::pytorch;
  EXPECT_EQ(value<std::string>(profile, "framework.pytorch_algo_forward"), "persist_static");
  EXPECT_EQ(value<std::string>(profile, "framework.runs_as"), "persistent");
  profile.configurations[0].config.data_type = DataType::bfloat16;
  profile.configurations[0].program.cudnn_version = "9.10.2";
  EXPECT_EQ(value<std::string>(profile, "framework.runs_as"), "none");
  profile.configurations[0].program.name = Framework::tensorflow;
  EXPECT_FALSE(fact(profile, "framework.algo"));
}

}  // namespace
}  // namespace rnnadvisor::advisor
