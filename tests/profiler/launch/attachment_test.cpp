#include "profiler/launch/attachment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "profiler/spool/settings.h"

namespace rnnadvisor::launch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

using Present = std::map<std::string, std::string, std::less<>>;

Lookup lookup(Present present) {
  return [present = std::move(present)](std::string_view name) -> std::optional<std::string> {
    const auto found = present.find(name);
    if (found == present.end()) return std::nullopt;
    return found->second;
  };
}

const Places places = {"/opt/lib/librnnadvisor_plugin.so", "/run/x.spool-1", "/opt/libcupti.so"};

Attachment attached(const RecordingOptions& options, const Present& present = {}) {
  auto attachment = attach(options, places, lookup(present));
  EXPECT_TRUE(attachment) << to_text(attachment.error());
  return attachment ? *attachment : Attachment{};
}

TEST(Attach, LoadsThePluginThreeWays) {
  const auto a = attached({});
  for (const char* name : {"LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    EXPECT_THAT(a.set, Contains(Pair(name, places.plugin)));
  EXPECT_THAT(a.set, Contains(Pair("RNNADVISOR_SPOOL", places.spool)));
  EXPECT_THAT(a.set, Contains(Pair("RNNADVISOR_MODE", "kernels")));
  EXPECT_THAT(a.set, Contains(Pair("RNNADVISOR_CUPTI", "/opt/libcupti.so")));
  EXPECT_THAT(a.set, SizeIs(7));  // nothing that was not asked for
  EXPECT_THAT(a.unset, IsEmpty());
  EXPECT_THAT(a.notes, IsEmpty());
}

TEST(Attach, HandsOverWhatWasAskedFor) {
  RecordingOptions options;
  options.mode = spool::Mode::full;
  options.capture = "nvtx:step@train";
  options.delay_ms = 1500;
  options.duration_ms = 2000;
  options.skip = 3;
  options.iterations = 4;
  options.max_bytes = 5;
  options.buffer_bytes = 6;
  options.counter_interval_us = 7;
  options.counter_duration_ms = 0;
  options.call_sites = false;
  options.exceptions = false;
  options.trace = {"transfers", "api"};
  const auto a = attached(options);
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"RNNADVISOR_MODE", "full"},
                                          {"RNNADVISOR_CAPTURE", "nvtx:step@train"},
                                          {"RNNADVISOR_DELAY_MS", "1500"},
                                          {"RNNADVISOR_DURATION_MS", "2000"},
                                          {"RNNADVISOR_SKIP", "3"},
                                          {"RNNADVISOR_ITERATIONS", "4"},
                                          {"RNNADVISOR_MAX_BYTES", "5"},
                                          {"RNNADVISOR_BUFFER_BYTES", "6"},
                                          {"RNNADVISOR_COUNTER_INTERVAL_US", "7"},
                                          {"RNNADVISOR_COUNTER_DURATION_MS", "0"},
                                          {"RNNADVISOR_CALL_SITES", "off"},
                                          {"RNNADVISOR_EXCEPTIONS", "off"},
                                          {"RNNADVISOR_TRACE", "transfers,api"}})
    EXPECT_THAT(a.set, Contains(Pair(name, value)));
}

TEST(Attach, SettingsOfAnotherTimeDoNotLast) {
  const auto a = attached({}, {{"RNNADVISOR_SKIP", "9"}, {"RNNADVISOR_TRACE", "nvtx"}});
  EXPECT_THAT(a.unset, Contains("RNNADVISOR_SKIP"));
  EXPECT_THAT(a.unset, Contains("RNNADVISOR_TRACE"));
}

TEST(Attach, AccelerateIsOneOfItsSettings) {
  RecordingOptions options;
  options.mode = spool::Mode::calls;
  options.accelerate.emplace();
  const auto plain = attached(options);
  EXPECT_THAT(plain.set, Contains(Pair("RNNADVISOR_ACCELERATE", "exact")));
  EXPECT_THAT(plain.set, Contains(Pair("RNNADVISOR_RECORD", "choices")));
  for (const auto& [name, value] : plain.set) {
    EXPECT_NE(name, "RNNADVISOR_ACCELERATE_MEMORY");
    EXPECT_NE(name, "RNNADVISOR_ACCELERATE_BUDGET_MS");
  }
  *options.accelerate = {1 << 20, 250, true};
  const auto all = attached(options);
  EXPECT_THAT(all.set, Contains(Pair("RNNADVISOR_ACCELERATE_MEMORY", "1048576")));
  EXPECT_THAT(all.set, Contains(Pair("RNNADVISOR_ACCELERATE_BUDGET_MS", "250")));
  EXPECT_THAT(all.set, Contains(Pair("RNNADVISOR_RECORD", "calls")));
  // What another time left does not last.
  const auto profiled = attached({}, {{"RNNADVISOR_ACCELERATE", "exact"},
                                      {"RNNADVISOR_RECORD", "choices"},
                                      {"RNNADVISOR_ACCELERATE_MEMORY", "5"}});
  EXPECT_THAT(profiled.unset, Contains("RNNADVISOR_ACCELERATE"));
  EXPECT_THAT(profiled.unset, Contains("RNNADVISOR_RECORD"));
  EXPECT_THAT(profiled.unset, Contains("RNNADVISOR_ACCELERATE_MEMORY"));
}

TEST(Attach, TheUsersOffSwitchWinsAndIsReported) {
  RecordingOptions options;
  options.mode = spool::Mode::calls;
  options.accelerate.emplace();
  const Present off = {{"RNNADVISOR_ACCELERATE", "0"}};
  const auto a = attached(options, off);
  for (const auto& [name, value] : a.set) EXPECT_NE(name, "RNNADVISOR_ACCELERATE");
  EXPECT_THAT(a.unset, Not(Contains("RNNADVISOR_ACCELERATE")));
  ASSERT_THAT(a.notes, SizeIs(1));
  EXPECT_THAT(a.notes[0], HasSubstr("RNNADVISOR_ACCELERATE=0"));
  // Where it was not asked for there is nothing to say, and it stays as it was.
  EXPECT_THAT(attached({}, off).notes, IsEmpty());
  EXPECT_THAT(detach(lookup(off)).unset, IsEmpty());
}

TEST(Attach, OtherPreloadsStayBehindOurs) {
  const auto a = attached({}, {{"LD_PRELOAD", "libjemalloc.so /a/b.so:/c.so"}});
  EXPECT_THAT(a.set, Contains(Pair("LD_PRELOAD",
                                   "/opt/lib/librnnadvisor_plugin.so:libjemalloc.so:"
                                   "/a/b.so:/c.so")));
  // Ours is there once.
  const auto again = attached({}, {{"LD_PRELOAD", "/old/librnnadvisor_plugin.so:/c.so"}});
  EXPECT_THAT(again.set, Contains(Pair("LD_PRELOAD", "/opt/lib/librnnadvisor_plugin.so:/c.so")));
}

TEST(Attach, OtherToolsAreChainedAndNamed) {
  const auto a = attached({}, {{"CUDA_INJECTION64_PATH", "/nsys/libToolsInjection64.so"},
                               {"NVTX_INJECTION64_PATH", "/nsys/libNvtx.so"}});
  EXPECT_THAT(a.set,
              Contains(Pair("RNNADVISOR_CHAIN_CUDA_INJECTION", "/nsys/libToolsInjection64.so")));
  EXPECT_THAT(a.set, Contains(Pair("RNNADVISOR_CHAIN_NVTX_INJECTION", "/nsys/libNvtx.so")));
  EXPECT_THAT(a.set, Contains(Pair("CUDA_INJECTION64_PATH", places.plugin)));
  ASSERT_THAT(a.notes, SizeIs(2));
  EXPECT_THAT(a.notes[0], HasSubstr("libToolsInjection64.so"));
}

TEST(Attach, TheSameLibraryIsNotChainedToItself) {
  const auto a = attached({}, {{"CUDA_INJECTION64_PATH", "/old/librnnadvisor_plugin.so"},
                               {"RNNADVISOR_CHAIN_CUDA_INJECTION", "/stale.so"}});
  EXPECT_THAT(a.unset, ElementsAre("RNNADVISOR_CHAIN_CUDA_INJECTION"));
  EXPECT_THAT(a.notes, IsEmpty());
}

TEST(Attach, RefusesWhatCannotWork) {
  EXPECT_THAT(attach({}, places, lookup({{"RNNADVISOR_SPOOL", "/other"}})).error().message,
              HasSubstr("/other"));
  Places blank = places;
  blank.plugin = "/my folder/librnnadvisor_plugin.so";
  EXPECT_EQ(attach({}, blank, lookup({})).error().code, ErrorCode::unsupported);
  RecordingOptions options;
  options.mode = spool::Mode::calls;
  EXPECT_TRUE(attach(options, places, lookup({})));
  options.trace = {"transfers"};
  EXPECT_EQ(attach(options, places, lookup({})).error().code, ErrorCode::invalid_argument);
}

TEST(Detach, UndoesAttach) {
  const Present before = {{"LD_PRELOAD", "/c.so"},
                          {"CUDA_INJECTION64_PATH", "/nsys/lib.so"},
                          {"HOME", "/root"},
                          {"RNNADVISOR_CUPTI", "/opt/cupti"}};
  RecordingOptions options;
  options.skip = 1;
  options.accelerate = AccelerateOptions{1 << 20, 250, true};
  const auto to_list = [](const Present& present) {
    std::vector<std::string> list;
    for (const auto& [name, value] : present) list.push_back(name + "=" + value);
    return list;
  };
  const auto to_map = [](const std::vector<std::string>& list) {
    Present present;
    for (const auto& entry : list)
      present[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
    return present;
  };
  const Present during = to_map(with_attachment(to_list(before), attached(options, before)));
  EXPECT_EQ(during.at("RNNADVISOR_SKIP"), "1");
  EXPECT_EQ(during.at("HOME"), "/root");
  EXPECT_EQ(to_map(with_attachment(to_list(during), detach(lookup(during)))), before);
  const auto nothing = detach(lookup(before));
  EXPECT_THAT(nothing.set, IsEmpty());
  EXPECT_THAT(nothing.unset, IsEmpty());
}

TEST(Apply, ReplacesAndRemovesByWholeName) {
  Attachment a;
  a.set = {{"A", "2"}};
  a.unset = {"B"};
  EXPECT_THAT(with_attachment({"A=1", "AB=1", "B=1", "BC=1", "odd"}, a),
              ElementsAre("AB=1", "BC=1", "odd", "A=2"));
}

}  // namespace
}  // namespace rnnadvisor::launch
