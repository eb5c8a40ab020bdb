#include "advisor/whatif/torch/torch_candidates.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "advisor/whatif/torch/torch_request.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Profile program_profile(const RnnConfig& config, const ProgramContext& program) {
  Profile profile;
  profile.devices = {*find_device("h200")};
  profile.environment.cudnn_version = "9.19.0";
  Configuration configuration;
  configuration.config = config;
  configuration.program = program;
  configuration.origin = Origin::run;
  profile.configurations.push_back(configuration);
  return profile;
}

RnnConfig half_stack() {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.input_size = config.hidden_size = config.proj_size = 512;
  config.num_layers = 2;
  config.seq_length = 128;
  config.batch_size = 32;
  return config;
}

ProgramContext torch_program() {
  ProgramContext program;
  program.name = Framework::pytorch;
  return program;
}

TorchProposal proposed(const Profile& profile, const ProposeOptions& options = {},
                       std::vector<Trial> trials = {}, std::vector<Finding> findings = {}) {
  return propose_for_torch(profile, 0, findings, profile.devices[0], options, trials);
}

std::vector<std::string> described(const TorchProposal& proposal) {
  std::vector<std::string> list;
  for (const auto& candidate : proposal.candidates) list.push_back(describe(candidate.transforms));
  return list;
}

std::string why_not(const TorchProposal& proposal, std::string_view what) {
  for (const auto& dropped : proposal.dropped)
    if (describe(dropped.transforms) == what) return dropped.reason;
  return "not dropped";
}

TEST(TorchCandidates, WhatPyTorchDecidesIsNotAsked) {
  const auto proposal = proposed(program_profile(half_stack(), torch_program()));
  EXPECT_THAT(described(proposal), Contains("split_layers"));
  EXPECT_THAT(described(proposal), Contains("cuda_graph"));
  for (const auto& candidate : proposal.candidates) {
    for (const auto& transform : candidate.transforms) EXPECT_NE(transform.kind, "algo");
    if (describe(candidate.transforms) != "split_layers") continue;
    ASSERT_EQ(candidate.calls.size(), 2u);
    EXPECT_EQ(candidate.calls[0].algo, Algo::persist_static) << "as PyTorch picks it";
  }
  EXPECT_THAT(why_not(proposal, "algo (value persist_static)"), HasSubstr("picks the algorithm"));
}

TEST(TorchCandidates, PrecisionIsOneChangeThere) {
  auto config = half_stack();
  config.data_type = DataType::float32;
  config.math_type = MathType::default_math;
  const auto proposal = proposed(program_profile(config, torch_program()));
  // In cuDNN the math type goes with it; PyTorch sets it by itself.
  EXPECT_THAT(described(proposal), Contains("data_type (value half)"));
  EXPECT_THAT(described(proposal), Not(Contains(HasSubstr("math_type tensor_op"))));
  ProposeOptions exact;
  exact.numerics = false;
  EXPECT_THAT(described(proposed(program_profile(config, torch_program()), exact)),
              Not(Contains("data_type (value half)")));
}

TEST(TorchCandidates, SwitchesOfTheProgramAreTried) {
  auto config = half_stack();
  config.num_layers = 1;
  auto program = torch_program();
  program.cudnn_enabled = false;
  auto proposal = proposed(program_profile(config, program));
  EXPECT_THAT(described(proposal), ElementsAre("cudnn_enabled (value true)"))
      << "without cuDNN nothing else has an effect on its calls";
  EXPECT_TRUE(proposal.candidates[0].calls.empty());
  EXPECT_EQ(proposal.candidates[0].meaning, Meaning::numerics);
  program = torch_program();
  program.flat_weights = false;
  EXPECT_THAT(described(proposed(program_profile(config, program))),
              Contains("flatten_parameters"));
  program = torch_program();
  program.needs_backward = false;
  EXPECT_THAT(described(proposed(program_profile(config, program))), Contains("inference_mode"));
}

TEST(TorchCandidates, WhatCudnnShowedDecidesTheOrder) {
  const auto profile = program_profile(half_stack(), torch_program());
  const auto trial = [&](std::vector<std::string_view> kinds, ExperimentVerdict verdict,
                         double speedup) {
    Trial made;
    made.configuration = 0;
    for (const auto kind : kinds) made.candidate.transforms.push_back(*parse_transform(kind, "{}"));
    made.verdict = verdict;
    ExperimentTiming timing;
    timing.scope = ExperimentScope::training_step;
    timing.speedup = speedup;
    made.timings = {timing};
    return made;
  };
  const auto proposal =
      proposed(profile, {},
               {trial({"split_layers"}, ExperimentVerdict::confirmed, 1.5),
                trial({"cuda_graph"}, ExperimentVerdict::refuted, 0.8),
                trial({"cuda_graph", "split_layers"}, ExperimentVerdict::confirmed, 3.0)});
  ASSERT_GE(proposal.candidates.size(), 2u);
  EXPECT_EQ(describe(proposal.candidates[0].transforms), "cuda_graph, then split_layers");
  EXPECT_DOUBLE_EQ(proposal.candidates[0].expected, 3.0);
  EXPECT_EQ(describe(proposal.candidates[1].transforms), "split_layers");
  EXPECT_THAT(why_not(proposal, "cuda_graph"), HasSubstr("refuted"));
  ProposeOptions few;
  few.most = 1;
  EXPECT_EQ(proposed(profile, few).candidates.size(), 1u);
}

TEST(TorchCandidates, ChunksAreExactThere) {
  Finding finding;
  finding.rule_id = "some/rule";
  finding.configuration = 0;
  finding.suggestions.emplace_back();
  finding.suggestions[0].transform = *parse_transform("chunk_sequence", R"({"length":64})");
  const auto profile = program_profile(half_stack(), torch_program());
  const auto proposal = proposed(profile, {}, {}, {finding});
  ASSERT_FALSE(proposal.candidates.empty());
  EXPECT_EQ(describe(proposal.candidates[0].transforms), "chunk_sequence (length 64)");
  EXPECT_EQ(proposal.candidates[0].meaning, Meaning::exact);
  EXPECT_EQ(meaning_of(proposal.candidates[0].transforms, half_stack()), Meaning::model)
      << "cuDNN's calls stop gradients at the chunks";
}

TEST(TorchCandidates, WinnersArePutTogether) {
  const auto profile = program_profile(half_stack(), torch_program());
  const auto tried = proposed(profile).candidates;
  std::vector<std::size_t> winners;
  for (std::size_t i = 0; i < tried.size(); ++i) winners.push_back(i);
  const auto& device = profile.devices[0];
  const auto together = combine_for_torch(profile, 0, device, {}, tried, winners);
  ASSERT_FALSE(together.empty());
  EXPECT_LE(together.size(), 4u);
  for (const auto& candidate : together) EXPECT_GE(candidate.transforms.size(), 2u);
  EXPECT_TRUE(combine_for_torch(profile, 0, device, {}, tried, {}).empty());
  winners.resize(1);
  EXPECT_TRUE(combine_for_torch(profile, 0, device, {}, tried, winners).empty());
}

TEST(TorchRequest, SaysWhatTheProfileKnows) {
  const auto profile =
      read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof");
  ASSERT_TRUE(profile);
  EXPECT_TRUE(of_pytorch(*profile, 0));
  auto request = torch_request(*profile, 0);
  ASSERT_TRUE(request.site);
  EXPECT_EQ(request.site->file, "samples/programs/pytorch/two_layers.py");
  EXPECT_EQ(request.site->line, 17);
  EXPECT_THAT(request.phases, ElementsAre("training", "inference"));
  request.candidates.resize(2);
  request.candidates[1].transforms = {*parse_transform("pad_batch", R"({"multiple":8})")};
  const auto json = nlohmann::json::parse(write_torch_request(request, std::array{1}, 7.5));
  EXPECT_EQ(json.at("protocol"), 1);
  EXPECT_EQ(json.at("budget_s"), 7.5);
  EXPECT_EQ(json.at("call").at("hidden_size"), 512);
  EXPECT_EQ(json.at("call").at("framework").at("cudnn_enabled"), true);
  EXPECT_EQ(json.at("candidates").size(), 1u);
  EXPECT_EQ(json.at("candidates")[0].at("id"), "1");
  EXPECT_EQ(json.at("candidates")[0].at("transforms")[0].at("parameters").at("multiple"), 8);
  // A program that only evaluates is not timed in training.
  const auto evaluation =
      read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-evaluation.rnnprof");
  ASSERT_TRUE(evaluation);
  EXPECT_THAT(torch_request(*evaluation, 0).phases, ElementsAre("inference"));
}

TEST(TorchAnswer, LinesOfAnythingAreNoCrash) {
  using Kind = TorchLine::Kind;
  for (const auto* line :
       {"", "null", "[]", "{}", "{\"type\":1}", "{\"type\":\"candidate\"}",
        "{\"type\":\"candidate\",\"id\":\"-1\"}", "{\"type\":\"candidate\",\"id\":\"1x\"}",
        "{\"type\":\"progress\",\"candidate\":7}", "\xff\xfe", "{\"type\":\"environment\"",
        "{\"type\":\"environment\",\"memory_bytes\":-1}"})
    EXPECT_EQ(read_torch_line(line).kind, Kind::none) << line;
  for (
      const auto* rest :
      {"", "\"status\":\"measured\"", "\"status\":\"splendid\"",
       "\"status\":\"measured\",\"phases\":[]",
       R"("status":"measured","phases":{"training":{"samples":{"before":{"wall_s":[1e400]}}}})",
       R"("status":"measured","phases":{"training":{"samples":{"before":{"wall_s":[1]},"after":{"wall_s":[1,1]},"control":{"wall_s":[1]}}}})",
       R"("status":"measured","phases":{"training":{"samples":{"before":{"wall_s":[0]},"after":{"wall_s":[0]},"control":{"wall_s":[0]}}}})",
       R"("status":"measured","seconds":"long")"}) {
    const auto line = read_torch_line("{\"type\":\"candidate\",\"id\":\"0\"" +
                                      std::string(*rest != '\0' ? "," : "") + rest + "}");
    if (line.kind == Kind::none) continue;  // not even JSON
    EXPECT_EQ(line.result.status, TorchResult::Status::failed) << rest;
    EXPECT_THAT(line.result.message, HasSubstr("could not be read")) << rest;
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
