// What the writers made when last looked at. After a wanted change run with
// RNNADVISOR_UPDATE_GOLDEN=1 and review the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/advisor/report/fixture.h"

namespace rnnadvisor::advisor {
namespace {

void compare(const std::string& name, const std::string& text) {
  const std::string path = std::string(RNNADVISOR_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; make it with RNNADVISOR_UPDATE_GOLDEN=1";
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str())
      << "If the change is wanted: RNNADVISOR_UPDATE_GOLDEN=1, then review the diff of " << path;
}

TEST(Golden, Rich) {
  const auto judged = fixture::rich();
  const Report report = judged->report();
  compare("rich.txt", write_text(report));
  compare("rich.md", write_markdown(report));
  compare("rich.json", write_json(report));
  compare("rich.csv", write_csv(report));
  compare("rich.sarif", write_sarif(report));
  compare("rich.junit.xml", write_junit(report));
}

TEST(Golden, Single) {
  const auto judged = fixture::single();
  const Report report = judged->report();
  TextOptions verbose;
  verbose.width = 80;
  verbose.verbose = true;
  verbose.ascii = true;
  compare("single.txt", write_text(report));
  compare("single-verbose-ascii-80.txt", write_text(report, verbose));
  compare("single.md", write_markdown(report));
}

TEST(Golden, Tried) {
  const auto judged = fixture::tried();
  const Report report = judged->report();
  TextOptions narrow;
  narrow.width = 80;
  compare("tried.txt", write_text(report));
  compare("tried-80.txt", write_text(report, narrow));
  compare("tried.md", write_markdown(report));
  compare("tried.csv", write_csv(report));
}

TEST(Golden, SmallProfiles) {
  const auto text = [](const fixture::Judged& judged) { return write_text(judged.report()); };
  compare("empty.txt", text(*fixture::empty()));
  compare("bare.txt", text(*fixture::bare()));
  compare("fine.txt", text(*fixture::fine()));
  compare("checked.txt", text(*fixture::checked()));
}

}  // namespace
}  // namespace rnnadvisor::advisor
