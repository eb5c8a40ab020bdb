// `profile` of real programs, with a plugin that stands in for ours.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/advisor/cli/golden.h"

namespace rnnadvisor::cli {

class ProfileCommand : public ::testing::Test {
 protected:
  ProfileCommand() {
    services_ = machine_.services();
    services_.find_plugin = [] { return std::string(RNNADVISOR_FAKE_PLUGIN); };
    services_.die_by_signal = [this](int signal) { died_by_ = signal; };
  }
  Called profile(std::vector<std::string> program, std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"profile", "-o", output_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), program.begin(), program.end());
    return call(arguments, services_);
  }
  // What lies in the folder of the profile, beside it.
  std::vector<std::string> left_behind() const {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(output_).parent_path())) {
      if (entry.path() != output_) names.push_back(entry.path().filename().string());
    }
    return names;
  }

  TemporaryFolder folder_;
  const std::string output_ = folder_ / "x.rnnprof";
  FakeMachine machine_;
  Services services_;
  int died_by_ = 0;
};

}  // namespace rnnadvisor::cli
