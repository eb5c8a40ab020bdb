// How the program ended: the same in every format.
#include "advisor/report/program_end.h"

#include "advisor/report/terminal.h"
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
  json_of(report);
}

TEST(ProgramEnd, AProgramThatEndedWellHasNone) {
  const auto judged = fixture::single();
  const Report report = judged->report();
  EXPECT_FALSE(report.end);
  EXPECT_THAT(write_text(report), Not(HasSubstr("How the program ended")));
  EXPECT_TRUE(json_of(report).at("program_end").is_null());
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
