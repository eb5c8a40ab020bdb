// The screen after a recorded program, as it was last looked at.
#include "advisor/cli/profile_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "profiler/profile/builder.h"
#include "tests/advisor/cli/golden.h"

namespace rnnadvisor::cli {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

Process process(int rank, ProcessEnd end, int number) {
  Process p;
  p.pid = 4711 + rank;
  p.host = "node1";
  p.rank = rank;
  p.start_ns = 1000 * millisecond;
  p.end_ns = 13'345 * millisecond;
  p.end = end;
  (end == ProcessEnd::exited ? p.exit_status : p.signal) = number;
  return p;
}

// A job of two ranks whose second was killed, with two configurations and a replayed graph.
Profile job(bool traced) {
  ProfileBuilder builder;
  auto& e = builder.profile().environment;
  e.framework = "pytorch";
  e.framework_version = "2.11.0";
  e.cudnn_version = "9.19.0";
  e.driver_version = "580.159.04";
  builder.profile().devices = {*find_device("nvidia-h200"), *find_device("nvidia-h200")};
  Configuration large;
  large.config.hidden_size = large.config.input_size = large.config.proj_size = 1000;
  large.config.batch_size = 33;
  large.config.data_type = DataType::half;
  large.origin = Origin::captured;
  large.outcome = Outcome::completed;
  Configuration small = large;
  small.config.cell = Cell::gru;
  small.config.hidden_size = small.config.input_size = small.config.proj_size = 128;
  builder.add_configuration(large);
  builder.add_configuration(small);
  builder.add_process(process(0, ProcessEnd::exited, 0));
  builder.add_process(process(1, ProcessEnd::signalled, 9));
  std::int64_t time = 2000 * millisecond;
  for (int i = 0; i < 1200; ++i) {
    CallRecord record;
    record.call.configuration = i % 3 == 0 ? 1 : 0;
    record.call.process = i % 2;
    record.call.host_start_ns = time;
    record.call.host_end_ns = time + millisecond / 4;
    record.call.source = CallSource::hook;
    record.call.graph = i % 3 == 0 ? GraphState::replayed : GraphState::none;
    record.site = {i % 3 == 0 ? "/home/me/project/encoder.py" : "/home/me/project/train.py",
                   "forward", 31 + i % 3};
    if (!traced) record.call.device_duration_ns = millisecond / 2;
    const int call = builder.add_call(record);
    if (traced) {
      KernelRecord kernel;
      kernel.start_ns = time;
      kernel.end_ns = time + millisecond / 2;
      kernel.call = call;
      kernel.process = i % 2;
      builder.add_kernel(kernel);
      kernel.call = -1;
      kernel.start_ns += millisecond / 2;
      kernel.end_ns += millisecond / 4;
      builder.add_kernel(kernel);
    }
    time += millisecond;
  }
  builder.add_note({NoteSeverity::warning, "records-dropped", "CUPTI dropped records", 12});
  builder.add_note({NoteSeverity::info, "graph-replays", "not for this screen", 400});
  return builder.finish();
}

advisor::Judgement judgement() {
  advisor::Judgement j;
  const auto finding = [&](const char* id, const char* title, advisor::Severity severity,
                           int configuration) {
    advisor::Finding f;
    f.rule_id = id;
    f.title = title;
    f.severity = severity;
    f.configuration = configuration;
    f.message = "why";
    j.findings.push_back(f);
    return &j.findings.back();
  };
  auto* padded =
      finding("persistence/batch-multiple-of-8", "Batch size keeps the persistent kernels away",
              advisor::Severity::warning, 0);
  padded->gain = advisor::Gain{2.7, 2.6, 2.8, 0, advisor::GainBasis::modelled, "training step", ""};
  finding("persistence/batch-multiple-of-8", "Batch size keeps the persistent kernels away",
          advisor::Severity::warning, 1);
  for (int i = 0; i < 6; ++i) {
    finding(("topic/rule-" + std::to_string(i)).c_str(),
            ("Opportunity number " + std::to_string(i)).c_str(), advisor::Severity::opportunity, 0);
  }
  return j;
}

std::string summary(const Profile& profile, const advisor::Judgement& judged, int width = 100) {
  const advisor::RuleSet rules;
  advisor::TextOptions options;
  options.width = width;
  return profile_summary(advisor::make_report(profile, judged, rules), options);
}

TEST(ProfileSummary, IsAsReviewed) {
  expect_golden("profile-summary.txt", summary(job(true), judgement()));
  expect_golden("profile-summary-events-60.txt", summary(job(false), {}, 60));
}

TEST(ProfileSummary, FitsAScreen) {
  const auto text = summary(job(true), judgement());
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 22) << text;
}

// Another profiler inside the program keeps the kernels for itself, all but some of its own.
TEST(ProfileSummary, WithoutTheKernelsOfCallsTheirEventsCount) {
  Profile profile = job(false);
  auto& k = profile.kernels;
  const Profile traced = job(true);
  k = traced.kernels;
  for (int& call : k.call) call = -1;
  const auto text = std::regex_replace(summary(profile, {}), std::regex("\\s+"), " ");
  EXPECT_THAT(text, ::testing::HasSubstr("on the GPU, by CUDA events"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("0 % of all kernel time")));
}

TEST(ProfileSummary, OfNothingSaysSo) {
  ProfileBuilder builder;
  builder.add_process(process(-1, ProcessEnd::exited, 3));
  const auto text = summary(builder.finish(), {});
  EXPECT_THAT(text, ::testing::HasSubstr("exit status 3"));
  EXPECT_THAT(text, ::testing::HasSubstr("RNN calls"));
  EXPECT_THAT(text, ::testing::HasSubstr("none"));
}

}  // namespace
}  // namespace rnnadvisor::cli
