// How the program ended: the same in every format.
#include "advisor/report/program_end.h"

#include <random>
#include <set>

#include "advisor/report/terminal.h"
#include "core/model/memory.h"
#include "tests/advisor/report/formats.h"

namespace rnnadvisor::advisor {
namespace {

constexpr const char* traceback =
    "Traceback (most recent call last):\n"
    "  File \"torch/nn/modules/rnn.py\", line 329, in check_input\n"
    "RuntimeError: input.size(-1) must be equal to input_size. Expected 10, got 12";

std::unique_ptr<fixture::Judged> failed(const std::string& exception = traceback) {
  auto judged = fixture::single();
  Profile& p = judged->profile;
  p.notes.push_back({NoteSeverity::warning, program_exception, exception, 1});
  if (p.processes.empty()) p.processes.emplace_back();
  p.processes[0].end = ProcessEnd::exited;
  p.processes[0].exit_status = 1;
  p.calls.clear();
  for (int i = 0; i < 8; ++i) {
    RnnCall call;
    call.configuration = 0;
    call.process = 0;
    call.host_start_ns = 100 + i;
    call.status = i == 7 ? 5000 : 0;
    p.calls.push_back(call);
  }
  SetupCall setup;
  p.strings.emplace_back("cudnnBuildRNNDynamic");
  setup.function = static_cast<int>(p.strings.size()) - 1;
  setup.process = 0;
  setup.host_start_ns = 106;
  setup.status = 3000;
  p.setup_calls = {setup};
  return judged;
}

TEST(ProgramEnd, LastLinesOfAText) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb", 5), "a\nb");
  EXPECT_EQ(last_lines("\n\n", 1), "");
  EXPECT_EQ(last_lines("", 3), "");
  EXPECT_EQ(last_lines("one", 1), "one");
}

TEST(ProgramEnd, TheLastCallsOfBothKindsInTheirOrder) {
  const auto judged = failed();
  const auto end = judged->report().end;
  ASSERT_TRUE(end);
  std::vector<std::string> statuses;
  for (const auto& call : end->calls) statuses.push_back(call.status_name);
  EXPECT_THAT(statuses, ::testing::ElementsAre("CUDNN_STATUS_SUCCESS", "CUDNN_STATUS_SUCCESS",
                                               "CUDNN_STATUS_NOT_SUPPORTED", "CUDNN_STATUS_SUCCESS",
                                               "CUDNN_STATUS_EXECUTION_FAILED"));
  EXPECT_EQ(end->calls[2].function, "cudnnBuildRNNDynamic");
}

// Of a job, the calls of a rank that ended well are not those that led to the error.
TEST(ProgramEnd, CallsOfProcessesThatEndedWellAreLeftOut) {
  auto judged = failed();
  judged->profile.processes[0].exit_status = 0;
  const auto end = judged->report().end;
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->calls.empty());
}

TEST(ProgramEnd, EveryFormatHasIt) {
  const auto judged = failed();
  const Report report = judged->report();
  for (const auto& text : {write_text(report), write_markdown(report), write_html(report)}) {
    EXPECT_THAT(text, HasSubstr("How the program ended"));
    EXPECT_THAT(text, HasSubstr("Expected 10, got 12"));
    EXPECT_THAT(text, HasSubstr("The input has another number of features"));
    EXPECT_THAT(text, HasSubstr("EXECUTION"));  // Markdown escapes underscores
    EXPECT_EQ(text.find("Notes on this profile"), std::string::npos) << "the note is shown once";
  }
  const Json json = json_of(report);
  const Json& end = json.at("program_end");
  EXPECT_EQ(end.at("exceptions").at(0).at("text"), traceback);
  EXPECT_EQ(end.at("exceptions").at(0).at("errors").at(0).at("id"), "input-size");
  EXPECT_EQ(end.at("last_calls").size(), 5U);
  EXPECT_EQ(end.at("last_calls").at(4).at("status"), 5000);
}

TEST(ProgramEnd, AnUnknownExceptionIsShownToo) {
  const auto judged = failed(std::string("ValueError: ") + fixture::hostile);
  const Report report = judged->report();
  EXPECT_TRUE(report.end->exceptions[0].explained.empty());
  EXPECT_THAT(write_text(report), HasSubstr("explain-error --list"));
  EXPECT_THAT(write_html(report), HasSubstr("How the program ended"));
  EXPECT_EQ(json_of(report)["counts"]["errors"], 1);
  EXPECT_THAT(report.headline, HasSubstr("ValueError: "));
  EXPECT_THAT(write_junit(report), HasSubstr("ValueError: "));
  EXPECT_THAT(write_csv(report), HasSubstr("ValueError: "));
  EXPECT_THAT(sarif_of(report)["results"][0]["message"]["text"], HasSubstr("ValueError: "));
}

TEST(ProgramEnd, InShortIsTheExceptionThatEndedIt) {
  const std::string first = "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'\n";
  const auto ended = [](const std::string& text) {
    ProgramEnd end;
    end.exceptions.push_back({text, {}});
    return end;
  };
  const auto in_short_of = [&](const std::string& text) { return in_short(ended(text)); };
  EXPECT_EQ(in_short_of(first), "KeyError: 'a'");
  EXPECT_EQ(in_short_of(first + "\nDuring handling of the above exception, another occurred:\n\n"
                                "Traceback (most recent call last):\n  File \"b.py\"\n    f()\n"
                                "mine.Odd: several\n  lines\nof text\n"),
            "mine.Odd: several");
  EXPECT_EQ(in_short_of("  frames whose heading was cut\nKeyError: 'a'"), "KeyError: 'a'");
  EXPECT_EQ(in_short_of(""), "");
  EXPECT_EQ(ended_with(ended("")), "The program ended with an exception.");
}

constexpr const char* internal_error =
    "Traceback (most recent call last):\n"
    "  File \"torch/nn/modules/rnn.py\", line 1127, in forward\n"
    "RuntimeError: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR";

// The status of cuDNN does not tell it, what was free does.
TEST(ProgramEnd, LackOfMemoryIsNamedWhereLittleWasFree) {
  const auto led_by = [](std::int64_t free) {
    auto judged = failed(internal_error);
    judged->profile.processes[0].memory_free_bytes = free;
    return judged->report().end->exceptions[0].explained.at(0).error->id;
  };
  EXPECT_EQ(led_by(0), "cudnn-memory-in-disguise");
  EXPECT_EQ(led_by(little_memory - 1), "cudnn-memory-in-disguise");
  EXPECT_NE(led_by(little_memory), "cudnn-memory-in-disguise");
  EXPECT_NE(led_by(-1), "cudnn-memory-in-disguise");
}

// Advice that is about the layer comes first only where the layer holds the memory.
TEST(ProgramEnd, WhatHoldsTheMemoryIsNamedFirst) {
  const auto led_by = [](double share) {
    auto judged = failed(internal_error);
    Profile& p = judged->profile;
    p.processes[0].memory_free_bytes = 3 << 20;
    const RnnConfig& config = p.configurations[0].config;
    const auto need = static_cast<double>(model::memory_need(config, config.mode).total);
    p.configurations[0].device = 0;
    p.devices.at(0).memory_bytes = static_cast<std::int64_t>(need / share);
    return judged->report().end->exceptions[0].explained.at(0);
  };
  const auto of_large = led_by(0.6);
  EXPECT_EQ(of_large.fixes, of_large.error->fixes);
  const auto of_small = led_by(0.4);
  EXPECT_NE(of_small.fixes.front(), of_small.error->fixes.front());
  EXPECT_THAT(of_small.fixes, ::testing::IsSupersetOf(of_small.error->fixes));
  const std::set<std::string> different(of_small.fixes.begin(), of_small.fixes.end());
  EXPECT_EQ(different.size(), of_small.fixes.size());
  EXPECT_THAT(of_small.cause, HasSubstr("3.00 MiB of"));
}

// A kernel that failed before is the cause, whatever the exception says.
TEST(ProgramEnd, AnErrorOfAKernelComesBeforeWhatFollowedIt) {
  auto judged = failed(internal_error);
  judged->profile.processes[0].cuda_status = 710;
  EXPECT_EQ(judged->report().end->exceptions[0].explained.at(0).error->id, "device-assert");
  judged->profile.processes[0].exit_status = 0;  // of another process
  EXPECT_NE(judged->report().end->exceptions[0].explained.at(0).error->id, "device-assert");
}

TEST(ProgramEnd, WhatFitsLeavesRoomForCudnn) {
  std::mt19937 random(20261129);
  const auto below = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
  for (int i = 0; i < 20; ++i) {
    auto judged = failed(internal_error);
    RnnConfig& config = judged->profile.configurations[0].config;
    config.batch_size = 16 * (1 + below(16));
    config.seq_length = 100 * (1 + below(10));
    config.hidden_size = config.proj_size = 1024;
    const std::int64_t free = below(little_memory);
    judged->profile.processes[0].memory_free_bytes = free;
    const auto end = judged->report().end;
    const std::int64_t room = model::memory_need(config, config.mode).total + free - little_memory;
    const auto need = [&](int batch, int length) {
      RnnConfig other = config;
      other.batch_size = batch;
      other.seq_length = length;
      return model::memory_need(other, other.mode).total;
    };
    ASSERT_LT(end->fits_batch, config.batch_size);
    ASSERT_LT(end->fits_seq_length, config.seq_length);
    if (end->fits_batch > 0) {
      EXPECT_LE(need(end->fits_batch, config.seq_length), room);
    }
    EXPECT_GT(need(end->fits_batch + 1, config.seq_length), room);
    if (end->fits_seq_length > 0) {
      EXPECT_LE(need(config.batch_size, end->fits_seq_length), room);
    }
    EXPECT_GT(need(config.batch_size, end->fits_seq_length + 1), room);
    EXPECT_EQ(json_of(judged->report())["program_end"]["memory_free_bytes"], free);
  }
}

// Backwards from the end: what was allocated after a call was free after it.
TEST(ProgramEnd, FreeMemoryAfterEachCallFollowsFromTheEnd) {
  auto judged = failed(internal_error);
  Profile& p = judged->profile;
  p.processes[0].memory_free_bytes = 1000;
  const auto allocate = [&](std::int64_t time, std::int64_t bytes, bool release) {
    auto& a = p.allocations;
    a.time_ns.push_back(time);
    a.bytes.push_back(bytes);
    a.address.push_back(1);
    a.correlation.push_back(0);
    a.release.push_back(release);
    a.call.push_back(-1);
    a.device.push_back(0);
    a.process.push_back(0);
  };
  for (auto& call : p.calls) call.host_end_ns = call.host_start_ns;
  p.calls[7].memory_free_bytes = 77;
  allocate(50, 5, false);
  allocate(105, 300, false);
  allocate(106, 100, true);
  allocate(107, 40, false);
  const auto end = judged->report().end;
  ASSERT_TRUE(end);
  std::vector<std::int64_t> free;
  for (const auto& call : end->calls) free.push_back(call.memory_free_bytes);
  // Calls at 104, 105, a function at 106, which knows nothing, and calls at 106 and 107.
  EXPECT_THAT(free, ::testing::ElementsAre(1240, 940, -1, 1040, 77));
}

TEST(ProgramEnd, AProgramThatEndedWellHasNone) {
  const auto judged = fixture::single();
  const Report report = judged->report();
  EXPECT_FALSE(report.end);
  EXPECT_THAT(write_text(report), Not(HasSubstr("How the program ended")));
  EXPECT_TRUE(json_of(report).at("program_end").is_null());
  EXPECT_EQ(report.errors, 0);
  EXPECT_THAT(write_junit(report), Not(HasSubstr(program_exception)));
  EXPECT_THAT(write_sarif(report), Not(HasSubstr(program_exception)));
}

// An address is whole, so that it can be opened and copied; other long words are broken.
TEST(Text, AddressesAreNotBroken) {
  TextOptions options;
  options.width = 60;
  Terminal terminal(options);
  const std::string address =
      "https://docs.nvidia.com/" + std::string(90, 'a') + "#" + std::string(20, 'b');
  terminal.paragraph("Source: see " + address + " for more, and " + std::string(90, 'c'), 14);
  const std::string text = terminal.take();
  EXPECT_THAT(text, HasSubstr(address + "\n"));
  EXPECT_THAT(text, Not(HasSubstr(std::string(90, 'c'))));
}

}  // namespace
}  // namespace rnnadvisor::advisor
