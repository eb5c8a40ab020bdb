// Who may know whom (docs/architecture.md): read off the include lines of every source file, so
// that a wrong one fails here with its place instead of growing roots.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
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
      {"profiler/kernels", {"core", "profiler/kernels"}, with(cuda, {"Q", "sqlite3"})},
      {"profiler/profile", {"core", "profiler/kernels", "profiler/profile"}, with(cuda, {"Q"})},
      {"profiler/merge",
       {"core", "profiler/kernels", "profiler/profile", "profiler/merge"},
       with(cuda, {"Q", "sqlite3"})},
      {"profiler/classify",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify"},
       with(cuda, {"Q", "sqlite3"})},
      {"profiler/import",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "profiler/import"},
       with(cuda, {"Q", "toml++"})},
      {"profiler/cupti",
       {"core", "profiler/cupti", "profiler/kernels", "profiler/profile", "profiler/classify"},
       {"Q", "sqlite3", "toml++", "cudnn"}},
      {"profiler/spool", {"core", "profiler/spool"}, with(cuda, {"Q", "sqlite3", "toml++"})},
      {"profiler/plugin",
       {"core", "profiler/spool", "profiler/plugin", "profiler/cupti/overhead_name.h"},
       {"Q", "sqlite3", "toml++", "nlohmann"}},
      {"profiler/launch",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "profiler/spool",
        "profiler/launch"},
       with(cuda, {"Q", "sqlite3"})},
      {"profiler/run",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "profiler/cupti",
        "profiler/run"},
       {"Q", "sqlite3", "toml++"}},
      {"advisor/errors", {"core", "advisor/errors"}, with(cuda, {"Q", "sqlite3"})},
      {"advisor/change",
       {"core", "profiler/kernels", "profiler/profile", "advisor/change"},
       with(cuda, {"Q"})},
      {"advisor/facts",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "advisor/change",
        "advisor/facts"},
       with(cuda, {"Q"})},
      {"advisor/rules",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "advisor/change",
        "advisor/facts", "advisor/rules"},
       with(cuda, {"Q"})},
      {"advisor/whatif",
       {"core", "profiler/kernels", "profiler/profile", "advisor/change", "advisor/facts",
        "advisor/rules", "advisor/whatif"},
       with(cuda, {"Q"})},
      {"advisor/judge",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "advisor/change",
        "advisor/facts", "advisor/rules", "advisor/whatif", "advisor/judge"},
       with(cuda, {"Q"})},
      {"advisor/validate",
       {"core", "profiler/kernels", "profiler/profile", "advisor/change", "advisor/facts",
        "advisor/rules", "advisor/whatif", "advisor/judge", "advisor/validate"},
       with(cuda, {"Q"})},
      {"advisor/report",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "advisor/errors",
        "advisor/change", "advisor/facts", "advisor/rules", "advisor/whatif", "advisor/judge",
        "advisor/report"},
       with(cuda, {"Q"})},
      {"advisor/compare",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "advisor/change",
        "advisor/facts", "advisor/rules", "advisor/judge", "advisor/report", "advisor/compare"},
       with(cuda, {"Q"})},
      {"advisor/reproduce",
       {"core", "profiler/profile", "advisor/facts", "advisor/report", "advisor/reproduce"},
       with(cuda, {"Q"})},
      {"advisor/fit",
       {"core", "profiler/profile", "profiler/classify", "profiler/run", "advisor/facts",
        "advisor/rules", "advisor/judge", "advisor/fit"},
       with(cuda, {"Q"})},
      {"advisor/calibrate",
       {"core", "profiler/profile", "profiler/run", "advisor/facts", "advisor/calibrate"},
       with(cuda, {"Q", "toml++"})},
      {"advisor/sweep",
       {"core", "profiler/profile", "profiler/merge", "profiler/run", "advisor/sweep"},
       with(cuda, {"Q"})},
      {"advisor/samples",
       {"core", "profiler/profile", "profiler/import", "advisor/sweep", "advisor/samples"},
       with(cuda, {"Q", "toml++"})},
      {"advisor/saved_models",
       {"core", "advisor/saved_models"},
       with(cuda, {"Q", "sqlite3", "toml++"})},
      {"advisor/cli", {"core", "profiler", "advisor"}, {"Q"}},
      {"gui",
       {"core/base", "core/config", "core/device", "core/model", "core/cudnn/run_result.h",
        "profiler/kernels", "profiler/profile", "profiler/classify", "profiler/import",
        "advisor/change", "advisor/facts", "advisor/rules", "advisor/whatif", "advisor/judge",
        "advisor/report", "advisor/compare", "advisor/samples", "advisor/sweep", "gui"},
       with(cuda, {"sqlite3"})},
      {"gui/models",
       {"core", "profiler/kernels", "profiler/profile", "profiler/classify", "profiler/import",
        "advisor", "gui/models", "gui/texts.h", "gui/theme.h"},
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

// A layer may include only what stands above it in the table, so that no two include each other.
TEST(Layering, NoLayerMayIncludeALaterOne) {
  std::set<std::string> before = {"core", "profiler", "advisor"};
  for (const auto& layer : layers()) {
    before.insert(layer.folder);
    for (const auto& folder : layer.may_include) {
      const bool file = folder.find('.') != std::string::npos;
      EXPECT_TRUE(before.count(file ? folder.substr(0, folder.rfind('/')) : folder) > 0)
          << layer.folder << " may include " << folder;
    }
  }
}

// A unit is a source file with its header. Those that reach themselves by includes.
std::vector<std::string> units_in_circles(const fs::path& root, const std::string& folder) {
  const auto without_ending = [](std::string path) { return path.substr(0, path.rfind('.')); };
  std::map<std::string, std::set<std::string>> includes;
  for (const auto& entry : fs::directory_iterator(root / folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    const auto unit = without_ending(entry.path().lexically_relative(root).string());
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (line.rfind("#include \"" + folder + "/", 0) == 0)
        includes[unit].insert(without_ending(line.substr(10)));
    includes[unit].erase(unit);
  }
  std::vector<std::string> found;
  for (const auto& [unit, direct] : includes) {
    std::vector<std::string> open(direct.begin(), direct.end());
    std::set<std::string> reached(direct.begin(), direct.end());
    while (!open.empty()) {
      const auto next = open.back();
      open.pop_back();
      for (const auto& more : includes[next])
        if (reached.insert(more).second) open.push_back(more);
    }
    if (reached.count(unit) > 0) found.push_back(unit);
  }
  return found;
}

TEST(Layering, NoUnitReachesItself) {
  for (const char* folder :
       {"profiler/plugin", "advisor/change", "advisor/judge", "advisor/rules", "advisor/whatif",
        "advisor/report", "advisor/compare", "advisor/fit", "advisor/sweep", "advisor/cli"})
    EXPECT_EQ(units_in_circles(RNNADVISOR_SOURCE_DIR, folder), Words{}) << folder;
}

TEST(Layering, ACircleOfUnitsIsFound) {
  const rnnadvisor::TemporaryFolder folder;
  fs::create_directories(folder.path() / "core/model");
  std::ofstream(folder.path() / "core/model/a.h") << "#include \"core/model/b.h\"\n";
  std::ofstream(folder.path() / "core/model/b.cpp")
      << "#include \"core/model/b.h\"\n#include \"core/model/a.h\"\n";
  std::ofstream(folder.path() / "core/model/c.cpp") << "#include \"core/model/b.h\"\n";
  EXPECT_EQ(units_in_circles(folder.path(), "core/model"), (Words{"core/model/a", "core/model/b"}));
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
