// dlsym(): whatever is not a function of cuDNN or CUPTI that the program has, is found as if the
// plugin were not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The same program with the plugin, with it but without a spool, and without it.
void expect_no_difference(const char* program, const char* mode) {
  Child without(program), with(program), idle(program);
  const auto expected = without.alone().run({mode});
  ASSERT_EQ(expected.status, 0) << expected.error;
  for (auto* child : {&with, &idle}) {
    if (child == &idle) child->without("RNNADVISOR_SPOOL");
    const auto result = child->run({mode});
    EXPECT_EQ(result.status, 0) << result.error;
    EXPECT_EQ(result.out, expected.out);
    EXPECT_EQ(result.error, expected.error);
  }
}

TEST(Lookup, TheNextDefinitionDependsOnWhoAsks) {
  expect_no_difference(BARE_PROBE_FILE, "lookup-next");
  Child child(BARE_PROBE_FILE);
  EXPECT_THAT(child.run({"lookup-next"}).out, HasSubstr("2 0\nlibc.so.6 libc.so.6\n"));
}

TEST(Lookup, WhatTheProgramDoesNotHaveIsNotFound) {
  expect_no_difference(BARE_PROBE_FILE, "lookup-absent");
}

TEST(Lookup, ASuccessLeavesNoErrorAndAFailureItsOwn) {
  expect_no_difference(BARE_PROBE_FILE, "lookup-errors");
}

TEST(Lookup, TheGlobalScopeFromALibraryWithItsOwnCudnn) {
  expect_no_difference(BARE_PROBE_FILE, "lookup-default");
  Child child(BARE_PROBE_FILE);
  const auto result = child.run({"lookup-default"});
  EXPECT_THAT(result.spool().calls, SizeIs(1)) << "and what it found there is observed";
  EXPECT_THAT(result.spool().libraries, SizeIs(1));
}

TEST(Lookup, TwoCudnnsKeepTheirCalls) {
  Child child(BARE_PROBE_FILE);
  const auto result = child.run({"two-libraries"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.libraries, SizeIs(2));
  for (const auto& call : s.calls) {
    const bool nine = s.shape(call).configuration.hidden_size == 9;
    const auto library = std::ranges::find(s.libraries, call.library, &spool::Library::index);
    ASSERT_NE(library, s.libraries.end());
    EXPECT_EQ(library->version, nine ? 91977u : 8977u);
  }
  EXPECT_THAT(s.calls, SizeIs(10));
}

TEST(Lookup, MoreCudnnsThanThereIsRoomForAreCalledAllTheSame) {
  Child child(BARE_PROBE_FILE);
  std::vector<std::string> words = {"many-libraries"};
  for (int i = 0; i < 6; ++i) {
    words.push_back(child.folder() + "/cudnn-" + std::to_string(i) + ".so");
    std::filesystem::copy_file(STANDIN_FOLDER "/libcudnn.so.9", words.back());
  }
  const auto result = child.run(words);
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(4));
  EXPECT_THAT(result.spool().libraries, SizeIs(4));
  EXPECT_THAT(result.spool().note_codes(), ElementsAre("cudnn-libraries")) << "said once";
}

TEST(Lookup, ALibraryThatIsUnloadedStaysCallable) {
  Child child(BARE_PROBE_FILE);
  const auto result = child.run({"unload"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(3));
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
