// What README and guide show is what the program does: the first result, the example file, and the
// numbers they quote from measurements.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "core/base/text.h"
#include "core/device/device_spec.h"
#include "core/model/time_for_device.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::HasSubstr;

const std::string readme_file = RNNADVISOR_SOURCE_DIR "/README.md";
const std::string guide_file = RNNADVISOR_SOURCE_DIR "/docs/guide.md";

// The text between `from` and `to`, the first after `heading`.
std::string section(const std::string& text, std::string_view heading, std::string_view from,
                    std::string_view to) {
  const auto start = text.find(from, text.find(heading));
  if (start == std::string::npos) return {};
  const auto begin = start + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

std::string without_time(const std::string& text) {
  return std::regex_replace(text, std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"), "TIME");
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

TEST(Guide, TheFirstResultIsWhatTheProgramPrints) {
  const std::string guide = read_text(guide_file);
  const std::string block = section(guide, "## A first result", "```\n$ rnnadvisor ", "```");
  ASSERT_FALSE(block.empty());
  const auto line_end = block.find('\n');
  // With the times that travel in the program, as the program has them.
  FakeMachine machine;
  auto services = machine.services();
  services.predict_for = model::predict_time_for;
  const auto called = call(words_of(block.substr(0, line_end)), services);
  EXPECT_EQ(called.status, 0) << called.err;
  const std::string shown = block.substr(line_end + 1);
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr) {
    std::string updated = guide;
    updated.replace(updated.find(shown), shown.size(), called.out);
    write_text_file(guide_file, updated);
    return;
  }
  EXPECT_EQ(without_time(shown), without_time(called.out))
      << "If the change is wanted: RNNADVISOR_UPDATE_GOLDEN=1";
}

TEST(Guide, TheExampleFileIsRead) {
  TemporaryFolder folder;
  const auto file = folder / "network.toml";
  write_text_file(file, section(read_text(guide_file), "## How to", "```toml\n", "```"));
  const auto called =
      call({"check", file, "--device", "a100", "--fail-on", "never", "--format", "json"});
  ASSERT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.out, HasSubstr("\"encoder\""));
}

// Nothing in it is ignored, and the first advice is none that measurements refuted anywhere.
TEST(Guide, TheExampleFileIsAGoodExample) {
  TemporaryFolder folder;
  const auto file = folder / "network.toml";
  write_text_file(file, section(read_text(guide_file), "## How to", "```toml\n", "```"));
  FakeMachine machine;
  auto services = machine.services();
  services.predict_for = model::predict_time_for;
  for (const char* device : {"a100", "h200"}) {
    const auto called = call(
        {"check", file, "--device", device, "--fail-on", "never", "--format", "json"}, services);
    ASSERT_EQ(called.status, 0) << called.err;
    const auto findings = nlohmann::json::parse(called.out).at("findings");
    ASSERT_FALSE(findings.empty()) << device;
    for (const auto& finding : findings) EXPECT_NE(finding.at("rule"), "descriptor/ignored-keys");
    EXPECT_EQ(findings.front().at("message").get<std::string>().find("refuted"), std::string::npos)
        << device << findings.front().dump(2);
    EXPECT_THAT(findings.front().at("suggestions").front().at("text").get<std::string>(),
                HasSubstr("rnnadvisor accelerate"))
        << device;
  }
}

// The table of what a choice matters, from the rows that are named below it.
TEST(Guide, TheTableIsInTheMeasurements) {
  std::map<std::string, double> step_ms;  // by id and algorithm
  std::istringstream lines(
      read_text(RNNADVISOR_SOURCE_DIR "/tests/data/h200/guide-figures-9-10.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line);
    if (!row.contains("ms") || !row.contains("id")) continue;
    const auto& ms = row["ms"];
    step_ms[row["id"].get<std::string>() + "/" + row["algo"].get<std::string>()] =
        ms["forward_training"].get<double>() + ms["backward_data"].get<double>() +
        ms["backward_weights"].get<double>();
  }
  const std::string guide = read_text(guide_file);
  const std::string table = section(guide, "| configuration |", "| --- |", "\n\n");
  std::vector<double> shown;
  const std::regex cell("\\| \\*{0,2}([0-9.]+) ms");
  for (auto i = std::sregex_iterator(table.begin(), table.end(), cell); i != std::sregex_iterator();
       ++i)
    shown.push_back(std::stod((*i)[1]));
  ASSERT_EQ(shown.size(), 6U) << table;
  std::size_t at = 0;
  for (const char* id : {"D10_B64", "D10_B256", "Dprec_d0m0_H1024"}) {
    EXPECT_THAT(guide, HasSubstr("`" + std::string(id) + "`"));
    for (const char* algo : {"standard", "persist_static"}) {
      const double ms = step_ms.at(std::string(id) + "/" + algo);
      EXPECT_EQ(fmt::format("{:g} ms", shown[at++]), format_milliseconds(ms)) << id << " " << algo;
    }
  }
}

TEST(Readme, TheNumberOfDevicesIsTheirNumber) {
  EXPECT_THAT(read_text(readme_file),
              HasSubstr(fmt::format("`--device` knows {} GPUs", shipped_devices().size())));
}

}  // namespace
}  // namespace rnnadvisor::cli
