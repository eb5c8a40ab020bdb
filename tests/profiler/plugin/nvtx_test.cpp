// NVTX with its own headers in the program, and the ranges that open a capture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <sstream>

#include "profiler/launch/collect.h"
#include "profiler/profile/check.h"
#include "tests/effort.h"
#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using spool::Payload;
using spool::Type;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct NvtxChild : Child {
  NvtxChild() : Child(PROBE_FILE) { variable("NVTX_INJECTION64_PATH", PLUGIN_FILE); }
};

TEST(Nvtx, ThreadsHaveTheNamesThatTheProgramGaveThem) {
  // Named outside the capture range: a thread is named once.
  NvtxChild child;
  const auto result = child.variable("RNNADVISOR_CAPTURE", "nvtx:never").run({"nvtx-thread-names"});
  ASSERT_EQ(result.status, 0) << result.error;
  std::istringstream told(result.out);
  std::uint32_t main = 0, loader = 0;
  ASSERT_TRUE(told >> main >> loader);
  using ::testing::Pair;
  using ::testing::UnorderedElementsAre;
  EXPECT_THAT(result.spool().thread_names,
              UnorderedElementsAre(Pair(main, "main"), Pair(loader, "loader \u4e16")));
  EXPECT_EQ(main, static_cast<std::uint32_t>(result.spool().header.pid));
}

TEST(Nvtx, AnotherToolsNamesOfThreadsAreItsToo) {
  NvtxChild child;
  const auto result =
      child.variable("RNNADVISOR_CHAIN_NVTX_INJECTION", STANDIN_FOLDER "/libtool.so")
          .run({"nvtx-thread-names"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().thread_names, SizeIs(2));
  EXPECT_THAT(result.out, ::testing::EndsWith(" nnn\n")) << "the three of one kind, once each";
}

struct ResourceChild : NvtxChild {
  ResourceChild() {
    variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
        .variable("PROBE_CUPTI", "1")
        .variable("STANDIN_STREAM_NUMBERS", "1")
        .variable("RNNADVISOR_MODE", "kernels")
        .variable("RNNADVISOR_CAPTURE", "nvtx:never");
  }
};

TEST(Nvtx, GpusAndStreamsHaveTheNamesThatTheProgramGaveThem) {
  ResourceChild child;
  const auto result = child.run({"nvtx-resource-names"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  using ::testing::Pair;
  using ::testing::UnorderedElementsAre;
  EXPECT_THAT(s.device_names, UnorderedElementsAre(Pair(0, "trainer \u4e16"), Pair(1, "second"),
                                                   Pair(2, "bad \xff\xfe text"), Pair(4, "")));
  ASSERT_THAT(s.stream_names, SizeIs(5));
  const auto stream = [&](int device, int number) {
    const auto found = s.stream_names.find({device, number});
    return found == s.stream_names.end() ? "none" : found->second;
  };
  EXPECT_EQ(stream(0, 14), "compute");
  EXPECT_EQ(stream(0, 15), "a\ufffd\ufffd\ufffdz");
  EXPECT_EQ(stream(0, 16), "by its domain");
  EXPECT_EQ(stream(0, 7), std::string(1024, 'x')) << "the default stream, cut off";
  const std::string& elsewhere = stream(1, 17);
  EXPECT_LE(elsewhere.size(), 1024u);
  EXPECT_EQ(elsewhere.size() % 3, 0u) << "whole characters";
  EXPECT_EQ(s.thread_names.size(), 1u);
  EXPECT_EQ(s.lost(), 0u);

  const auto collected = launch::collect_spools(child.spool_folder(), {});
  ASSERT_TRUE(collected) << to_text(collected.error());
  const Profile& p = collected->profile;
  const auto checked = check_profile(p, ErrorCode::internal);
  EXPECT_TRUE(checked) << to_text(checked.error());
  EXPECT_EQ(p.device_name(0, 0), "trainer \u4e16");
  EXPECT_EQ(p.stream_name(0, 0, 14), "compute");
  EXPECT_EQ(p.stream_name(0, 0, 7), std::string(256, 'x') + "…");
  EXPECT_EQ(p.stream_name(0, 0, 99), "");
  EXPECT_EQ(p.stream_name(0, 0, -1), "");
  for (const auto& name : p.resource_names) EXPECT_LT(p.text(name.name).size(), 300u);
}

TEST(Nvtx, WithoutCuptiStreamsHaveNoNumberToBeNamedBy) {
  ResourceChild child;
  const auto result = child.variable("RNNADVISOR_MODE", "calls").run({"nvtx-resource-names"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().stream_names, IsEmpty());
  EXPECT_THAT(result.spool().device_names, SizeIs(4));
}

std::vector<std::int32_t> hidden_sizes(const Spool& s) {
  std::vector<std::int32_t> sizes;
  for (const auto& call : s.calls) sizes.push_back(s.shape(call).configuration.hidden_size);
  return sizes;
}

// There is no operator new in it (library_test.sh) and little malloc(): a name is lost then, and
// nothing of the program.
TEST(Nvtx, WithoutMemoryANameIsLostAndNothingElse) {
  NvtxChild whole;
  const auto before = whole.run({"nvtx"});
  ASSERT_EQ(before.status, 0) << before.error;
  std::size_t fewest = before.spool().nvtx.size();
  int lost = 0;
  // The first two are those of domains, whose handle is null then, as without a tool: the probe
  // would not go on.
  for (int from = 3; from <= 6; ++from) {
    for (const int count : {1, 1000}) {
      NvtxChild child;
      const auto result =
          child.variable("LD_PRELOAD", PLUGIN_FILE ":" STANDIN_FOLDER "/libfailing_calls.so")
              .variable("FAIL_CALL",
                        "malloc:12:" + std::to_string(from) + ":" + std::to_string(count))
              .run({"nvtx"});
      ASSERT_EQ(result.status, 0) << from << " " << result.error;
      const auto& s = result.spool();
      EXPECT_FALSE(s.damage.any());
      EXPECT_EQ(hidden_sizes(s), hidden_sizes(before.spool())) << from;
      fewest = std::min(fewest, s.nvtx.size());
      for (std::size_t i = 0; i < std::min(s.nvtx.size(), before.spool().nvtx.size()); ++i)
        lost += s.nvtx[i].name != before.spool().nvtx[i].name ||
                        s.nvtx[i].domain != before.spool().nvtx[i].domain
                    ? 1
                    : 0;
    }
  }
  EXPECT_EQ(fewest, before.spool().nvtx.size());
  // A sanitizer has a malloc() of its own.
  if (!test::sanitized()) {
    EXPECT_GT(lost, 0);
  }
}

TEST(Nvtx, AnotherToolsNamesOfStreamsAreItsToo) {
  ResourceChild child;
  const auto result =
      child.variable("RNNADVISOR_CHAIN_NVTX_INJECTION", STANDIN_FOLDER "/libtool.so")
          .run({"nvtx-resource-names"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().stream_names, SizeIs(5));
  EXPECT_EQ(std::ranges::count(result.out, 'm'), 3) << result.out;
  EXPECT_EQ(std::ranges::count(result.out, 'M'), 6) << result.out;
}

TEST(Nvtx, EverythingIsRecordedAndAnsweredAsDocumented) {
  NvtxChild child;
  const auto result = child.run({"nvtx"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  struct Expected {
    Type type;
    const char *name, *domain, *category;
  };
  const std::vector<Expected> expected = {{Type::nvtx_push, "outer", "", ""},
                                          {Type::nvtx_push, "inner \u00e9\u4e16\U0001F600", "", ""},
                                          {Type::nvtx_push, "with everything", "", "loading"},
                                          {Type::nvtx_pop, "", "", ""},
                                          {Type::nvtx_pop, "", "", ""},
                                          {Type::nvtx_push, "registered", "one", "of one"},
                                          {Type::nvtx_push, "registered wide", "two", "of two"},
                                          {Type::nvtx_push, "registered wide", "two", "of two"},
                                          {Type::nvtx_pop, "", "one", ""},
                                          {Type::nvtx_pop, "", "two", ""},
                                          {Type::nvtx_pop, "", "two", ""},
                                          {Type::nvtx_pop, "", "", ""},
                                          {Type::nvtx_mark, "mark", "", ""},
                                          {Type::nvtx_mark, "wide mark", "", ""},
                                          {Type::nvtx_mark, "mark with payload", "", ""},
                                          {Type::nvtx_mark, "mark with payload", "one", ""},
                                          {Type::nvtx_mark, "mark with payload", "two", ""},
                                          {Type::nvtx_mark, "", "", ""},
                                          {Type::nvtx_start, "first", "", ""},
                                          {Type::nvtx_start, "second", "", ""},
                                          {Type::nvtx_start, "third", "one", ""},
                                          {Type::nvtx_end, "", "", ""},
                                          {Type::nvtx_end, "", "one", ""},
                                          {Type::nvtx_end, "", "", ""}};
  ASSERT_EQ(s.nvtx.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(s.nvtx[i].type, expected[i].type) << i;
    EXPECT_EQ(s.nvtx[i].name, expected[i].name) << i;
    EXPECT_EQ(s.nvtx[i].domain, expected[i].domain) << i;
    EXPECT_EQ(s.nvtx[i].category, expected[i].category) << i;
    EXPECT_GE(s.nvtx[i].record.time_ns, s.header.start_ns);
  }
  const auto payload = [&](std::size_t i) { return s.nvtx[i].record.payload; };
  const auto type = [&](std::size_t i) { return s.nvtx[i].record.payload_type; };
  EXPECT_EQ(s.nvtx[2].record.color, 0xff112233u);
  EXPECT_EQ(type(0), Payload::none);
  EXPECT_EQ(type(2), Payload::signed64);
  EXPECT_EQ(static_cast<std::int64_t>(payload(2)), -7);
  EXPECT_EQ(type(5), Payload::real);
  EXPECT_EQ(std::bit_cast<double>(payload(5)), 2.5);
  EXPECT_EQ(type(6), Payload::unsigned64);
  EXPECT_EQ(payload(6), ~0ULL);
  EXPECT_EQ(std::bit_cast<double>(payload(14)), 1.25);
  EXPECT_EQ(payload(15), 0xffffffffu);
  EXPECT_EQ(static_cast<std::int64_t>(payload(16)), -5000000000);
  // Starts find their ends, on whatever thread.
  EXPECT_EQ(s.nvtx[18].record.range, s.nvtx[21].record.range);
  EXPECT_EQ(s.nvtx[20].record.range, s.nvtx[22].record.range);
  EXPECT_EQ(s.nvtx[19].record.range, s.nvtx[23].record.range);
  EXPECT_NE(s.nvtx[18].record.thread, s.nvtx[21].record.thread);
  EXPECT_EQ(s.lost(), 0u);
}

TEST(Nvtx, NamesThatNeverEndLeaveRoomForOthers) {
  NvtxChild child;
  const auto result = child.run({"nvtx-many"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.nvtx, SizeIs(40000));
  const auto unnamed = static_cast<std::uint64_t>(
      std::ranges::count_if(s.nvtx, [](const auto& n) { return n.name.empty(); }));
  EXPECT_GT(unnamed, 0u);
  EXPECT_EQ(s.header.lost[static_cast<std::size_t>(spool::Loss::strings)], unnamed)
      << "what has no name is counted";
  EXPECT_EQ(s.nvtx.front().name, "step 0");
  ASSERT_THAT(s.libraries, SizeIs(1));
  EXPECT_FALSE(s.text(s.libraries[0].path).empty());
}

TEST(Nvtx, ManyDomainsOnAThreadAreAllRecorded) {
  NvtxChild child;
  const auto result = child.run({"nvtx-domains"});
  ASSERT_EQ(result.status, 0) << result.error;
  ASSERT_THAT(result.spool().nvtx, SizeIs(80));
  EXPECT_EQ(result.spool().nvtx[78].domain, "domain 39");
  EXPECT_EQ(result.spool().nvtx[79].domain, "domain 39");
}

TEST(Nvtx, HandlesOutliveAFork) {
  NvtxChild child;
  const auto result = child.run({"nvtx-fork"});
  ASSERT_EQ(result.status, 0) << result.error;
  ASSERT_THAT(result.spools, SizeIs(2));
  for (const auto& s : result.spools) {
    ASSERT_THAT(s.nvtx, SizeIs(1));
    EXPECT_EQ(s.nvtx[0].name, "inherited text");
    EXPECT_EQ(s.nvtx[0].domain, "inherited domain");
  }
}

TEST(Nvtx, AnotherToolKeepsItsFunctionsAndHandles) {
  NvtxChild child;
  child.variable("RNNADVISOR_CHAIN_NVTX_INJECTION", STANDIN_FOLDER "/libtool.so");
  const auto result = child.run({"nvtx-chain"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.out, "poseDRPOPO\n") << "each of its functions once and in order";
  const auto& s = result.spool();
  std::vector<std::string> seen;
  for (const auto& n : s.nvtx) seen.push_back(n.name + "@" + n.domain);
  EXPECT_THAT(seen, ElementsAre("a@", "@", "s@", "@", "not the tool's@", "chained text@chained",
                                "@chained", "plain@", "@"));
  EXPECT_EQ(s.nvtx[2].record.range, 9001u);
  EXPECT_EQ(s.nvtx[3].record.range, 9001u);
}

TEST(Nvtx, AnotherToolKeepsThoseWithWideTextsAndAttributes) {
  NvtxChild child;
  child.variable("RNNADVISOR_CHAIN_NVTX_INJECTION", STANDIN_FOLDER "/libtool.so")
      .variable("STANDIN_TOOL", "has more");
  const auto result = child.run({"nvtx-chain-more"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.out, "qxtyETS\n");
  std::vector<std::string> seen;
  for (const auto& n : result.spool().nvtx) seen.push_back(n.name + "@" + n.domain);
  EXPECT_THAT(seen, ElementsAre("wide@", "with attributes@", "wide@", "with attributes@",
                                "chained text@chained"));
}

TEST(Nvtx, WhatHasNoTextIsRecordedWithoutOne) {
  NvtxChild child;
  const auto result = child.run({"nvtx-unusual"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  std::vector<std::string> seen;
  for (const auto& n : s.nvtx)
    if (n.type == spool::Type::nvtx_mark) seen.push_back(n.name + "@" + n.domain + n.category);
  EXPECT_THAT(seen,
              ElementsAre("@", "@", "@", "of no category@", "wide@", "@", "in none@", "in none@"));
  EXPECT_THAT(s.thread_names, IsEmpty());
  using ::testing::Pair;
  EXPECT_THAT(s.device_names, ElementsAre(Pair(1, "second"), Pair(2, "second")));
  EXPECT_EQ(s.lost(), 0u);
}

TEST(Nvtx, WhereNothingCanBeRecordedRangesHaveTheirLevels) {
  NvtxChild child;
  child.variable("RNNADVISOR_SPOOL", child.folder() + "/absent");
  for (const char* mode : {"nvtx", "nvtx-domains", "nvtx-unusual"}) {
    const auto result = child.run({mode});
    EXPECT_EQ(result.status, 0) << mode << result.error;
  }
}

TEST(Nvtx, AnotherToolsNullHandlesStayNull) {
  NvtxChild child;
  child.variable("RNNADVISOR_CHAIN_NVTX_INJECTION", STANDIN_FOLDER "/libtool.so")
      .variable("STANDIN_TOOL", "null");
  const auto result = child.run({"nvtx-chain"});
  EXPECT_EQ(result.status, 0) << result.error;
}

TEST(Nvtx, AToolThatRefusesIsLeftOut) {
  NvtxChild child;
  child.variable("RNNADVISOR_CHAIN_NVTX_INJECTION", STANDIN_FOLDER "/libtool.so")
      .variable("STANDIN_TOOL", "refuses");
  const auto result = child.run({"nvtx"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().nvtx, SizeIs(24));
}

TEST(Nvtx, AToolThatIsNotThereOrIsOurselvesIsPassedOver) {
  for (const char* tool : {"/nonexistent/libtool.so", PLUGIN_FILE}) {
    NvtxChild child;
    const auto result = child.variable("RNNADVISOR_CHAIN_NVTX_INJECTION", tool).run({"nvtx"});
    ASSERT_EQ(result.status, 0) << tool << result.error;
    EXPECT_THAT(result.spool().nvtx, SizeIs(24)) << tool;
    EXPECT_EQ(result.spool().notes.size(), tool == std::string(PLUGIN_FILE) ? 0u : 1u);
  }
}

TEST(Nvtx, WithoutASpoolItIsAsWithoutATool) {
  NvtxChild child;
  const auto result = child.without("RNNADVISOR_SPOOL").run({"nvtx-alone"});
  EXPECT_EQ(result.status, 0) << result.error;
  NvtxChild chained;
  chained.without("RNNADVISOR_SPOOL")
      .variable("RNNADVISOR_CHAIN_NVTX_INJECTION", STANDIN_FOLDER "/libtool.so");
  EXPECT_EQ(chained.run({"nvtx-chain"}).out, "poseDRPOPO\n") << "but the other tool has its turn";
}

// PROBE_THROUGH and RNNADVISOR_CAPTURE do not meet: ranges are of the process.
class Range : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, Range, ::testing::Values("push", "start"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Range, CallsInItAreCaptured) {
  NvtxChild child;
  const auto result =
      child.variable("RNNADVISOR_CAPTURE", "nvtx:step").run({"nvtx-ranges", GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(hidden_sizes(result.spool()), ElementsAre(2, 4, 6));
  EXPECT_EQ(result.spool().header.calls, 7u) << "all are counted";
}

TEST_P(Range, ItsDomainDecides) {
  for (const auto& [domain, captured] :
       {std::pair("mine", 3u), std::pair("theirs", 0u), std::pair("", 0u)}) {
    NvtxChild child;
    child.variable("RNNADVISOR_CAPTURE", "nvtx:step@mine");
    const auto result = *domain == 0 ? child.run({"nvtx-ranges", GetParam()})
                                     : child.run({"nvtx-ranges", GetParam(), domain});
    ASSERT_EQ(result.status, 0) << result.error;
    EXPECT_THAT(result.spool().calls, SizeIs(captured)) << domain;
  }
  NvtxChild child;
  const auto result =
      child.variable("RNNADVISOR_CAPTURE", "nvtx:step").run({"nvtx-ranges", GetParam(), "mine"});
  EXPECT_THAT(result.spool().calls, IsEmpty()) << "without a domain the default one is meant";
}

TEST_P(Range, IterationsCountRanges) {
  NvtxChild child;
  child.variable("RNNADVISOR_CAPTURE", "nvtx:step").variable("RNNADVISOR_ITERATIONS", "2");
  const auto result = child.run({"nvtx-ranges", GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(hidden_sizes(result.spool()), ElementsAre(2, 4));
}

TEST_P(Range, SkipCountsCallsInRanges) {
  NvtxChild child;
  child.variable("RNNADVISOR_CAPTURE", "nvtx:step").variable("RNNADVISOR_SKIP", "1");
  const auto result = child.run({"nvtx-ranges", GetParam()});
  EXPECT_THAT(hidden_sizes(result.spool()), ElementsAre(4, 6));
}

TEST(RangeOfTwoThreads, BelongsToTheOneThatOpenedIt) {
  NvtxChild child;
  const auto result = child.variable("RNNADVISOR_CAPTURE", "nvtx:step").run({"nvtx-two-threads"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(hidden_sizes(result.spool()), ElementsAre(2));
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
