// What is handed to the interpreter: the scripts of the source tree, whole; and that they run so,
// where there is a python3 (without PyTorch: only the code is asked for).
#include "advisor/whatif/torch/torch_program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path scripts = fs::path(RNNADVISOR_SOURCE_DIR) / "advisor/whatif/torch";

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(TorchProgram, BootstrapIsOneShortArgument) {
  EXPECT_EQ(torch_bootstrap(), text_of(scripts / "bootstrap.py"));
  EXPECT_GT(torch_bootstrap().size(), 500U);
  EXPECT_LT(torch_bootstrap().size(), 32768U);  // MAX_ARG_STRLEN is 128 KiB
}

TEST(TorchProgram, InputHasEveryScriptThenTheRequest) {
  const auto input = torch_input("{\"a\":\n1}");
  const auto end = input.find('\n');
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(input.substr(end + 1), "{\"a\":\n1}");
  const auto files = Json::parse(input.substr(0, end));
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(scripts / "rnnadvisor_torch")) {
    const auto extension = entry.path().extension();
    if (extension != ".py" && extension != ".txt") continue;
    ++count;
    const auto name = fs::relative(entry.path(), scripts).generic_string();
    ASSERT_TRUE(files.contains(name)) << name << ": configure again";
    EXPECT_EQ(files[name].get<std::string>(), text_of(entry.path())) << name;
  }
  EXPECT_EQ(files.size(), count);
  EXPECT_GT(count, 20U);
}

TEST(TorchProgram, RunsFromStdin) {
  if (std::system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null") != 0)
    GTEST_SKIP() << "no python3 of 3.8 or later";
  const TemporaryFolder folder;
  const fs::path base = folder.path();
  const auto run = [&](std::string_view request) {
    write(base / "bootstrap", torch_bootstrap());
    write(base / "input", torch_input(request));
    const auto command = "python3 -c \"$(cat '" + (base / "bootstrap").string() + "')\" <'" +
                         (base / "input").string() + "' >'" + (base / "output").string() + "'";
    const int status = std::system(command.c_str());
    std::vector<Json> lines;
    std::ifstream stream(base / "output");
    for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
    return std::pair(WEXITSTATUS(status), lines);
  };
  const Json request = {
      {"protocol", torch_protocol},
      {"call", {{"num_layers", 2}}},
      {"measure", false},
      {"candidates", Json::array({{{"id", "split"},
                                   {"transforms", Json::array({{{"kind", "split_layers"}}})}}})}};
  const auto [status, lines] = run(request.dump());
  EXPECT_EQ(status, 0);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].at("status"), "emitted");
  EXPECT_EQ(lines[0].at("emitted").at("class"), "SplitLayersLSTM");
  EXPECT_EQ(lines[1].at("type"), "done");

  const auto [wrong_status, wrong] = run("{\"protocol\": 99}");
  EXPECT_EQ(wrong_status, 2);
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0].at("where"), "protocol");
}

}  // namespace
}  // namespace rnnadvisor::advisor
