// make_rnnprof_seeds DIRECTORY: seeds for fuzz_rnnprof. The content is deterministic.
#include <cstdio>

#include "profiler/profile/file.h"
#include "tests/profiler/profile/rich_profile.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_rnnprof_seeds DIRECTORY\n", stderr);
    return 2;
  }
  const std::string directory = argv[1];
  const rnnadvisor::Profile empty;
  for (const auto& [name, profile] :
       {std::pair{"empty", empty}, {"rich", rnnadvisor::testing::rich_profile()}}) {
    const auto written =
        rnnadvisor::write_profile(profile, directory + "/" + name + ".rnnprof", true);
    if (!written) {
      std::fputs((rnnadvisor::to_text(written.error()) + "\n").c_str(), stderr);
      return 1;
    }
  }
  return 0;
}
