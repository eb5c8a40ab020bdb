// What the plugin makes of its environment: a wrong value is reported, and never
// followed.
#include "profiler/plugin/settings.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <string>
#include <vector>

extern char** environ;

namespace rnnadvisor::plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Variables = std::vector<std::pair<std::string, std::string>>;

// The settings of an environment with these variables, named without RNNADVISOR_.
const Settings& with(const Variables& variables) {
  std::vector<std::string> ours;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string(*entry).starts_with("RNNADVISOR_"))
      ours.push_back(std::string(*entry).substr(0, std::string(*entry).find('=')));
  for (const auto& name : ours) unsetenv(name.c_str());
  for (const auto& [name, value] : variables)
    setenv(("RNNADVISOR_" + name).c_str(), value.c_str(), 1);
  read_settings();
  return settings();
}
std::vector<std::string> not_followed() {
  std::vector<std::string> names;
  for (int i = 0; i < ignored_settings(); ++i) names.emplace_back(ignored_setting(i));
  return names;
}

TEST(Settings, WithoutAnyKernelsAreRecordedAndNothingIsChanged) {
  const auto& s = with({});
  EXPECT_STREQ(s.folder, "");
  EXPECT_EQ(s.mode, spool::Mode::kernels);
  EXPECT_EQ(s.accelerate, Settings::Accelerate::off);
  EXPECT_EQ(s.capture, Settings::Capture::always);
  EXPECT_TRUE(s.record_calls && s.call_sites && s.untraced_steps && s.trace_transfers);
  EXPECT_FALSE(s.trace_memory || s.trace_api || s.trace_driver || s.trace_counters);
  EXPECT_FALSE(s.plan_only || s.changes || s.try_end || s.accelerate_bytes_given);
  EXPECT_THAT(not_followed(), IsEmpty());
}

TEST(Settings, AValueThatIsNoneOfTheWordsIsToldAndNotFollowed) {
  const auto usual = with({});
  for (const char* name : {"MODE", "RECORD", "CALL_SITES", "EXCEPTIONS", "TRACE", "ACCELERATE",
                           "CAPTURE", "MAX_BYTES", "BUFFER_BYTES", "SKIP", "DELAY_MS"}) {
    const auto& s = with({{name, "something"}});
    EXPECT_THAT(not_followed(), ElementsAre("RNNADVISOR_" + std::string(name)));
    EXPECT_EQ(s.mode, usual.mode);
    EXPECT_EQ(s.record_calls, usual.record_calls);
    EXPECT_EQ(s.call_sites, usual.call_sites);
    EXPECT_EQ(s.accelerate, usual.accelerate);
    EXPECT_EQ(s.capture, usual.capture);
    EXPECT_EQ(s.max_bytes, usual.max_bytes);
    EXPECT_EQ(s.buffer_bytes, usual.buffer_bytes);
    EXPECT_EQ(s.skip, usual.skip);
    EXPECT_EQ(s.delay_ns, usual.delay_ns);
  }
  for (const Variables& usable : std::vector<Variables>{{{"MODE", "kernels"}},
                                                        {{"RECORD", "calls"}},
                                                        {{"CALL_SITES", "on"}},
                                                        {{"CALL_SITES", "off"}},
                                                        {{"EXCEPTIONS", "on"}},
                                                        {{"EXCEPTIONS", "off"}},
                                                        {{"TRACE", "none"}},
                                                        {{"TRACE", "driver"}},
                                                        {{"ACCELERATE", "0"}},
                                                        {{"CAPTURE", "always"}},
                                                        {{"MODE", ""}}}) {
    with(usable);
    EXPECT_THAT(not_followed(), IsEmpty()) << usable[0].first << "=" << usable[0].second;
  }
}

TEST(Settings, ANumberIsWholeNotNegativeAndNotBeyond53Bits) {
  for (const char* text : {"-1", "1.5", "0x10", "9007199254740993", "99999999999999999999", "1 "}) {
    EXPECT_EQ(with({{"SKIP", text}}).skip, 0) << text;
    EXPECT_THAT(not_followed(), ElementsAre("RNNADVISOR_SKIP")) << text;
  }
  EXPECT_EQ(with({{"SKIP", "9007199254740992"}}).skip, std::int64_t{1} << 53);
  // As many milliseconds are more than 64 bits of nanoseconds.
  EXPECT_GT(with({{"DELAY_MS", "9007199254740992"}}).delay_ns, std::int64_t{1} << 60);
  EXPECT_EQ(with({{"DELAY_MS", "3"}}).delay_ns, 3'000'000);
}

TEST(Settings, AreKeptWithinWhatWorks) {
  EXPECT_EQ(with({{"BUFFER_BYTES", "1"}}).buffer_bytes, 65536u);
  EXPECT_EQ(with({{"COUNTER_INTERVAL_US", "1"}}).counter_interval_ns, 10'000);
  EXPECT_EQ(with({{"COUNTER_INTERVAL_US", "50"}}).counter_interval_ns, 50'000);
  EXPECT_EQ(with({{"COUNTER_INTERVAL_US", "5000000"}}).counter_interval_ns, 1'000'000'000);
  EXPECT_EQ(with({{"TRY_STEPS", "1000000"}}).try_steps, 100'000u);
  EXPECT_EQ(with({{"SPOOL", std::string(10'000, 'x')}}).folder[sizeof(Settings::folder) - 1], 0);
}

TEST(Settings, ATraceHasWhatIsListed) {
  const auto& s = with({{"MODE", "full"}, {"TRACE", "driver,api"}});
  EXPECT_TRUE(s.trace_driver && s.trace_api);
  EXPECT_FALSE(s.trace_transfers || s.trace_memory || s.trace_counters);
  EXPECT_TRUE(with({{"TRACE", "counters"}}).trace_counters);
  EXPECT_TRUE(with({{"TRACE", "nothing,memory"}}).trace_memory);
  EXPECT_FALSE(with({{"TRACE", "memory2,apis"}}).trace_memory) << "whole words";
  EXPECT_THAT(not_followed(), ElementsAre("RNNADVISOR_TRACE"));
}

TEST(Settings, AnAlgorithmThatIsForcedIsOneOfCudnns) {
  const char* const algorithms[] = {"standard", "persist_static", "persist_dynamic",
                                    "persist_static_small_h"};
  for (int algo = 0; algo < 4; ++algo) {
    for (const bool converts : {false, true}) {
      const auto& s = with({{"ACCELERATE", std::string("force:") + algorithms[algo] +
                                               (converts ? "+conversion" : "")}});
      EXPECT_EQ(s.accelerate, Settings::Accelerate::forced);
      EXPECT_EQ(s.forced_algo, algo);
      EXPECT_EQ(s.forced_converts, converts);
    }
  }
  for (const char* text :
       {"force:", "force:fastest", "force:standard+", "forced:standard", "standard", "exactly"}) {
    EXPECT_EQ(with({{"ACCELERATE", text}}).accelerate, Settings::Accelerate::off) << text;
    EXPECT_THAT(not_followed(), ElementsAre("RNNADVISOR_ACCELERATE")) << text;
  }
}

TEST(Settings, TryingHasAnEndOnlyWhereThereAreSteps) {
  EXPECT_FALSE(with({{"TRY_END", "1"}}).try_end);
  EXPECT_FALSE(with({{"TRY_STEPS", "5"}, {"TRY_END", "0"}}).try_end);
  EXPECT_TRUE(with({{"TRY_STEPS", "5"}, {"TRY_END", "1"}}).try_end);
}

TEST(Settings, ARangeIsNamedWithItsDomain) {
  const auto& s = with({{"CAPTURE", "nvtx:step@train"}});
  EXPECT_EQ(s.capture, Settings::Capture::nvtx);
  EXPECT_STREQ(s.range, "step");
  EXPECT_STREQ(s.domain, "train");
  EXPECT_STREQ(with({{"CAPTURE", "nvtx:step"}}).domain, "");
  EXPECT_EQ(with({{"CAPTURE", "cuda-profiler-api"}}).capture, Settings::Capture::profiler_api);
}

TEST(Settings, OfManyThatAreIgnoredTheFirstAreTold) {
  Variables all;
  for (const char* name : {"MODE",
                           "RECORD",
                           "CALL_SITES",
                           "EXCEPTIONS",
                           "TRACE",
                           "ACCELERATE",
                           "CAPTURE",
                           "MAX_BYTES",
                           "BUFFER_BYTES",
                           "SKIP",
                           "DELAY_MS",
                           "DURATION_MS",
                           "ITERATIONS",
                           "UNTRACED_STEPS",
                           "TRY_STEPS",
                           "COUNTER_INTERVAL_US",
                           "COUNTER_DURATION_MS",
                           "ACCELERATE_MEMORY",
                           "ACCELERATE_BUDGET_MS",
                           "ACCELERATE_PLAN_ONLY"})
    all.emplace_back(name, "something");
  with(all);
  EXPECT_THAT(not_followed(), SizeIs(16));
}

}  // namespace
}  // namespace rnnadvisor::plugin
