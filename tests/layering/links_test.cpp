// Links between the files of the tree, as a reader on the web follows them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace rnnadvisor {
namespace {

namespace fs = std::filesystem;

TEST(Documents, EveryLinkLeadsSomewhere) {
  const fs::path root = RNNADVISOR_SOURCE_DIR;
  std::vector<fs::path> documents;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"})
    documents.push_back(root / name);
  for (const char* folder : {"advisor", "docs", "gui", "profiler", "samples", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
  }
  const std::regex link("\\]\\(([^)#:\\s]+)(#[^)]*)?\\)");
  int links = 0;
  for (const auto& document : documents) {
    std::ifstream stream(document, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i, ++links)
      EXPECT_TRUE(fs::exists(document.parent_path() / (*i)[1].str()))
          << document << ": " << (*i)[1];
  }
  EXPECT_GT(links, 100);
}

}  // namespace
}  // namespace rnnadvisor
