// Who may know whom (docs/architecture.md): read off the include lines of every source file, so
// that a wrong one fails here with its place instead of growing roots.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Layer {
  std::string folder;      // files below it
  Words may_include;       // folders of ours
  Words must_not_include;  // beginnings of other headers
};

const Words cuda = {"cuda", "cudnn", "cupti", "nvtx3"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"core/base", {"core/base"}, with(cuda, {"Q", "sqlite3"})},
      {"core/config", {"core/base", "core/config"}, with(cuda, {"Q", "sqlite3"})},
      {"core/device", {"core/base", "core/config", "core/device"}, with(cuda, {"Q", "sqlite3"})},
      {"core/model",
       {"core/base", "core/config", "core/device", "core/model"},
       with(cuda, {"Q", "sqlite3"})},
      {"core/cudnn", {"core"}, {"Q", "sqlite3", "cupti"}},
      {"profiler/profile", {"core", "profiler/profile", "profiler/classify"}, with(cuda, {"Q"})},
      {"profiler/classify",
       {"core", "profiler/profile", "profiler/classify"},
       with(cuda, {"Q", "sqlite3"})},
      {"profiler/cupti",
       {"core", "profiler/cupti", "profiler/profile", "profiler/classify"},
       {"Q", "sqlite3", "toml++", "cudnn"}},
      {"profiler/spool", {"core", "profiler/spool"}, with(cuda, {"Q", "sqlite3", "toml++"})},
      {"profiler/plugin",
       {"core", "profiler/spool", "profiler/plugin", "profiler/cupti/overhead_name.h"},
       {"Q", "sqlite3", "toml++", "nlohmann"}},
      {"profiler/launch",
       {"core", "profiler/profile", "profiler/classify", "profiler/spool", "profiler/launch"},
       with(cuda, {"Q", "sqlite3"})},
      {"advisor/facts",
       {"core", "profiler/profile", "profiler/classify", "advisor/facts", "advisor/rules"},
       with(cuda, {"Q"})},
      {"advisor/rules",
       {"core", "profiler/profile", "profiler/classify", "advisor/facts", "advisor/rules",
        "advisor/whatif"},
       with(cuda, {"Q"})},
      {"advisor/validate",
       {"core", "profiler/profile", "advisor/facts", "advisor/rules", "advisor/whatif",
        "advisor/validate"},
       with(cuda, {"Q"})},
      {"advisor/whatif",
       {"core", "profiler/profile", "advisor/facts", "advisor/rules", "advisor/whatif"},
       with(cuda, {"Q"})},
      {"advisor/report",
       {"core", "profiler/profile", "profiler/classify", "advisor/facts", "advisor/rules",
        "advisor/whatif", "advisor/report"},
       with(cuda, {"Q"})},
      {"advisor/cli", {"core", "profiler", "advisor"}, {"Q"}},
      {"gui",
       {"core/base", "core/config", "core/device", "core/model", "core/cudnn/run_result.h",
        "profiler/profile", "profiler/classify", "advisor/facts", "advisor/rules", "advisor/whatif",
        "advisor/report", "gui"},
       with(cuda, {"sqlite3"})},
      {"gui/models",
       {"core", "profiler/profile", "profiler/classify", "advisor", "gui/models", "gui/texts.h",
        "gui/theme.h"},
       {"QWidget", "QApplication", "QPainter"}},
  };
  return table;
}

bool starts_with_any(const std::string& text, const Words& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const auto& b) { return text.rfind(b, 0) == 0; });
}

// Our own run-time loading headers live in core/cudnn and are free of CUDA; the CLI may ask the
// machine through them.
std::vector<std::string> violations(const fs::path& root) {
  std::vector<std::string> found;
  for (const auto& layer : layers()) {
    if (!fs::exists(root / layer.folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / layer.folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h") continue;
      std::ifstream file(entry.path());
      std::string line;
      for (int number = 1; std::getline(file, line); ++number) {
        if (line.rfind("#include ", 0) != 0) continue;
        const bool ours = line[9] == '"';
        const auto end = line.find(ours ? '"' : '>', 10);
        const std::string header = line.substr(10, end - 10);
        const bool wrong = ours ? !starts_with_any(header, layer.may_include)
                                : starts_with_any(header, layer.must_not_include);
        if (wrong)
          found.push_back(entry.path().lexically_relative(root).string() + ":" +
                          std::to_string(number) + " includes " + header);
      }
    }
  }
  return found;
}

TEST(Layering, EveryIncludeIsAllowed) {
  for (const auto& violation : violations(RNNADVISOR_SOURCE_DIR)) ADD_FAILURE() << violation;
}

TEST(Layering, AWrongIncludeIsFound) {
  const rnnadvisor::TemporaryFolder folder;
  const fs::path& root = folder.path();
  fs::create_directories(root / "core/model");
  std::ofstream(root / "core/model/bad.cpp")
      << "#include \"profiler/profile/profile.h\"\n#include <cudnn.h>\n#include <vector>\n";
  EXPECT_EQ(violations(root).size(), 2U);
}

// toml++ does not survive every text; core/config/toml/parse_toml.cpp keeps those from it.
TEST(Layering, TomlIsParsedInOnePlaceOnly) {
  const fs::path root = RNNADVISOR_SOURCE_DIR;
  Words places;
  for (const char* top : {"core", "profiler", "advisor", "gui", "tests/rules"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h") continue;
      std::ifstream file(entry.path());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      if (text.find("toml::parse(") != std::string::npos ||
          text.find("toml::parse_file(") != std::string::npos) {
        places.push_back(entry.path().lexically_relative(root).string());
      }
    }
  }
  EXPECT_EQ(places, Words{"core/config/toml/parse_toml.cpp"});
}

TEST(Layering, EveryLayerOfTheTreeIsInTheTable) {
  for (const char* top : {"core", "profiler", "advisor"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(RNNADVISOR_SOURCE_DIR) / top)) {
      if (!entry.is_directory()) continue;
      const auto has_code = std::any_of(
          fs::recursive_directory_iterator(entry.path()), fs::recursive_directory_iterator(),
          [](const auto& e) { return e.path().extension() == ".cpp"; });
      const std::string folder = std::string(top) + "/" + entry.path().filename().string();
      const auto& table = layers();
      EXPECT_TRUE(!has_code || std::any_of(table.begin(), table.end(), [&](const auto& l) {
        return l.folder == folder;
      })) << folder;
    }
  }
}

}  // namespace
