// `rnnadvisor fit`: answers against the model by trying all.
#include "advisor/fit/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "profiler/classify/memory_use.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/fit/fit_case.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using advisor::gib;
using advisor::lstm_config;
using ::testing::HasSubstr;
using Json = nlohmann::json;

Json fit_answer(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "fit");
  arguments.emplace_back("--json");
  const auto called = call(arguments);
  EXPECT_EQ(called.err, "");
  Json document = Json::parse(called.out);
  EXPECT_EQ(violations("docs/schema/fit.schema.json", document), "");
  return document;
}

const std::vector<std::string> lstm = {"--cell",       "lstm", "--hidden-size", "64",
                                       "--seq-length", "20",   "--data-type",   "half",
                                       "--num-layers", "3",    "--device",      "h200"};
std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), lstm.begin(), lstm.end());
  return more;
}

std::int64_t sum(const Json& parts) {
  std::int64_t total = 0;
  for (const auto& part : parts) total += part.get<std::int64_t>();
  return total;
}

TEST(Fit, LargestBatchAgreesWithTryingAll) {
  for (const Mode mode : {Mode::training, Mode::inference}) {
    for (const int megabytes : {26, 30, 50, 80}) {
      const std::int64_t bytes = megabytes * std::int64_t{1'000'000};
      const auto fit = fit_answer(with({"--memory", std::to_string(megabytes) + "MB", "--mode",
                                        std::string(to_string(mode))}))["fits"][0];
      int expected = 0;
      RnnConfig c = lstm_config();
      for (c.batch_size = 1; c.batch_size < 5000; ++c.batch_size) {
        if (model::memory_need(c, mode).total <= bytes) expected = c.batch_size;
      }
      if (expected == 0) {
        EXPECT_TRUE(fit["largest"].is_null()) << megabytes;
        continue;
      }
      ASSERT_EQ(fit["largest"]["size"], expected) << megabytes;
      EXPECT_LE(fit["largest"]["bytes"].get<std::int64_t>(), bytes);
      EXPECT_GT(fit["next"]["bytes"].get<std::int64_t>(), bytes);
      EXPECT_EQ(fit["next"]["size"], expected + 1);
      EXPECT_EQ(sum(fit["largest"]["parts"]), fit["largest"]["bytes"]);
      EXPECT_EQ(fit["largest"]["exactness"], "exact");
      EXPECT_EQ(fit["mode"], to_string(mode));
    }
  }
}

TEST(Fit, LengthEndsWhereCudnnDoes) {
  const auto fit = fit_answer(with({"--largest", "length"}))["fits"][0];
  EXPECT_EQ(fit["parameter"], "seq_length");
  EXPECT_EQ(fit["largest"]["size"], 65535);
  EXPECT_TRUE(fit["next"].is_null());
  EXPECT_THAT(call({"fit", "--cell", "lstm", "--hidden-size", "8", "--largest", "length",
                    "--device", "h200"})
                  .out,
              HasSubstr("cuDNN takes no longer sequence"));
}

TEST(Fit, RoomIsTheDevicesWithoutTheMargin) {
  const auto fit = fit_answer(with({}))["fits"][0];
  EXPECT_EQ(fit["room"]["bytes"], find_device("nvidia-h200")->memory_bytes - advisor::fit_margin);
  EXPECT_EQ(fit["device"], "nvidia-h200");
}

TEST(Fit, NothingFitsIsStatus1) {
  auto arguments = with({"--memory", "1MiB"});
  arguments.insert(arguments.begin(), "fit");
  const auto called = call(arguments);
  EXPECT_EQ(called.status, 1);
  EXPECT_THAT(called.out, HasSubstr("not even batch_size 1 fits"));
}

TEST(Fit, SaysWhatCudnnWouldRefuse) {
  const auto called = call({"fit", "--cell", "lstm", "--hidden-size", "4096", "--algo",
                            "persist_static", "--device", "h200", "--data-type", "half"});
  EXPECT_EQ(called.status, 1);
  EXPECT_THAT(called.out,
              HasSubstr("cuDNN is expected to refuse it at temp_space: hidden_size 4096"));
}

TEST(Fit, UnequalLengthsBecomeFullOnes) {
  const auto fit = fit_answer({"--cell", "lstm", "--hidden-size", "64", "--seq-lengths", "9,7,7",
                               "--device", "h200"})["fits"][0];
  EXPECT_EQ(fit["full_lengths_assumed"], true);
}

// The batch of an odd number has findings about alignment; a multiple just below has none of them.
TEST(Fit, NamesABetterSizeBelowWithFewerFindingsAndNoNewOnes) {
  const auto fit = fit_answer({"--cell", "lstm", "--hidden-size", "2048", "--seq-length", "500",
                               "--memory", "79.5GiB", "--device", "a100"})["fits"][0];
  ASSERT_TRUE(fit["better"].is_object());
  const int better = fit["better"]["size"];
  const int largest = fit["largest"]["size"];
  EXPECT_LT(better, largest);
  EXPECT_GE(better, largest - largest / 4);
  ASSERT_FALSE(fit["better"]["without"].empty());
  const auto at = [](int batch) {
    std::set<std::string> rules;
    const auto document =
        Json::parse(call({"check", "--cell", "lstm", "--hidden-size", "2048", "--seq-length", "500",
                          "--batch-size", std::to_string(batch), "--device", "a100", "--json"})
                        .out);
    for (const auto& finding : document["findings"])
      rules.insert(finding["rule"].get<std::string>());
    return rules;
  };
  const auto before = at(largest), after = at(better);
  for (const auto& gone : fit["better"]["without"]) {
    EXPECT_TRUE(before.contains(gone["rule"]));
    EXPECT_FALSE(after.contains(gone["rule"]));
  }
  for (const auto& rule : after) {
    if (!rule.starts_with("memory/")) {
      EXPECT_TRUE(before.contains(rule)) << rule;
    }
  }
}

TEST(Fit, PytorchNeedsMoreThanTheCallAndDependsOnTheOptimizer) {
  const auto size = [](std::vector<std::string> more) {
    return fit_answer(with(std::move(more)))["fits"][0]["largest"]["size"].get<int>();
  };
  const int call = size({"--memory", "2GiB"});
  const int adam = size({"--memory", "2GiB", "--framework", "pytorch"});
  const int none = size({"--memory", "2GiB", "--framework", "pytorch", "--optimizer", "none"});
  EXPECT_LT(adam, call);
  EXPECT_LE(adam, none);
  const auto fit = fit_answer(with({"--memory", "2GiB", "--framework", "pytorch"}))["fits"][0];
  EXPECT_EQ(fit["framework"], "pytorch");
  EXPECT_EQ(fit["largest"]["exactness"], "estimate");
  EXPECT_EQ(sum(fit["largest"]["parts"]), fit["largest"]["bytes"]);
}

// With less memory the allocator gives segments back, so that more fits than its preferred need
// suggests; the need of the largest size is what it takes then.
TEST(Fit, PytorchNeedIsWhatItTakesInTheRoomThereIs) {
  auto arguments = with({"--memory", "2GiB", "--framework", "pytorch"});
  const auto fit = fit_answer(arguments)["fits"][0];
  EXPECT_LE(fit["largest"]["bytes"].get<std::int64_t>(), 2 * gib);
  arguments.insert(arguments.begin(), "fit");
  EXPECT_THAT(call(arguments).out, HasSubstr("does not fit; given enough, PyTorch would take"));
}

TEST(Fit, ReadsAProfile) {
  const std::string profile =
      RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof";
  const auto document = fit_answer({profile, "--call", "3"});
  ASSERT_EQ(document["fits"].size(), 1U);
  EXPECT_EQ(document["fits"][0]["framework"], "pytorch");
  EXPECT_EQ(document["fits"][0]["device"], "nvidia-h200");
  EXPECT_EQ(fit_answer({"sample:gnmt"})["fits"].size(), 6U);

  EXPECT_THAT(call({"fit", profile, "--call", "1000"}).err, HasSubstr("the profile has 30 calls"));
  EXPECT_EQ(call({"fit", profile, "--cell", "gru"}).status, 2);
  EXPECT_EQ(call({"fit", profile, profile}).status, 2);
  EXPECT_EQ(call({"fit", "--cell", "lstm", "--call", "1"}).status, 2);
  const auto native = call(
      {"fit", RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-native-fallback.rnnprof"});
  EXPECT_EQ(native.status, 2);
  EXPECT_THAT(native.err, HasSubstr("no configuration that cuDNN ran"));
}

// What the recorded program held beside its layer is not there for the layer.
TEST(Fit, LeavesTheRestOfARecordedProgramItsMemory) {
  TemporaryFolder folder;
  auto profile = read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/cpp-lstm.rnnprof");
  ASSERT_TRUE(profile);
  const auto before =
      fit_answer({RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/cpp-lstm.rnnprof"})["fits"][0];
  auto& allocations = profile->allocations;
  ASSERT_EQ(allocations.size(), 0U);
  allocations.time_ns.push_back(profile->calls.front().host_start_ns);
  allocations.bytes.push_back(100 * gib);
  allocations.address.push_back(4096);
  allocations.correlation.push_back(1);
  allocations.release.push_back(false);
  allocations.call.push_back(-1);
  allocations.device.push_back(0);
  allocations.process.push_back(profile->calls.front().process);
  const auto path = folder / "held.rnnprof";
  ASSERT_TRUE(write_profile(*profile, path, true));
  const auto after = fit_answer({path})["fits"][0];
  const std::int64_t beside = after["held_beside_bytes"];
  EXPECT_GT(beside, 99 * gib);
  EXPECT_LT(beside, 100 * gib);
  EXPECT_EQ(after["room"]["bytes"].get<std::int64_t>(),
            before["room"]["bytes"].get<std::int64_t>() - beside);
  EXPECT_LT(after["largest"]["size"], before["largest"]["size"]);
}

// A recorded program that failed has said what was free beside the rest.
TEST(Fit, WhatWasFreeAtAFailureIsTheRoom) {
  TemporaryFolder folder;
  auto profile = read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/cpp-lstm.rnnprof");
  ASSERT_TRUE(profile);
  auto& process = profile->processes.at(0);
  process.end = ProcessEnd::exited;
  process.exit_status = 1;
  const auto path = folder / "failed.rnnprof";
  const auto asked = [&](std::int64_t free, std::vector<std::string> more) {
    process.memory_free_bytes = free;
    EXPECT_TRUE(write_profile(*profile, path, true));
    more.insert(more.begin(), path);
    return fit_answer(more)["fits"][0];
  };
  const int given = profile->configurations.at(0).config.batch_size;
  const auto device = asked(-1, {});
  const auto little = asked(3 << 20, {}), enough = asked(little_memory, {});
  EXPECT_GT(device["largest"]["size"], given);
  EXPECT_TRUE(little["largest"].is_null() || little["largest"]["size"] < given);
  EXPECT_EQ(enough["largest"]["size"], given);
  EXPECT_EQ(
      enough["room"]["bytes"].get<std::int64_t>() - little["room"]["bytes"].get<std::int64_t>(),
      little_memory - (3 << 20));
  // What is asked for counts before what was recorded.
  EXPECT_EQ(asked(3 << 20, {"--memory", "2GiB"})["room"]["bytes"], 2 * gib);
  EXPECT_EQ(asked(3 << 20, {"--device", "h200"})["room"]["bytes"],
            find_device("nvidia-h200")->memory_bytes - advisor::fit_margin);
  process.exit_status = 0;
  EXPECT_EQ(asked(3 << 20, {})["room"]["bytes"], device["room"]["bytes"]);
}

// Nobody gave what a recorder noted of the program.
TEST(Fit, ARecordingHasNoKeysThatAreIgnored) {
  const auto document =
      fit_answer({RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof",
                  "--memory", "2GiB"});
  const auto& findings = document["fits"][0]["findings"];
  ASSERT_FALSE(findings.empty());
  for (const auto& finding : findings) EXPECT_NE(finding["rule"], "descriptor/ignored-keys");
}

TEST(Fit, WrongArgumentsAreStatus2) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--largest", "width"},
                                               {"--memory", "-4GiB"},
                                               {"--memory", "4 parsecs"},
                                               {"--memory", "0x10"},
                                               {"--memory", "1e400GiB"},
                                               {"--memory", "inf"},
                                               {"--memory", "99999999TiB"},
                                               {"--optimizer", "lion"},
                                               {"--gpu", "1"},
                                               {"--call", "-1"},
                                               {"--try"}}) {
    auto arguments = with(more);
    arguments.insert(arguments.begin(), "fit");
    EXPECT_EQ(call(arguments).status, 2) << more.back();
  }
  EXPECT_EQ(call({"fit"}).status, 2);
}

}  // namespace
}  // namespace rnnadvisor::cli
