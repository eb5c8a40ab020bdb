#include "gui/models/record_gaps.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

using advisor::Severity;

Profile with_process(ProcessEnd end, int signal) {
  Profile profile;
  Process process;
  process.pid = 7;
  process.executable = "/opt/app/trainer";
  process.end = end;
  process.signal = signal;
  profile.processes.push_back(process);
  return profile;
}

TEST(RecordGaps, TellsHowAProcessEnded) {
  EXPECT_TRUE(record_gaps(with_process(ProcessEnd::exited, -1)).empty());
  EXPECT_TRUE(record_gaps(with_process(ProcessEnd::unknown, -1)).empty());
  const auto signalled = record_gaps(with_process(ProcessEnd::signalled, SIGKILL));
  ASSERT_EQ(signalled.size(), 1U);
  EXPECT_EQ(signalled[0].severity, Severity::error);
  EXPECT_EQ(signalled[0].what, QStringLiteral("trainer (process 7) was ended by SIGKILL."));
  EXPECT_TRUE(signalled[0].consequence.startsWith(QStringLiteral("No RNN call")));
  EXPECT_EQ(record_gaps(with_process(ProcessEnd::killed, SIGINT))[0].severity, Severity::warning);
  EXPECT_TRUE(record_gaps(with_process(ProcessEnd::running, -1))[0].consequence.endsWith(
      QStringLiteral("What it did afterwards is not in the record.")));
  // rnnadvisor itself, which writes the record.
  Profile run = with_process(ProcessEnd::running, -1);
  run.processes[0].mode = "run";
  EXPECT_TRUE(record_gaps(run).empty());
}

// Calls without kernels count only at the end, and only where kernels were recorded at all.
TEST(RecordGaps, CountsTheCallsWhoseKernelsAreMissing) {
  Profile profile = with_process(ProcessEnd::signalled, SIGSEGV);
  for (int i = 0; i < 5; ++i) {
    RnnCall call;
    call.process = 0;
    call.host_start_ns = 100 - i;  // the table is in the order of configurations, not of time
    call.host_end_ns = call.host_start_ns + 1;
    profile.calls.push_back(call);
  }
  EXPECT_TRUE(record_gaps(profile)[0].consequence.contains(QStringLiteral("5 RNN calls")));
  EXPECT_FALSE(record_gaps(profile)[0].consequence.contains(QStringLiteral("no kernels")));
  // Those of calls 4 and 2; 3 lies between, 1 and 0 come last.
  for (const int call : {4, 2}) {
    profile.kernels.start_ns.push_back(call);
    profile.kernels.call.push_back(call);
    profile.kernels.process.push_back(0);
  }
  EXPECT_TRUE(
      record_gaps(profile)[0].consequence.contains(QStringLiteral("The last 2 have no kernels")));
}

TEST(RecordGaps, TheWorstComesFirst) {
  Profile profile = with_process(ProcessEnd::signalled, SIGABRT);
  profile.configurations.resize(3);
  profile.configurations[1].outcome = Outcome::interrupted;
  profile.notes.push_back({NoteSeverity::warning, "records-dropped", "kernels were lost", 12});
  profile.notes.push_back({NoteSeverity::info, "graph-replays", "RNN calls are launches", 2});
  const auto gaps = record_gaps(profile);
  ASSERT_EQ(gaps.size(), 3U);  // a remark is no gap
  EXPECT_EQ(gaps[0].severity, Severity::error);
  EXPECT_TRUE(gaps[1].what.startsWith(QStringLiteral("1 of 3 configurations")));
  EXPECT_EQ(gaps[2].what, QStringLiteral("Kernels were lost (12 times)."));
}

TEST(RecordGaps, RecordedSamplesAreWhole) {
  EXPECT_TRUE(record_gaps(sample("programs/pytorch-two-layers")->profile()).empty());
}

TEST(SignalName, IsThatOfTheManual) {
  EXPECT_EQ(signal_name(SIGBUS), QStringLiteral("SIGBUS"));
  EXPECT_EQ(signal_name(42), QStringLiteral("signal 42"));
  EXPECT_EQ(signal_name(-1), QStringLiteral("a signal"));
}

}  // namespace
}  // namespace rnnadvisor::gui
