// Spools written by hand in a folder of their own, and the profile made of them.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/launch/collect.h"
#include "profiler/profile/check.h"
#include "tests/profiler/spool/sample_spools.h"

namespace rnnadvisor::launch {

namespace fs = std::filesystem;
using spool::sample_call;
using spool::sample_configuration;
using spool::sample_device;
using spool::sample_spool;
using spool::SpoolWriter;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Collect : public ::testing::Test {
 protected:
  Collect() {
    std::string pattern = testing::TempDir() + "/collect-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~Collect() override { fs::remove_all(folder_); }

  void add(const SpoolWriter& writer) {
    writer.write(folder_ + "/" + std::to_string(++files_) + ".rnnspool");
  }
  Collected collect(const CollectOptions& options = {}) {
    auto collected = collect_spools(folder_, options);
    EXPECT_TRUE(collected) << to_text(collected.error());
    if (!collected) return {};
    const auto checked = check_profile(collected->profile, ErrorCode::internal);
    EXPECT_TRUE(checked) << to_text(checked.error());
    return std::move(*collected);
  }
  Profile profile_of(const SpoolWriter& writer) {
    add(writer);
    return collect().profile;
  }

  std::string folder_;
  int files_ = 0;
};

inline const Note* find_note(const Profile& profile, std::string_view code) {
  for (const auto& note : profile.notes) {
    if (note.code == code) return &note;
  }
  return nullptr;
}

inline std::vector<std::string> codes(const Profile& profile) {
  std::vector<std::string> list;
  for (const auto& note : profile.notes) list.push_back(note.code);
  return list;
}

}  // namespace rnnadvisor::launch
