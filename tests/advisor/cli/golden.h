// Text that was looked at once and is kept, and what a shell makes of a command.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {

// Compared with tests/golden/cli/<name>; with RNNADVISOR_UPDATE_GOLDEN set the file is written
// instead.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = RNNADVISOR_SOURCE_DIR "/tests/golden/cli/" + name;
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr) write_text_file(path, text);
  EXPECT_EQ(read_text(path), text) << "RNNADVISOR_UPDATE_GOLDEN=1 writes " << path;
}

// `out`: standard output and standard error.
struct ShellResult {
  int status = -1;
  std::string out;
};
inline ShellResult shell(const std::string& command) {
  ShellResult result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  while (const auto got = fread(buffer, 1, sizeof buffer, pipe)) result.out.append(buffer, got);
  result.status = pclose(pipe);
  return result;
}

}  // namespace rnnadvisor::cli
