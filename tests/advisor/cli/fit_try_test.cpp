// `rnnadvisor fit --try` with a made-up GPU whose cuDNN answers otherwise than the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "advisor/fit/fit.h"
#include "profiler/profile/builder.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/fit/fit_case.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using advisor::gib;
using advisor::lstm_config;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// A GPU whose cuDNN wants more or less than the model says; it refuses to run what is larger than
// what is free, and remembers whatever was run.
struct TrialMachine : FakeMachine {
  std::int64_t free = 2 * gib;
  double factor = 1;            // cuDNN's answer over the model's
  std::int64_t less_later = 0;  // another program takes so much after the sizes were asked for
  bool executes = true;
  Outcome outcome_of_run = Outcome::completed;
  std::vector<int> executed;
  int questions = 0, sizes = 0;

  std::int64_t need(const RnnConfig& c) const {
    return static_cast<std::int64_t>(factor *
                                     static_cast<double>(model::memory_need(c, c.mode).total));
  }
  Services trial_services() {
    gpu = true;
    Services result = services();
    result.run_configurations = [this](const RunRequest& request) -> Result<Profile> {
      EXPECT_FALSE(request.options.time);
      EXPECT_FALSE(request.options.trace);
      ++questions;
      ProfileBuilder builder;
      const int device = builder.add_device(*find_device("nvidia-h200"));
      for (const auto& input : request.configurations) {
        Configuration c;
        c.config = input.config;
        c.device = device;
        c.origin = Origin::run;
        c.memory_free_before = free;
        c.memory_predicted = need(input.config);
        if (request.options.sizes_only) {
          ++sizes;
          c.outcome = Outcome::not_run;
        } else if (c.memory_predicted > free - less_later - advisor::fit_margin) {
          free -= less_later;
          less_later = 0;
          c.memory_free_before = free;
          c.outcome = Outcome::out_of_memory_predicted;
          c.message = "nothing was allocated";
        } else {
          executed.push_back(input.config.batch_size);
          c.outcome = outcome_of_run;
          c.memory_peak_used = c.memory_predicted + 1000;
        }
        builder.add_configuration(std::move(c));
      }
      return builder.finish();
    };
    return result;
  }
  Json run(std::vector<std::string> more, int expected_status = 0) {
    std::vector<std::string> arguments = {"fit",  "--cell",       "lstm", "--hidden-size",
                                          "64",   "--seq-length", "20",   "--data-type",
                                          "half", "--num-layers", "3",    "--json",
                                          "--try"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto called = call(arguments, trial_services());
    EXPECT_EQ(called.status, expected_status) << called.err;
    Json document = Json::parse(called.out);
    EXPECT_EQ(violations("docs/schema/fit.schema.json", document), "");
    return document["fits"][0]["trial"];
  }
  // By trying all.
  int largest(std::int64_t room) const {
    int found = 0;
    RnnConfig c = lstm_config();
    for (c.batch_size = 1; c.batch_size < 200'000; ++c.batch_size) {
      if (need(c) > room) {
        if (c.batch_size > 1000) break;
        continue;
      }
      found = c.batch_size;
    }
    return found;
  }
};

TEST(Try, RunsTheLargestAndNothingElse) {
  TrialMachine machine;
  const auto trial = machine.run({});
  const int expected = machine.largest(machine.free - advisor::fit_margin);
  EXPECT_EQ(trial["outcome"], "completed");
  EXPECT_EQ(trial["size"], expected);
  EXPECT_EQ(trial["predicted"], expected);
  EXPECT_THAT(machine.executed, ElementsAre(expected));
  EXPECT_LE(trial["cudnn_bytes"].get<std::int64_t>(), trial["room_bytes"].get<std::int64_t>());
  EXPECT_GT(trial["next_cudnn_bytes"].get<std::int64_t>(), trial["room_bytes"].get<std::int64_t>());
  EXPECT_EQ(trial["used_bytes"].get<std::int64_t>(),
            trial["cudnn_bytes"].get<std::int64_t>() + 1000);
  EXPECT_LE(machine.questions, 3);  // free memory, the surroundings, the run
}

TEST(Try, BelievesCudnnWhereTheModelIsWrong) {
  for (const double factor : {0.2, 0.9, 0.999, 1.001, 1.3, 6.0}) {
    TrialMachine machine;
    machine.factor = factor;
    const auto trial = machine.run({});
    const int expected = machine.largest(machine.free - advisor::fit_margin);
    EXPECT_EQ(trial["outcome"], "completed") << factor;
    EXPECT_EQ(trial["size"], expected) << factor;
    EXPECT_THAT(machine.executed, ElementsAre(expected)) << factor;
    EXPECT_LE(machine.questions, 8) << factor;
  }
}

TEST(Try, StaysWithinTheMemoryThatWasNamed) {
  TrialMachine machine;
  const auto trial = machine.run({"--memory", "200MiB"});
  EXPECT_EQ(trial["room_bytes"], 200 << 20);
  EXPECT_EQ(trial["size"], machine.largest(200 << 20));
}

TEST(Try, GoesDownWhenMemoryIsTakenMeanwhile) {
  TrialMachine machine;
  machine.less_later = gib / 2;
  const auto trial = machine.run({});
  EXPECT_EQ(trial["outcome"], "completed");
  EXPECT_EQ(trial["size"], machine.largest(3 * gib / 2 - advisor::fit_margin));
  EXPECT_EQ(machine.executed.size(), 1U);
}

TEST(Try, NothingFitsRunsNothing) {
  TrialMachine machine;
  machine.free = advisor::fit_margin + 1000;
  const auto trial = machine.run({}, 1);
  EXPECT_EQ(trial["outcome"], "out_of_memory_predicted");
  EXPECT_EQ(trial["size"], 0);
  EXPECT_TRUE(machine.executed.empty());
}

TEST(Try, FailuresAreReportedWithStatus1) {
  TrialMachine machine;
  machine.outcome_of_run = Outcome::out_of_memory;
  EXPECT_EQ(machine.run({}, 1)["outcome"], "out_of_memory");
  TrialMachine stopped;
  stopped.outcome_of_run = Outcome::interrupted;
  stopped.run({}, 130);
}

TEST(Try, WithoutAGpuIsStatus3) {
  FakeMachine machine;
  machine.refusal = Error{ErrorCode::unsupported, "no GPU", "", std::nullopt, {}};
  const auto called = call({"fit", "--cell", "lstm", "--try"}, machine.services());
  EXPECT_EQ(called.status, 3);
  EXPECT_THAT(called.err, HasSubstr("no GPU"));
}

TEST(Try, DoesNotGoWithPytorch) {
  EXPECT_EQ(call({"fit", "--cell", "lstm", "--framework", "pytorch", "--try"}).status, 2);
}

}  // namespace
}  // namespace rnnadvisor::cli
