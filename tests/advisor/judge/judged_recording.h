// A recorded profile as the commands judge it: read and judged once in a program of tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "advisor/judge/judge.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"
#include "core/model/time_for_device.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::advisor {

struct JudgedRecording {
  Profile profile;
  Judgement judgement;
};

inline const JudgedRecording& judged_recording(const std::string& path) {
  static std::map<std::string, JudgedRecording> known;
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  auto& made = known[path];
  auto profile = read_profile(path);
  EXPECT_TRUE(profile) << path;
  if (!profile) return made;
  made.profile = std::move(*profile);
  JudgeOptions options;
  options.predict_for = model::predict_time_for;
  made.judgement = judge(made.profile, builtin_rules(), options);
  return made;
}

}  // namespace rnnadvisor::advisor
