#include "profiler/run/experiment_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "profiler/run/protocol.h"

namespace rnnadvisor {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

ExperimentJob rich_job() {
  ExperimentJob job;
  job.index = 7;
  ExperimentRequest& request = job.request;
  request.before.id = "encoder \"1\"\n";
  request.before.hidden_size = request.before.proj_size = 1000;
  request.before.seq_length = 9;
  request.before.batch_size = 3;
  request.before.seq_lengths = {9, 4, 1};
  request.before.clip_mode = ClipMode::minmax;
  request.before.clip_left = -0.1;
  request.before.clip_right = 1.0 / 3;
  ExperimentVariant rows;
  rows.composition = Composition::rows;
  rows.calls = {request.before, request.before};
  rows.calls[1].data_type = DataType::half;
  rows.rows = {{2, 0}, {1}};
  ExperimentVariant graph;
  graph.calls = {request.before};
  graph.cuda_graph = true;
  request.variants = {rows, graph};
  for (const auto composition :
       {Composition::layers, Composition::directions, Composition::steps}) {
    graph.composition = composition;
    request.variants.push_back(graph);
  }
  request.scopes = {ExperimentScope::training_step, ExperimentScope::inference,
                    ExperimentScope::forward_training};
  request.budget_seconds = 12.5;
  request.warmup = 1;
  request.min_rounds = 9;
  request.max_rounds = 55;
  request.target_interval = 0.015;
  request.seed = 18446744073709551615U;
  request.reference = false;
  request.compare = false;
  return job;
}

ExperimentResult rich_result() {
  ExperimentResult result;
  result.outcome = Outcome::completed;
  result.message = "as said";
  result.memory_bytes = 1LL << 40;
  result.seconds = 33.25;
  result.context_lost = true;
  VariantResult variant;
  variant.outcome = Outcome::completed;
  variant.memory_bytes = 12345;
  variant.message = "what must be known";
  ExperimentTiming timing;
  timing.scope = ExperimentScope::forward_training;
  timing.before_ms = {1.5, 1.25, 1.75, 0.96, 6};
  timing.after_ms = {0.1, 0.05, 1.0 / 3, 0.95, 6};
  timing.speedup = 15;
  timing.speedup_low = 14;
  timing.speedup_high = 16.125;
  timing.control_low = 0.99;
  timing.control_high = 1.01;
  timing.before_samples_ms = {1.5, 1.25};
  timing.after_samples_ms = {0.1, 0.2};
  timing.control_samples_ms = {1.5, 1.5000001};
  variant.timings = {timing, timing};
  variant.timings[1].scope = ExperimentScope::training_step;
  variant.shifts = {{"y", 1e-7, 2e-8, 3e-300}, {"dw", 0, -1, -1}};
  variant.clocks_before = {1980, 3201, 41, 118'000, 0};
  variant.clocks_after = {1755, 3201, 66, 699'000, 0x24};
  result.variants = {variant, {}};
  result.variants[1].outcome = Outcome::out_of_memory_predicted;
  return result;
}

TEST(ExperimentProtocol, AJobReadsBackEqual) {
  const ExperimentJob job = rich_job();
  const std::string line = write_experiment_job(job);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(is_experiment_job(line));
  const auto again = read_experiment_job(line);
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->index, 7);
  EXPECT_EQ(again->request, job.request);
}

TEST(WorkerProtocol, AJobKeepsTheKeysThatTheUserGave) {
  Job job;
  job.input = *read_json_line(R"({"hidden_size":96,"data_type":"half"})", "user", 1);
  const auto read = read_job(write_job(job));
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(read->input.config, job.input.config);
  EXPECT_EQ(read->input.given, job.input.given);
  EXPECT_TRUE(is_given(read->input, "hidden_size"));
  EXPECT_FALSE(is_given(read->input, "input_size"));  // it follows
}

TEST(ExperimentProtocol, AResultReadsBackEqual) {
  const ExperimentResult result = rich_result();
  const auto again = read_experiment_result(write_experiment_result(result), 2);
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(*again, result);
}

TEST(ExperimentProtocol, ClocksMayBeMissingAndMoreMayBeThere) {
  json text = json::parse(write_experiment_result(rich_result()));
  text["variants"][0].erase("clocks_before");
  text["variants"][0]["clocks_after"] = {{"sm_mhz", -5}, {"fans", 3}};
  text["more"] = 1;
  const auto again = read_experiment_result(text.dump(), 2);
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->variants[0].clocks_before, GpuClocks());
  EXPECT_EQ(again->variants[0].clocks_after, GpuClocks());
}

TEST(ExperimentProtocol, WhatIsNotFiniteIsReadAsNan) {
  ExperimentResult result = rich_result();
  result.variants[0].shifts[0].after_error = INFINITY;
  const auto again = read_experiment_result(write_experiment_result(result), 2);
  ASSERT_TRUE(again);
  EXPECT_TRUE(std::isnan(again->variants[0].shifts[0].after_error));
}

TEST(ExperimentProtocol, BytesThatAreNoTextAreMendedInMessages) {
  ExperimentResult result = rich_result();
  result.message = "\xFF";
  EXPECT_TRUE(read_experiment_result(write_experiment_result(result), 2));
}

// Every member taken out, and every value replaced by one of another kind, anywhere in the text:
// an Error, or a value that is as good, and never an exception or a crash.
template <class Read>
void spoil(json& whole, json& here, const Read& read, int& refused) {
  const json others[] = {nullptr,       true, -1, 1e300, "word", json::array({json::object()}),
                         json::object()};
  for (auto it = here.begin(); it != here.end(); ++it) {
    const json kept = *it;
    for (const json& other : others) {
      *it = other;
      if (!read(whole.dump())) ++refused;
    }
    *it = kept;
    if (it->is_structured()) spoil(whole, *it, read, refused);
  }
  if (!here.is_object()) return;
  const json kept = here;
  for (const auto& [key, value] : kept.items()) {
    here.erase(key);
    if (!read(whole.dump())) ++refused;
    here = kept;
  }
}

TEST(ExperimentProtocol, SpoiledTextIsAnError) {
  int refused = 0;
  json result = json::parse(write_experiment_result(rich_result()));
  spoil(
      result, result, [](const std::string& t) { return read_experiment_result(t, 2).has_value(); },
      refused);
  EXPECT_GT(refused, 400);
  refused = 0;
  json job = json::parse(write_experiment_job(rich_job()));
  spoil(job, job, [](const std::string& t) { return read_experiment_job(t).has_value(); }, refused);
  EXPECT_GT(refused, 400);
}

// The JSON library would cast them: into another number, or into undefined behaviour.
TEST(ExperimentProtocol, NumbersThatNoIntegerHoldsAreErrors) {
  for (const auto& value :
       {json(-2.2e88), json(3.5), json(2147483648), json(-2147483649), json("7")}) {
    json job = json::parse(write_experiment_job(rich_job()));
    job["index"] = value;
    const auto read = read_experiment_job(job.dump());
    ASSERT_FALSE(read.has_value()) << value;
    EXPECT_THAT(read.error().message, HasSubstr("an experiment for the worker is incomplete"));
  }
  json job = json::parse(write_experiment_job(rich_job()));
  job["experiment"]["seed"] = -1;
  EXPECT_FALSE(read_experiment_job(job.dump()).has_value());
  job["experiment"]["seed"] = 18446744073709551615ULL;
  ASSERT_TRUE(read_experiment_job(job.dump()).has_value());
  EXPECT_EQ(read_experiment_job(job.dump())->request.seed, 18446744073709551615ULL);
}

TEST(WorkerErrors, WhatIsNoWholeObjectIsTheMessage) {
  EXPECT_EQ(read_error(R"({"code":3,"message")").message, R"({"code":3,"message")");
  EXPECT_EQ(read_error(R"({"code":1e99,"message":"m","remedy":"r"})").code, ErrorCode::internal);
  EXPECT_EQ(read_error(R"({"code":99,"message":"m","remedy":"r"})").code, ErrorCode::internal);
  EXPECT_EQ(read_error(R"({"code":0,"message":5,"remedy":"r"})").code, ErrorCode::internal);
  const Error error = fail(ErrorCode::io, "disk \xff full", "free some").value();
  EXPECT_EQ(read_error(write_error(error)).code, ErrorCode::io);
  EXPECT_EQ(read_error(write_error(error)).remedy, "free some");
}

TEST(ExperimentProtocol, CutTextIsAnError) {
  const std::string text = write_experiment_result(rich_result());
  for (std::size_t length = 0; length < text.size(); ++length)
    ASSERT_FALSE(read_experiment_result(text.substr(0, length), 2)) << length;
  const std::string line = write_experiment_job(rich_job());
  for (std::size_t length = 0; length < line.size(); length += 7)
    ASSERT_FALSE(read_experiment_job(line.substr(0, length))) << length;
}

TEST(ExperimentProtocol, AResultMustHaveTheVariantsThatWereAskedFor) {
  const auto result = read_experiment_result(write_experiment_result(rich_result()), 3);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("2 variants instead of 3"));
}

TEST(ExperimentProtocol, ProgressReadsBackEqual) {
  using Kind = ExperimentProgress::Kind;
  for (const ExperimentProgress& progress : {ExperimentProgress{Kind::trying, -1, 0},
                                             {Kind::trying, 12, 0},
                                             {Kind::timing, -1, 0},
                                             {Kind::round, -1, 99}}) {
    EXPECT_EQ(read_progress(write_progress(progress)), progress);
  }
  for (const auto* line : {"", "at", "at trying", "at trying x", "at trying 1 2", "at round ",
                           "at round 99999999999", "at timing 3", "ready"})
    EXPECT_FALSE(read_progress(line)) << line;
}

TEST(ExperimentProtocol, OtherJobsAreNone) {
  EXPECT_FALSE(is_experiment_job(R"({"index":0,"options":{},"configuration":{}})"));
  EXPECT_FALSE(is_experiment_job("experiment"));
  EXPECT_FALSE(is_experiment_job("[\"experiment\"]"));
}

}  // namespace
}  // namespace rnnadvisor
