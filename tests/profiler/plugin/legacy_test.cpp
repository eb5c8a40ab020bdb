// Programs of cuDNN 8's time: its older RNN functions, linked and looked up, in the spool and in
// the profile that is collected from it.
#include <cudnn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/launch/collect.h"
#include "profiler/profile/check.h"
#include "tests/profiler/plugin/child.h"
#include "tests/profiler/plugin/probe/legacy_values.h"

namespace rnnadvisor::plugin_test {
namespace {

using spool::Entry;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Legacy : public ::testing::TestWithParam<const char*> {
 protected:
  Legacy() : child(LEGACY_PROBE_FILE) {}
  Result run(const char* mode) { return child.run({GetParam(), mode}); }
  Profile collect() {
    auto collected = launch::collect_spools(child.spool_folder(), {});
    EXPECT_TRUE(collected) << to_text(collected.error());
    if (!collected) return {};
    const auto checked = check_profile(collected->profile, ErrorCode::internal);
    EXPECT_TRUE(checked) << to_text(checked.error());
    return std::move(collected->profile);
  }
  Child child;
};
INSTANTIATE_TEST_SUITE_P(, Legacy, ::testing::Values("linked", "handle"),
                         [](const auto& test) { return std::string(test.param); });

const Note* find_note(const Profile& profile, std::string_view code) {
  for (const auto& note : profile.notes)
    if (note.code == code) return &note;
  return nullptr;
}

struct Expected {
  const char* function;
  Entry entry;
  bool training, ex;
  std::vector<int> alignment;  // x y hx hy cx cy weights workspace reserve dy dx dw
};

void expect_calls(const Spool& s) {
  constexpr int none = 255;
  const std::vector<Expected> expected = {
      {"cudnnRNNForwardInference",
       Entry::forward,
       false,
       false,
       {1, 5, 2, 6, 3, 7, 4, 8, none, none, none, none}},
      {"cudnnRNNForwardTraining",
       Entry::forward,
       true,
       false,
       {1, 5, 2, 6, 3, 7, 4, 8, 12, none, none, none}},
      {"cudnnRNNBackwardData",
       Entry::backward_data,
       true,
       false,
       {none, 1, 6, 3, 7, 4, 5, 11, 12, 2, 8, none}},
      {"cudnnRNNBackwardWeights",
       Entry::backward_weights,
       true,
       false,
       {1, 3, 2, none, none, none, none, 4, 12, none, none, 5}},
      {"cudnnRNNForwardInferenceEx",
       Entry::forward,
       false,
       true,
       {1, 5, 2, 6, 3, 7, 4, 8, none, none, none, none}},
      {"cudnnRNNForwardTrainingEx",
       Entry::forward,
       true,
       true,
       {1, 5, 2, 6, 3, 7, 4, 8, 12, none, none, none}},
      {"cudnnRNNBackwardDataEx",
       Entry::backward_data,
       true,
       true,
       {none, 1, 6, 3, 7, 4, 5, 11, 12, 2, 8, none}},
      {"cudnnRNNBackwardWeightsEx",
       Entry::backward_weights,
       true,
       true,
       {1, 3, 2, none, none, none, none, 4, 12, none, none, 5}}};
  ASSERT_EQ(s.calls.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& call = s.calls[i];
    const auto& e = expected[i];
    SCOPED_TRACE(e.function);
    EXPECT_EQ(s.text(call.function), e.function);
    EXPECT_EQ(call.entry, e.entry);
    EXPECT_EQ(call.flags & ~std::uint32_t{spool::call_begins_step},
              std::uint32_t{spool::call_legacy | spool::call_untraced});
    EXPECT_EQ(call.training, e.training ? 1u : 0u);
    EXPECT_EQ(call.status, 0);
    EXPECT_EQ(call.weight_bytes, 2u * probe::weights);
    EXPECT_EQ(call.workspace_bytes, probe::workspace_bytes);
    const bool reserves = e.training;
    EXPECT_EQ(call.reserve_bytes, reserves ? probe::reserve_bytes : 0u);
    EXPECT_EQ(call.reserve_address, reserves ? std::uint64_t{1} << (e.ex ? 41 : 40) : 0u);
    EXPECT_EQ(std::vector<int>(std::begin(call.alignment), std::end(call.alignment)), e.alignment);
    EXPECT_EQ(call.library, 1u);
    EXPECT_GE(call.end_ns, call.start_ns);
    const auto& [c, lengths] = s.shape(call);
    EXPECT_EQ(c.known, spool::known_descriptor | spool::known_data | spool::known_clip |
                           spool::known_dropout | spool::known_lengths);
    EXPECT_EQ(c.algo, CUDNN_RNN_ALGO_PERSIST_STATIC);
    EXPECT_EQ(c.cell, CUDNN_LSTM);
    EXPECT_EQ(c.bias, CUDNN_RNN_SINGLE_REC_BIAS);
    EXPECT_EQ(c.direction, CUDNN_BIDIRECTIONAL);
    EXPECT_EQ(c.input_mode, CUDNN_LINEAR_INPUT);
    EXPECT_EQ(c.data_type, CUDNN_DATA_HALF) << "of x: the descriptor does not hold it";
    EXPECT_EQ(c.math_precision, CUDNN_DATA_FLOAT);
    EXPECT_EQ(c.math_type, CUDNN_TENSOR_OP_MATH);
    EXPECT_EQ(c.hidden_size, probe::hidden_size);
    EXPECT_EQ(c.projection_size, probe::projection_size);
    EXPECT_EQ(c.layers, probe::layers);
    EXPECT_EQ(c.dropout, probe::dropout);
    EXPECT_EQ(c.dropout_seed, probe::dropout_seed);
    EXPECT_EQ(c.aux_flags, e.ex ? 1u : 0u);
    EXPECT_EQ(c.training, e.training ? 1 : 0);
    EXPECT_EQ(c.x_data_type, CUDNN_DATA_HALF);
    EXPECT_EQ(c.input_size, e.ex ? probe::ex_input_size : probe::input_size);
    EXPECT_EQ(c.vector_size, e.ex ? probe::ex_input_size : probe::input_size);
    EXPECT_EQ(c.layout, e.ex ? CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED
                             : CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED);
    EXPECT_EQ(c.max_seq_length, e.ex ? probe::ex_steps : 5);
    EXPECT_EQ(c.batch, e.ex ? 4 : 3);
    EXPECT_EQ(lengths, e.ex ? probe::ex_lengths : probe::lengths_of_batches);
  }
  EXPECT_EQ(s.header.calls, 8u);
  // 8 that run, 5 that fill the descriptor, 2 that ask for sizes.
  EXPECT_EQ(s.entries(Entry::legacy), 15u);
  for (const auto entry : {Entry::forward, Entry::backward_data, Entry::backward_weights})
    EXPECT_EQ(s.entries(entry), 0u);
  EXPECT_EQ(s.entries(Entry::set_dropout), 1u);
  EXPECT_EQ(s.entries(Entry::set_rnn_data_descriptor), 2u);
  EXPECT_EQ(s.lost(), 0u);
  ASSERT_THAT(s.libraries, SizeIs(1));
  EXPECT_EQ(s.libraries[0].version, 8977u);
  EXPECT_THAT(s.text(s.libraries[0].path), HasSubstr("libcudnn.so.8"));
}

TEST_P(Legacy, EveryFieldIsReadBackAndEveryArgumentArrives) {
  const auto result = run("each-once");
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.error, IsEmpty());
  expect_calls(result.spool());
}

// Where the getter of cuDNN 8 does not answer for a descriptor that was filled in the older way.
TEST_P(Legacy, TheOlderGettersAreAskedAsWell) {
  child.variable("STANDIN_V8_GETTER_REFUSES", "1");
  const auto result = run("each-once");
  ASSERT_EQ(result.status, 0) << result.error;
  expect_calls(result.spool());
}

TEST_P(Legacy, TheProfileHasItsCallsAndSaysSo) {
  ASSERT_EQ(run("each-once").status, 0);
  const Profile p = collect();
  ASSERT_THAT(p.calls, SizeIs(8));
  std::vector<Phase> phases;
  for (const auto& call : p.calls) {
    phases.push_back(call.phase);
    EXPECT_EQ(call.source, CallSource::hook);
    EXPECT_EQ(call.weights_bytes, 2 * probe::weights);
    ASSERT_GE(call.configuration, 0);
    EXPECT_EQ(
        p.configurations[static_cast<std::size_t>(call.configuration)].program.uses_removed_api,
        true);
  }
  EXPECT_THAT(phases,
              ElementsAre(Phase::forward_inference, Phase::forward_training, Phase::backward_data,
                          Phase::backward_weights, Phase::forward_inference,
                          Phase::forward_training, Phase::backward_data, Phase::backward_weights));
  EXPECT_EQ(p.calls[2].forward, 1) << "by the reserve space";
  EXPECT_EQ(p.calls[3].forward, 1);
  EXPECT_EQ(p.calls[6].forward, 5);
  const RnnConfig& packed =
      p.configurations[static_cast<std::size_t>(p.calls[1].configuration)].config;
  EXPECT_EQ(packed.layout, Layout::seq_major_packed);
  EXPECT_EQ(packed.batch_size, 3);
  EXPECT_EQ(packed.seq_length, 5);
  EXPECT_EQ(packed.input_size, probe::input_size);
  EXPECT_EQ(packed.proj_size, probe::projection_size);
  EXPECT_EQ(p.environment.cudnn_version, "8.9.77");
  const auto* note = find_note(p, "legacy-functions");
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(note->count, 15);
  EXPECT_THAT(note->text,
              AllOf(HasSubstr("cuDNN 9 has no more"), HasSubstr("cudnnRNNBackwardWeights, "),
                    HasSubstr("cudnnRNNForwardTrainingEx")));
  EXPECT_EQ(find_note(p, "configuration-unknown"), nullptr);
  EXPECT_EQ(find_note(p, "no-rnn-calls"), nullptr);
}

TEST_P(Legacy, RefusalsAreKeptUnderTheirOwnNames) {
  const auto result = run("refusals");
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(4));
  const std::vector<std::pair<const char*, const char*>> expected = {
      {"cudnnSetRNNDescriptor_v6", "hiddenSize <= 0"},
      {"cudnnSetRNNProjectionLayers", "recProjSize > hiddenSize"},
      {"cudnnGetRNNWorkspaceSize", "seqLength <= 0"},
      {"cudnnRNNForwardInference", "xDesc is not sorted"}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(s.text(s.calls[i].function), expected[i].first);
    EXPECT_EQ(s.text(s.calls[i].reason), expected[i].second);
    EXPECT_EQ(s.calls[i].status, 3) << "CUDNN_STATUS_BAD_PARAM of cuDNN 8";
    EXPECT_EQ(s.calls[i].entry, i < 3 ? Entry::legacy : Entry::forward);
  }
  EXPECT_EQ(s.shape(s.calls[0]).configuration.known, std::uint32_t{spool::known_descriptor});
  EXPECT_EQ(s.shape(s.calls[0]).configuration.layers, 1);
  EXPECT_EQ(s.shape(s.calls[3]).configuration.known & spool::known_lengths, 0u)
      << "what grows is no batch of sequences";

  const Profile p = collect();
  ASSERT_THAT(p.calls, SizeIs(1));
  ASSERT_THAT(p.setup_calls, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(p.text(p.setup_calls[i].function), expected[i].first);
  const auto* note = find_note(p, "descriptor-refused");
  ASSERT_NE(note, nullptr);
  EXPECT_THAT(note->text, AllOf(HasSubstr("cudnnSetRNNDescriptor_v6"),
                                HasSubstr("CUDNN_STATUS_BAD_PARAM"), HasSubstr("hiddenSize <= 0")));
}

TEST_P(Legacy, TheirKernelsAreTheirs) {
  child.variable("RNNADVISOR_MODE", "kernels").variable("CUDA_INJECTION64_PATH", PLUGIN_FILE);
  const auto result = run("kernels");
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().kernels, SizeIs(8));
  const Profile p = collect();
  std::vector<int> calls(p.kernels.call.begin(), p.kernels.call.end());
  EXPECT_THAT(calls, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

constexpr const char* trial_functions[] = {
    "cudnnFindRNNForwardInferenceAlgorithmEx", "cudnnFindRNNForwardTrainingAlgorithmEx",
    "cudnnFindRNNBackwardDataAlgorithmEx", "cudnnFindRNNBackwardWeightsAlgorithmEx"};

void expect_searches(const Spool& s) {
  EXPECT_EQ(s.entries(Entry::legacy), 5u + 9u + 4u) << "the network's, each once, and refusals";
  EXPECT_EQ(s.header.calls, 1u) << "what ran for the program itself";
  EXPECT_EQ(s.lost(), 0u);
  std::vector<std::string> kept;
  for (const auto& call : s.calls) kept.push_back(s.text(call.function));
  EXPECT_THAT(kept, ElementsAre("cudnnCreatePersistentRNNPlan", trial_functions[0],
                                trial_functions[1], trial_functions[2], trial_functions[3],
                                "cudnnRNNForwardTraining", trial_functions[1], trial_functions[3],
                                "cudnnRNNSetClip", "cudnnSetPersistentRNNPlan"));
  if (s.calls.size() != 10) return;
  for (const std::size_t search : {1U, 2U, 3U, 4U, 6U, 7U}) {
    const auto& call = s.calls[search];
    EXPECT_EQ(call.entry, Entry::legacy);
    EXPECT_EQ(call.flags & spool::call_search, spool::call_search);
    EXPECT_EQ(call.status, search == 7 ? 3 : 0);
    EXPECT_EQ(call.training, search == 1 ? 0u : 1u);
    EXPECT_EQ(call.workspace_bytes, search == 7 ? 1 : probe::workspace_bytes);
    EXPECT_EQ(call.weight_bytes, 2u * probe::weights);
    EXPECT_EQ(s.shape(call).configuration.max_seq_length, 5);
  }
  EXPECT_EQ(s.text(s.calls[7].reason), "requestedAlgoCount < 1");
  EXPECT_EQ(s.text(s.calls[8].reason), "lclip > rclip");
  EXPECT_EQ(s.text(s.calls[9].reason), "plan == NULL");
  // The call has what the descriptor was given on the way to it.
  const auto& call = s.calls[5];
  EXPECT_EQ(call.entry, Entry::forward);
  EXPECT_EQ(call.flags & spool::call_search, 0u);
  const auto& shape = s.shape(call).configuration;
  EXPECT_EQ(shape.algo, CUDNN_RNN_ALGO_STANDARD);
  EXPECT_EQ(s.shape(s.calls[2]).configuration.algo, CUDNN_RNN_ALGO_PERSIST_STATIC);
  EXPECT_EQ(shape.known & spool::known_clip, std::uint32_t{spool::known_clip});
  EXPECT_EQ(shape.clip_mode, CUDNN_RNN_CLIP_MINMAX);
  EXPECT_EQ(shape.clip_nan, CUDNN_PROPAGATE_NAN);
  EXPECT_EQ(shape.clip_low, probe::clip_low);
  EXPECT_EQ(shape.clip_high, probe::clip_high);
}

TEST_P(Legacy, SearchesAndPlansAreKeptAndDescriptorsAreAsTheyWereMade) {
  const auto result = run("searches");
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.error, IsEmpty());
  expect_searches(result.spool());
  child.variable("STANDIN_V8_GETTER_REFUSES", "1");
  const auto older = run("searches");
  ASSERT_EQ(older.status, 0) << older.error;
  ASSERT_THAT(older.spools, SizeIs(2));
  expect_searches(older.spools[1]);
}

TEST_P(Legacy, TheTrialsOfASearchAreNoCallsOfTheProgram) {
  child.variable("RNNADVISOR_MODE", "kernels").variable("CUDA_INJECTION64_PATH", PLUGIN_FILE);
  const auto result = run("searches-with-kernels");
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().kernels, SizeIs(16)) << "five searches of three, and the call";
  const Profile p = collect();
  ASSERT_THAT(p.calls, SizeIs(1));
  EXPECT_EQ(p.calls[0].phase, Phase::forward_training);
  EXPECT_THAT(p.configurations, SizeIs(1)) << "what was tried and never ran is none";
  ASSERT_THAT(p.kernels.call, SizeIs(16));
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(p.kernels.call[i], i == 12 ? 0 : -1) << i;
    EXPECT_EQ(p.kernels.role[i] == KernelRole::algorithm_search, i != 12) << i;
  }
  std::vector<std::string> setups;
  for (const auto& call : p.setup_calls) setups.push_back(p.text(call.function));
  EXPECT_THAT(setups,
              ElementsAre("cudnnCreatePersistentRNNPlan", trial_functions[0], trial_functions[1],
                          trial_functions[2], trial_functions[3], trial_functions[1],
                          trial_functions[3], "cudnnRNNSetClip", "cudnnSetPersistentRNNPlan"));
  EXPECT_EQ(p.setup_calls[1].configuration, -1);
  EXPECT_EQ(p.setup_calls[5].configuration, 0) << "of what ran";
  const auto* note = find_note(p, "algorithm-search");
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(note->count, 6);
  EXPECT_EQ(find_note(p, "rnn-kernels-without-calls"), nullptr);
}

TEST_P(Legacy, WithoutASpoolNothingHappens) {
  const auto result = child.without("RNNADVISOR_SPOOL").run({GetParam(), "each-once"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spools, IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
