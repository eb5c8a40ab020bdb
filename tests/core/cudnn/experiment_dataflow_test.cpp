// Several calls in the place of one: what each gets from the others, forward and back.
#include "core/cudnn/experiment_dataflow.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "tests/core/cudnn/experiment_cases.h"

namespace rnnadvisor::experiment {
namespace {

using ::testing::HasSubstr;

constexpr auto layouts = {Layout::seq_major_unpacked, Layout::seq_major_packed,
                          Layout::batch_major_unpacked};

int count(const std::vector<Operation>& list, Operation::Kind kind) {
  return static_cast<int>(
      std::count_if(list.begin(), list.end(), [&](const auto& o) { return o.kind == kind; }));
}

std::vector<RnnConfig> split_layers(const RnnConfig& config, int padding = 0) {
  std::vector<RnnConfig> calls;
  for (int layer = 0; layer < config.num_layers; ++layer) {
    RnnConfig call = config;
    call.num_layers = 1;
    call.dropout = 0;
    call.hidden_size += padding * (layer + 1);
    if (!config.has_projection()) call.proj_size = call.hidden_size;
    if (layer > 0) {
      call.input_size = calls.back().proj_size * config.directions();
      call.input_mode = InputMode::linear_input;
    }
    calls.push_back(call);
  }
  return calls;
}

std::vector<RnnConfig> split_directions(const RnnConfig& config, int padding = 0) {
  std::vector<RnnConfig> calls;
  for (auto call : split_layers(config, padding)) {
    call.direction = Direction::unidirectional;
    calls.push_back(call);
    calls.push_back(call);
  }
  return calls;
}

TEST(ExperimentDataflow, LayersOneByOne) {
  for (const Cell cell : all_cells) {
    for (const Direction direction : {Direction::unidirectional, Direction::bidirectional}) {
      for (const Layout layout : layouts) {
        RnnConfig config = small_config(cell, 4, 3, 3, 4);
        config.direction = direction;
        config.num_layers = 3;
        config.layout = layout;
        config.seq_lengths = {4, 2, 1};
        SCOPED_TRACE(summary(config));
        expect_same(config, several(Composition::layers, split_layers(config)));
        // Each layer padded on its own.
        expect_same(config, several(Composition::layers, split_layers(config, 2)));
      }
    }
  }
}

TEST(ExperimentDataflow, LayersWithProjectionAndSkipInput) {
  RnnConfig config = small_config(Cell::lstm, 4, 3, 5, 5);
  config.proj_size = 3;
  config.num_layers = 2;
  config.input_mode = InputMode::skip_input;
  expect_same(config, several(Composition::layers, split_layers(config)));
  config.direction = Direction::bidirectional;
  expect_same(config, several(Composition::layers, split_layers(config)));
}

TEST(ExperimentDataflow, LayersInGroups) {
  RnnConfig config = small_config(Cell::gru, 3, 2, 3, 4);
  config.num_layers = 3;
  auto calls = split_layers(config);
  calls.pop_back();
  calls[1].num_layers = 2;
  expect_same(config, several(Composition::layers, calls));
}

TEST(ExperimentDataflow, LayersShareTensorsAndCopyNothing) {
  RnnConfig config = small_config(Cell::lstm, 3, 2, 3, 4);
  config.num_layers = 3;
  const auto program = make_program(config, several(Composition::layers, split_layers(config)));
  ASSERT_TRUE(program);
  for (const auto* list :
       {&program->forward, &program->backward_data, &program->backward_weights}) {
    EXPECT_EQ(list->size(), 3U);
    EXPECT_EQ(count(*list, Operation::Kind::call), 3);
  }
  EXPECT_EQ(program->calls[1].at(Tensor::x), program->calls[0].at(Tensor::y));
  EXPECT_EQ(program->calls[1].at(Tensor::dx), program->calls[0].at(Tensor::dy));
  EXPECT_TRUE(program->remark.empty());
}

// The original has dropout between its layers, so the calls must have it too, and both ways.
TEST(ExperimentDataflow, DropoutBetweenCallsIsCarriedOut) {
  RnnConfig config = small_config(Cell::lstm, 3, 2, 3, 4);
  config.num_layers = 3;
  config.dropout = 0.5;
  const auto layers = make_program(config, several(Composition::layers, split_layers(config)));
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->dropouts, 2);
  EXPECT_EQ(count(layers->forward, Operation::Kind::dropout), 2);
  EXPECT_EQ(count(layers->backward_data, Operation::Kind::dropout), 2);
  // The reference passes everything on: then it is the same function.
  expect_same(config, several(Composition::layers, split_layers(config)));
  config.direction = Direction::bidirectional;
  const auto both =
      make_program(config, several(Composition::directions, split_directions(config)));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->dropouts, 2);
  std::vector<int> forward;
  std::vector<int> backward;
  for (const auto& operation : both->forward)
    if (operation.kind == Operation::Kind::dropout) forward.push_back(operation.index);
  for (const auto& operation : both->backward_data)
    if (operation.kind == Operation::Kind::dropout) backward.push_back(operation.index);
  EXPECT_EQ(forward, (std::vector<int>{0, 1}));
  EXPECT_EQ(backward, (std::vector<int>{1, 0}));
  expect_same(config, several(Composition::directions, split_directions(config)));
  // Inference has none.
  config.mode = Mode::inference;
  const auto inference =
      make_program(config, several(Composition::directions, split_directions(config)));
  ASSERT_TRUE(inference);
  EXPECT_EQ(inference->dropouts, 0);
}

TEST(ExperimentDataflow, DirectionsApart) {
  for (const Cell cell : all_cells) {
    for (const Layout layout : layouts) {
      for (const int layers : {1, 3}) {
        for (const std::vector<int>& lengths : {std::vector<int>{}, {4, 4, 2}}) {
          for (const int padding : {0, 1}) {
            RnnConfig config = small_config(cell, 4, 3, 3, 4);
            config.direction = Direction::bidirectional;
            config.num_layers = layers;
            config.layout = layout;
            config.seq_lengths = lengths;
            SCOPED_TRACE(summary(config) + " " + std::string(to_string(layout)));
            expect_same(config,
                        several(Composition::directions, split_directions(config, padding)));
          }
        }
      }
    }
  }
}

TEST(ExperimentDataflow, DirectionsOfAProjection) {
  RnnConfig config = small_config(Cell::lstm, 3, 2, 3, 5);
  config.direction = Direction::bidirectional;
  config.proj_size = 2;
  config.num_layers = 2;
  expect_same(config, several(Composition::directions, split_directions(config)));
}

TEST(ExperimentDataflow, DirectionsCopyOncePerTimeStepAndSaySo) {
  RnnConfig config = small_config(Cell::lstm, 10, 4, 3, 4);
  config.direction = Direction::bidirectional;
  for (const Layout layout : layouts) {
    config.layout = layout;
    const auto program =
        make_program(config, several(Composition::directions, split_directions(config)));
    ASSERT_TRUE(program);
    EXPECT_THAT(program->remark, HasSubstr("one copy for each time step"));
    // x there, y back, and the one block that moves y of the first direction.
    EXPECT_EQ(count(program->forward, Operation::Kind::copy), 21) << to_string(layout);
    EXPECT_EQ(count(program->backward_data, Operation::Kind::copy), 21);
    EXPECT_EQ(count(program->backward_data, Operation::Kind::add), 1);
  }
}

TEST(ExperimentDataflow, RowsInSeveralCalls) {
  for (const Cell cell : all_cells) {
    for (const Direction direction : {Direction::unidirectional, Direction::bidirectional}) {
      RnnConfig config = small_config(cell, 4, 5, 3, 4);
      config.direction = direction;
      config.num_layers = 2;
      std::vector<RnnConfig> calls(3, config);
      calls[0].batch_size = calls[1].batch_size = 2;
      calls[2].batch_size = 1;
      SCOPED_TRACE(summary(config));
      expect_same(config, several(Composition::rows, calls));
      ExperimentVariant named = several(Composition::rows, calls);
      named.rows = {{4, 0}, {3, 1}, {2}};
      expect_same(config, named);
      named.rows = {{4, 0}, {3, 1}};
      EXPECT_THAT(refusal(config, named), HasSubstr("2 lists of sequences instead of 3"));
      calls.pop_back();
      EXPECT_THAT(refusal(config, several(Composition::rows, calls)), HasSubstr("is missing"));
    }
  }
}

TEST(ExperimentDataflow, RowsByLength) {
  RnnConfig config = small_config(Cell::lstm, 6, 5, 3, 4);
  config.seq_lengths = {1, 6, 3, 6, 2};
  std::vector<RnnConfig> calls(2, config);
  calls[0].batch_size = 3;
  calls[0].seq_lengths = {6, 6, 3};
  calls[1].batch_size = 2;
  calls[1].seq_length = 2;
  calls[1].seq_lengths = {2, 1};
  expect_same(config, several(Composition::rows, calls));
  for (auto& call : calls) {
    call.layout = Layout::seq_major_packed;
    call.hidden_size = call.proj_size = 6;
  }
  expect_same(config, several(Composition::rows, calls));
  calls[1].algo = Algo::persist_static;
  EXPECT_THAT(refusal(config, several(Composition::rows, calls)), HasSubstr("share their weights"));
}

TEST(ExperimentDataflow, StepsInChunks) {
  for (const Cell cell : all_cells) {
    for (const Layout layout : layouts) {
      for (const int padding : {0, 2}) {
        RnnConfig config = small_config(cell, 5, 3, 3, 4);
        config.num_layers = 2;
        config.layout = layout;
        std::vector<RnnConfig> calls(3, config);
        for (auto& call : calls) {
          call.hidden_size += padding;
          call.proj_size += padding;
          call.input_size += padding;
        }
        calls[0].seq_length = calls[1].seq_length = 2;
        calls[2].seq_length = 1;
        SCOPED_TRACE(summary(config) + " " + std::string(to_string(layout)));
        expect_same(config, several(Composition::steps, calls));
      }
    }
  }
}

TEST(ExperimentDataflow, StatesOfEqualChunksAreHandedOnWithoutCopies) {
  RnnConfig config = small_config(Cell::lstm, 4, 3, 3, 4);
  std::vector<RnnConfig> calls(2, config);
  calls[0].seq_length = calls[1].seq_length = 2;
  const auto program = make_program(config, several(Composition::steps, calls));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->forward.size(), 2U);
  EXPECT_EQ(program->backward_data.size(), 2U);
  EXPECT_EQ(program->calls[1].at(Tensor::hx), program->calls[0].at(Tensor::hy));
  EXPECT_EQ(program->calls[1].at(Tensor::cx), program->calls[0].at(Tensor::cy));
  EXPECT_EQ(program->calls[0].at(Tensor::dhy), program->calls[1].at(Tensor::dhx));
  EXPECT_EQ(program->weight_spaces, 1);
}

// Sequences end in different chunks: packed ones leave the batch, others stay as rows of length 0,
// whose states cuDNN does not define.
TEST(ExperimentDataflow, StepsOfUnequalSequences) {
  for (const Cell cell : all_cells) {
    for (const int projection : {4, 2}) {
      if (projection == 2 && cell != Cell::lstm) continue;
      for (const Layout layout : {Layout::seq_major_unpacked, Layout::batch_major_unpacked}) {
        RnnConfig config = small_config(cell, 5, 4, 3, 4);
        config.proj_size = projection;
        config.num_layers = 2;
        config.layout = layout;
        config.seq_lengths = {2, 5, 1, 3};
        std::vector<RnnConfig> calls(3, config);
        calls[0].seq_length = calls[1].seq_length = 2;
        calls[2].seq_length = 1;
        calls[0].seq_lengths = {2, 2, 1, 2};
        calls[1].seq_lengths = {0, 2, 0, 1};
        calls[2].seq_lengths = {0, 1, 0, 0};
        SCOPED_TRACE(summary(config) + " " + std::string(to_string(layout)));
        expect_same(config, several(Composition::steps, calls));
      }
      RnnConfig packed = small_config(cell, 5, 4, 3, 4);
      packed.proj_size = projection;
      packed.num_layers = 2;
      packed.layout = Layout::seq_major_packed;
      packed.seq_lengths = {5, 3, 2, 1};
      std::vector<RnnConfig> calls(3, packed);
      calls[0].seq_length = 2;
      calls[0].seq_lengths = {2, 2, 2, 1};
      calls[1].seq_length = 2;
      calls[1].seq_lengths = {2, 1};
      calls[1].batch_size = 2;
      calls[2].seq_length = 1;
      calls[2].seq_lengths = {};
      calls[2].batch_size = 1;
      expect_same(packed, several(Composition::steps, calls));
    }
  }
}

TEST(ExperimentDataflow, ChunksThatDoNotMeetAreRefused) {
  RnnConfig config = small_config(Cell::gru, 4, 2, 3, 4);
  std::vector<RnnConfig> calls(2, config);
  calls[0].seq_length = 2;
  calls[1].seq_length = 1;
  EXPECT_THAT(refusal(config, several(Composition::steps, calls)), HasSubstr("is missing"));
  calls[1].seq_length = 2;
  calls[0].seq_lengths = {1, 2};
  EXPECT_THAT(refusal(config, several(Composition::steps, calls)), HasSubstr("after it has ended"));
  config.direction = Direction::bidirectional;
  for (auto& call : calls) call = config;
  EXPECT_THAT(refusal(config, several(Composition::steps, calls)), HasSubstr("cannot be cut"));
}

TEST(ExperimentDataflow, StacksThatDoNotFitTogetherAreRefused) {
  RnnConfig config = small_config(Cell::lstm, 4, 2, 3, 4);
  config.num_layers = 2;
  auto calls = split_layers(config);
  calls[1].input_size = 5;
  EXPECT_THAT(refusal(config, several(Composition::layers, calls)),
              HasSubstr("inputs of 5 where the layer below gives 4"));
  calls.pop_back();
  EXPECT_THAT(refusal(config, several(Composition::layers, calls)),
              HasSubstr("1 layers instead of 2"));
  calls = split_layers(config);
  calls[1].layout = Layout::batch_major_unpacked;
  EXPECT_THAT(refusal(config, several(Composition::layers, calls)), HasSubstr("another layout"));
  calls = split_layers(config);
  calls[1].data_type = DataType::half;
  EXPECT_THAT(refusal(config, several(Composition::layers, calls)), HasSubstr("data type"));
  EXPECT_THAT(refusal(config, several(Composition::single, split_layers(config))),
              HasSubstr("one call made of several"));
  EXPECT_THAT(refusal(config, several(Composition::directions, split_directions(config))),
              HasSubstr("one direction only"));
  config.direction = Direction::bidirectional;
  calls = split_directions(config);
  calls.pop_back();
  EXPECT_THAT(refusal(config, several(Composition::directions, calls)),
              HasSubstr("lacks a direction"));
}

// Nothing overflows, hangs or fills the memory, whatever the sizes.
TEST(ExperimentDataflow, HugeSizesAreRefused) {
  constexpr int most = std::numeric_limits<int>::max();
  for (int RnnConfig::* size : {&RnnConfig::input_size, &RnnConfig::num_layers,
                                &RnnConfig::seq_length, &RnnConfig::batch_size}) {
    RnnConfig config = small_config(Cell::lstm, 8, 8192, 512, 512);
    config.direction = Direction::bidirectional;
    config.*size = most;
    EXPECT_NE(
        refusal(config, single(config)) + refusal(config, several(Composition::rows, {config})), "")
        << size;
    EXPECT_GT(input_elements(config), most_elements);
  }
  RnnConfig all = small_config(Cell::lstm, most, most, most, most);
  all.num_layers = most;
  EXPECT_NE(refusal(all, single(all)), "");
  EXPECT_EQ(input_elements(all), std::numeric_limits<std::int64_t>::max());
}

TEST(ExperimentDataflow, LengthsThatDoNotBelongAreRefused) {
  RnnConfig config = small_config(Cell::gru, 4, 2, 3, 4);
  RnnConfig wrong = config;
  wrong.seq_lengths = {4};
  EXPECT_THAT(refusal(config, single(wrong)), HasSubstr("1 lengths for 2 sequences"));
  wrong.seq_lengths = {4, 5};
  EXPECT_THAT(refusal(config, single(wrong)), HasSubstr("a length of 5 in 4 steps"));
  wrong.seq_lengths = {4, -1};
  EXPECT_THAT(refusal(wrong, single(config)), HasSubstr("a length of -1"));
}

TEST(ExperimentDataflow, InferenceHasNothingOfTheWayBack) {
  RnnConfig config = small_config(Cell::lstm, 4, 2, 3, 4);
  config.mode = Mode::inference;
  config.direction = Direction::bidirectional;
  config.num_layers = 2;
  const auto variant = several(Composition::directions, split_directions(config));
  const auto program = make_program(config, variant);
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->backward_data.empty());
  EXPECT_TRUE(program->backward_weights.empty());
  expect_same(config, variant);
}

TEST(ExperimentDataflow, WithoutTransfersThereIsOnlyTheProgram) {
  RnnConfig config = small_config(Cell::lstm, 4, 2, 3, 4);
  config.num_layers = 2;
  const auto variant = several(Composition::layers, split_layers(config));
  const auto with = make_program(config, variant);
  const auto without = make_program(config, variant, false);
  ASSERT_TRUE(with && without);
  EXPECT_TRUE(without->inputs.empty());
  EXPECT_TRUE(without->outputs.empty());
  EXPECT_EQ(with->slots, without->slots);
  EXPECT_EQ(with->forward.size(), without->forward.size());
}

}  // namespace
}  // namespace rnnadvisor::experiment
