// `env` and `collect`, with a plugin that stands in for ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "advisor/cli/collecting.h"
#include "advisor/cli/recording_options.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/profile_command.h"
#include "tests/profiler/spool/sample_spools.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

TEST(Sizes, HaveUnits) {
  EXPECT_EQ(parse_size("65536", "--x").value(), 65536);
  EXPECT_EQ(parse_size("64K", "--x").value(), 65536);
  EXPECT_EQ(parse_size("8m", "--x").value(), 8 << 20);
  EXPECT_EQ(parse_size("2GiB", "--x").value(), std::int64_t{2} << 30);
  for (const char* wrong :
       {"", "0", "-1", "K", "1KK", "1e3", "1.5M", "9999999T", "99999999999999999999"})
    EXPECT_FALSE(parse_size(wrong, "--x")) << wrong;
}

class EnvCommand : public ProfileCommand {
 protected:
  Called env(Words options) {
    options.insert(options.begin(), "env");
    return call(options, services_);
  }
};

TEST_F(EnvCommand, AShellReadsWhatItPrints) {
  const std::string odd = folder_ / "it's a $place";
  fs::create_directory(odd);
  const auto called = env({"-o", odd + "/x.rnnprof", "--skip", "3", "--shell", "bash"});
  ASSERT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, HasSubstr("rnnadvisor collect"));
  const std::string script = folder_ / "env.sh";
  // The preload is read, not acted upon.
  write_text_file(script, called.out +
                              "FAKE_PLUGIN_QUIET=1; export FAKE_PLUGIN_QUIET\n"
                              "printf '%s\\n' \"$RNNADVISOR_SPOOL\" \"$RNNADVISOR_SKIP\" "
                              "\"$LD_PRELOAD\" \"$CUDA_INJECTION64_PATH\"\n");
  const auto read = shell("sh '" + script + "'");
  EXPECT_THAT(read.out, StartsWith(odd + "/x.rnnprof.spool-"));
  EXPECT_THAT(read.out, HasSubstr("\n3\n" + std::string(RNNADVISOR_FAKE_PLUGIN)));
}

TEST_F(EnvCommand, FishHasItsOwnWords) {
  const auto called = env({"--folder", folder_ / "it's", "--shell", "fish"});
  ASSERT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.out, HasSubstr("set -gx RNNADVISOR_SPOOL '" + (folder_ / "it\\'s") + "';"));
  EXPECT_TRUE(fs::is_directory(folder_ / "it's"));
}

TEST_F(EnvCommand, ANewFolderIsForItsOwnerAloneAndOneThatIsThereKeepsItsPermissions) {
  // Files of programs that root starts as another user are added by that user.
  const auto made = geteuid() == 0 ? fs::perms(01733) : fs::perms(0700);
  ASSERT_EQ(env({"--folder", folder_ / "a/new/", "--shell", "bash"}).status, 0);
  EXPECT_EQ(fs::status(folder_ / "a/new").permissions(), made);
  ASSERT_TRUE(fs::create_directory(folder_ / "shared"));
  fs::permissions(folder_ / "shared", fs::perms(0775));
  ASSERT_EQ(env({"--folder", folder_ / "shared", "--shell", "bash"}).status, 0);
  EXPECT_EQ(fs::status(folder_ / "shared").permissions(), fs::perms(0775));
}

TEST_F(EnvCommand, WhatIsSetIsUnset) {
  const auto on = env({"--folder", folder_ / "spool", "--skip", "3", "--shell", "bash"});
  const std::string program = RNNADVISOR_PROGRAM;
  write_text_file(folder_ / "on.sh", on.out);
  const auto after =
      shell("unset LD_PRELOAD; env > " + (folder_ / "before") + "; . " + (folder_ / "on.sh") +
            "; export FAKE_PLUGIN_QUIET=1; eval \"$(ASAN_OPTIONS=verify_asan_link_order=0 " +
            program + " env --unset --shell bash)\"; unset FAKE_PLUGIN_QUIET; env > " +
            (folder_ / "after") + "; diff " + (folder_ / "before") + " " + (folder_ / "after"));
  EXPECT_EQ(after.status, 0) << after.out;
}

TEST_F(EnvCommand, RefusesWhatItCannotDo) {
  EXPECT_EQ(env({"--shell", "tcsh"}).status, 2);
  EXPECT_EQ(env({"--mode", "all"}).status, 2);
  EXPECT_EQ(env({"--folder", "/proc/nowhere"}).status, 3);
  services_.find_plugin = []() -> Result<std::string> {
    return fail(ErrorCode::unsupported, "this rnnadvisor has no plugin");
  };
  EXPECT_EQ(env({"--folder", folder_ / "spool"}).status, 3);
  EXPECT_FALSE(fs::exists(folder_ / "spool"));
}

class CollectCommand : public ProfileCommand {
 protected:
  CollectCommand() {
    fs::create_directory(recording_);
    spool::sample_spool().write(recording_ + "/1.rnnspool");
  }
  const std::string recording_ = folder_ / "recording";
};

TEST_F(CollectCommand, MakesAProfileOfAFolder) {
  const auto called = call({"collect", recording_ + "/", "-o", output_}, services_);
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, HasSubstr("wrote " + output_));
  EXPECT_TRUE(fs::exists(recording_));
  EXPECT_THAT(read_profile(output_)->calls, SizeIs(3));
  EXPECT_EQ(call({"collect", recording_, "--remove"}, services_).status, 0);
  EXPECT_TRUE(fs::exists(recording_ + ".rnnprof"));
  EXPECT_FALSE(fs::exists(recording_));
}

TEST_F(CollectCommand, KeepsTheFolderWhenSomethingOfItIsNotInTheProfile) {
  write_text_file(recording_ + "/2.rnnspool", "nothing that could be read");
  const auto called = call({"collect", recording_, "-o", output_, "--remove"}, services_);
  EXPECT_EQ(called.status, 0);
  EXPECT_THAT(called.err, HasSubstr("2.rnnspool"));
  EXPECT_TRUE(fs::exists(recording_));
}

TEST_F(CollectCommand, LeavesOutWhatBeganBeforeATime) {
  ASSERT_EQ(call({"collect", recording_, "-o", output_}, services_).status, 0);
  std::vector<std::int64_t> starts;
  for (const auto& each : read_profile(output_)->calls) starts.push_back(each.host_start_ns);
  ASSERT_THAT(starts, SizeIs(3));
  std::sort(starts.begin(), starts.end());
  const auto since = fmt::format("{:.9f}", static_cast<double>(starts[1]) / 1e9);
  ASSERT_EQ(
      call({"collect", recording_, "-o", output_, "--force", "--since", since}, services_).status,
      0);
  EXPECT_THAT(read_profile(output_)->calls, SizeIs(2));
  for (const char* wrong : {"nan", "-1", "yesterday", "1e300"})
    EXPECT_EQ(call({"collect", recording_, "--since", wrong}, services_).status, 2) << wrong;
  // The rest would be lost.
  EXPECT_EQ(call({"collect", recording_, "--since", since, "--remove"}, services_).status, 2);
  EXPECT_TRUE(fs::exists(recording_));
}

TEST_F(CollectCommand, AFolderThatIsNotThereIsStatus2) {
  EXPECT_EQ(call({"collect", folder_ / "none"}, services_).status, 2);
  EXPECT_EQ(call({"collect"}, services_).status, 2);
}

}  // namespace
}  // namespace rnnadvisor::cli
