#include "advisor/whatif/size_choice.h"

#include <gmock/gmock.h>

namespace rnnadvisor::advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

Profile framework_profile(int batch, int length, std::optional<Framework> framework = {}) {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.input_size = config.hidden_size = config.proj_size = 1024;
  config.seq_length = length;
  config.batch_size = batch;
  Profile profile;
  profile.devices = {*find_device("h200")};
  profile.environment.cudnn_version = "9.19.0";
  Configuration configuration;
  configuration.config = config;
  configuration.program.name = framework;
  configuration.origin = Origin::run;
  profile.configurations.push_back(configuration);
  return profile;
}

// A call costs `launch` and for each sequence and step `row`, above `cliff` sequences ten times
// that.
model::PredictTime times(double launch, double row, int cliff) {
  return [=](const RnnConfig& config, Phase) -> std::optional<model::TimePrediction> {
    const double rows = static_cast<double>(config.batch_size) * config.seq_length;
    const double seconds = launch + rows * row * (config.batch_size > cliff ? 10 : 1);
    return model::TimePrediction{seconds, 0.9 * seconds, 1.1 * seconds, false, "made up"};
  };
}

std::vector<std::string> chosen(const Profile& profile, const model::PredictTime& predict,
                                bool model = false) {
  ProposeOptions options;
  options.predict = predict;
  options.model = model;
  std::vector<std::string> list;
  for (const auto& changes : chosen_sizes(profile, 0, profile.devices.front(), options))
    list.push_back(describe(changes));
  return list;
}

TEST(EvenPiece, IsTheFewestPiecesAndNoneIsARemnant) {
  EXPECT_EQ(even_piece(100, 96, 8), 56);
  EXPECT_EQ(even_piece(256, 128, 8), 128);
  EXPECT_EQ(even_piece(257, 128, 8), 88);
  EXPECT_EQ(even_piece(1000, 999, 1), 500);
  EXPECT_EQ(even_piece(64, 64, 8), 64);
  EXPECT_EQ(even_piece(10, 3, 8), 3);  // no multiple of 8 fits
  EXPECT_EQ(even_piece(10, 0, 8), 0);
  for (int whole = 1; whole < 200; ++whole) {
    for (int most = 1; most <= whole; ++most) {
      for (const int multiple : {1, 8}) {
        const int piece = even_piece(whole, most, multiple);
        ASSERT_LE(piece, most);
        ASSERT_GE(piece, 1);
        // As many pieces as the largest allowed piece would make.
        ASSERT_EQ((whole - 1) / piece, (whole - 1) / most) << whole << " " << most;
      }
    }
  }
}

TEST(ChosenSizes, TheBestPartOfABatch) {
  // Below the cliff at 130 rows two calls of 128 do what one of 256 does at ten times the cost;
  // more calls only launch more.
  EXPECT_THAT(chosen(framework_profile(256, 32), times(1e-5, 1e-7, 130)),
              Contains("lower_batch (value 128)"));
  EXPECT_THAT(chosen(framework_profile(256, 32), times(1e-5, 1e-7, 100)),
              Contains("lower_batch (value 88)"));
}

TEST(ChosenSizes, NothingWhereNothingIsGained) {
  EXPECT_THAT(chosen(framework_profile(256, 32), times(1e-5, 1e-7, 4096)), IsEmpty());
  EXPECT_THAT(chosen(framework_profile(8, 1), times(1e-5, 1e-7, 4096)), IsEmpty());
}

TEST(ChosenSizes, AnotherBatchByTimePerSequenceAndWithConsentOnly) {
  const auto predict = times(1e-3, 1e-7, 200);
  EXPECT_THAT(chosen(framework_profile(32, 32), predict), IsEmpty());
  EXPECT_THAT(chosen(framework_profile(32, 32), predict, true), Contains("set_batch (value 192)"));
}

TEST(ChosenSizes, WithoutAFrameworkAlsoWithThePersistentAlgorithm) {
  const auto predict = times(1e-5, 1e-7, 130);
  const auto asked = "algo (value persist_static), then lower_batch (value 128)";
  EXPECT_THAT(chosen(framework_profile(256, 32), predict), Contains(asked));
  EXPECT_THAT(chosen(framework_profile(256, 32, Framework::pytorch), predict),
              Not(Contains(asked)));
}

TEST(ChosenSizes, ChunksOfALongSequence) {
  const model::PredictTime predict = [](const RnnConfig& config,
                                        Phase) -> std::optional<model::TimePrediction> {
    const double seconds = 1e-4 + config.seq_length * (config.seq_length > 300 ? 1e-3 : 1e-4);
    return model::TimePrediction{seconds, 0.9 * seconds, 1.1 * seconds, false, "made up"};
  };
  EXPECT_THAT(chosen(framework_profile(64, 1000), predict, true),
              Contains("chunk_sequence (length 250)"));
}

TEST(ChosenSizes, NothingWithoutPredictions) {
  EXPECT_THAT(chosen(framework_profile(256, 32), {}, true), IsEmpty());
  EXPECT_THAT(
      chosen(
          framework_profile(256, 32),
          [](const RnnConfig&, Phase) { return std::optional<model::TimePrediction>(); }, true),
      IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor::advisor
