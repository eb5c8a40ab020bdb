// Texts of others: names that would drive a terminal, secrets in command lines, and what our own
// messages tell people to type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "advisor/cli/command_line.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/json_schema.h"
#include "tests/profiler/spool/sample_spools.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

// A title, a cleared screen, a bell, a colour, a cursor that moves, C1 in UTF-8.
const std::string harm =
    "\x1b]0;owned\x07\x1b[2J\x1b[8m\x1b[3A\xc2\x9b"
    "31mname\x7f\r";

// Bytes that drive a terminal; our own colours do not count.
std::string driving(const std::string& text, bool styled) {
  static const std::regex ours("\r\x1b\\[K|\x1b\\[[0-9;]*m");
  const std::string rest = styled ? std::regex_replace(text, ours, "") : text;
  std::string found;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto byte = static_cast<unsigned char>(rest[i]);
    const bool line_end = byte == '\r' && i + 1 < rest.size() && rest[i + 1] == '\n';  // of CSV
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t' && !line_end) || byte == 0x7F;
    const bool c1 =
        byte == 0xC2 && i + 1 < rest.size() && static_cast<unsigned char>(rest[i + 1]) < 0xA0;
    if (control || c1) found += rest.substr(i > 10 ? i - 10 : 0, 20) + " | ";
  }
  return found;
}

class Terminals : public ::testing::TestWithParam<bool> {};

TEST_P(Terminals, NoNameDrivesThem) {
  const bool styled = GetParam();
  TemporaryFolder folder;
  ProfileBuilder builder;
  RnnConfig config;
  config.id = harm;
  const Profile made = fake_result({config, {}, {}});
  const auto profile = folder / "x.rnnprof";
  Profile named = made;
  for (auto& text : named.strings) text = harm + text;
  named.notes.push_back({NoteSeverity::warning, harm, harm, 1});
  named.environment.command_line = harm;
  ASSERT_TRUE(write_profile(named, profile));
  const auto lines = folder / "x.jsonl";
  write_text_file(
      lines,
      nlohmann::json{{"id", harm}, {"hidden_size", 1000}, {"framework", {{"activation", harm}}}}
              .dump() +
          "\n");
  const auto toml = folder / "x.toml";
  write_text_file(toml, "id = \"\\u001b]0;x\\u0007\"\n[[sweep]]\ngrid = { hidden_size = [64] }\n");
  const auto bad = folder / ("bad\x1b[2J.toml");
  write_text_file(bad, "hidden_siz\x1b[2Je = 3\n");
  FakeMachine machine;
  Terminal terminal;
  terminal.output_is_terminal = terminal.error_is_terminal = styled;
  for (const Words& command : std::vector<Words>{
           {"check", lines, "--device", "a100"},
           {"check", lines, "--device", "a100", "-f", "markdown"},
           {"check", lines, "--device", "a100", "-f", "csv"},
           {"check", lines, "--device", "a100", "-f", "junit"},
           {"check", lines, "--device", "a100", "--json"},
           {"check", "--batch", lines, "--device", "a100"},
           {"fit", lines, "--device", "a100"},
           {"fit", profile},
           {"map", lines, "--device", "a100"},
           {"report", profile},
           {"report", profile, "-f", "sarif"},
           {"advise", profile, "--verify", "--dry-run"},
           {"advise", profile, "--verify", "--dry-run", "--json"},
           {"export", profile, "-f", "kernels-csv"},
           {"export", profile, "-f", "calls-csv"},
           {"export", profile, "-f", "perfetto"},
           {"sweep", toml, "--dry-run", "-o", folder / "s.rnnprof"},
           {"sweep", toml, "--list"},
           {"run", lines, "-o", folder / ("r" + std::to_string(styled) + ".rnnprof")},
           {"check", bad},
           {"check", "--" + harm},
           {"check", "--algo", harm},
           {harm},
           {"report", folder / harm},
           {"report", "sample:" + harm},
           {"collect", folder / harm},
           {"rules", "explain", harm},
           {"check", "--fail-on", harm},
           {"check", lines, "--device", harm}}) {
    const auto called = call(command, machine.services(), terminal);
    EXPECT_EQ(driving(called.out, styled), "") << command[0] << " " << command.back();
    EXPECT_EQ(driving(called.err, styled), "") << command[0] << " " << command.back();
    EXPECT_THAT(called.out, Not(HasSubstr("\x1b[8m"))) << command[0];
  }
}
TEST(CsvOutput, LinesOfCsvEndAsRfc4180Says) {
  const auto called = call({"export", "sample:gnmt", "-f", "kernels-csv"});
  const auto end = called.out.find('\n');
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(called.out[end - 1], '\r');
  EXPECT_EQ(called.out.find("\xEF\xBF\xBD"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Terminal, Terminals, ::testing::Bool());

class Recorded : public ::testing::Test {
 protected:
  Recorded() {
    services_ = machine_.services();
    services_.find_plugin = [] { return std::string(RNNADVISOR_FAKE_PLUGIN); };
  }
  TemporaryFolder folder_;
  const std::string output_ = folder_ / "x.rnnprof";
  FakeMachine machine_;
  Services services_;
};

TEST_F(Recorded, SecretsOfCommandLinesAreInNoFile) {
  const std::string secret = "kZx81mQpW0aTfL5dK3vNeY";
  const auto called = call(
      {"profile", "-o", output_, "--env", "FAKE_PLUGIN_QUIET=1", "--env", "WANDB_API_KEY=" + secret,
       "sh", "-c", "true", "--password", secret, "--hub-token=" + secret, "hf_" + secret},
      services_);
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(read_text(output_), Not(HasSubstr(secret)));
  const auto read = read_profile(output_);
  ASSERT_TRUE(read && !read->processes.empty());
  EXPECT_THAT(read->processes.front().command_line, HasSubstr("--password REDACTED"));
  EXPECT_THAT(read->environment.command_line, HasSubstr("WANDB_API_KEY=REDACTED"));
  for (const char* format : {"text", "html", "json", "markdown", "sarif"}) {
    EXPECT_THAT(call({"report", output_, "-f", format, "--verbose"}, services_).out,
                Not(HasSubstr(secret)))
        << format;
  }
  EXPECT_EQ(fs::status(output_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Recorded, CommandLinesCanBeLeftOut) {
  ASSERT_EQ(
      call({"profile", "-o", output_, "--no-command-line", "sh", "-c", "true # marked"}, services_)
          .status,
      0);
  EXPECT_THAT(read_text(output_), Not(HasSubstr("marked")));
  const auto read = read_profile(output_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->environment.command_line, "");
  for (const auto& process : read->processes) EXPECT_EQ(process.command_line, "");
}

TEST_F(Recorded, AFolderWithoutARecordingIsNoProfile) {
  fs::create_directory(folder_ / "empty");
  fs::create_directory(folder_ / "garbage");
  write_text_file(folder_ / "garbage/1.rnnspool", "hello");
  for (const char* name : {"empty", "garbage"}) {
    const auto called = call({"collect", folder_ / name, "-o", output_}, services_);
    EXPECT_EQ(called.status, 2) << called.err;
    EXPECT_THAT(called.err, HasSubstr(name));
    EXPECT_FALSE(fs::exists(output_));
  }
}

TEST(Cards, ACopyOfAShippedOneIsAnErrorOrTakesItsPlace) {
  TemporaryFolder folder;
  fs::create_directories(folder / "persistence");
  fs::copy_file(RNNADVISOR_SOURCE_DIR "/rules/persistence/tensor-core-math.toml",
                folder / "persistence/tensor-core-math.toml");
  Words command = {"check", "--hidden-size", "1024",           "--num-layers",
                   "4",     "--algo",        "persist_static", "--device",
                   "h200",  "--rules",       folder / "",      "--json"};
  const auto doubled = call(command);
  EXPECT_EQ(doubled.status, 2);
  EXPECT_THAT(doubled.err, HasSubstr("persistence/tensor-core-math"));
  EXPECT_THAT(doubled.err, HasSubstr("--ignore"));
  command.insert(command.end(), {"--ignore", "persistence/tensor-core-math"});
  const auto replaced = call(command);
  EXPECT_EQ(replaced.status, 0) << replaced.err;
  EXPECT_THAT(replaced.out, HasSubstr("\"user/persistence/tensor-core-math\""));
}

TEST(DryRun, IsJsonWhereThatIsAsked) {
  for (const char* sample :
       {"sample:gnmt", "sample:programs/pytorch-gru", "sample:planted-failures"}) {
    const auto called = call({"advise", sample, "--verify", "--dry-run", "--json"});
    EXPECT_EQ(called.status, 0) << called.err;
    const auto document = nlohmann::json::parse(called.out, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << sample;
    EXPECT_EQ(violations("docs/schema/candidates.schema.json", document), "") << sample;
  }
  EXPECT_EQ(call({"advise", "sample:gnmt", "--verify", "--dry-run", "-f", "html:x"}).status, 2);
}

// "`rnnadvisor run -o FILE`" in messages, remedies, rule cards and documents.
TEST(Remedies, NameCommandsAndOptionsThatThereAre) {
  FakeMachine machine;
  const auto services = machine.services();
  std::ostringstream nowhere;
  const Terminal terminal;
  Context context{.out = nowhere, .err = nowhere, .terminal = terminal, .services = services};
  const auto app = make_application(context);
  static const std::regex phrase("`rnnadvisor ([^`]*)`"), joined("\"\\s*\n\\s*\"|\n//|\n#"),
      escaped("\\\\`");
  int seen = 0;
  for (const char* place : {"advisor", "core", "profiler", "gui", "rules", "docs", "README.md",
                            "samples", "CHANGELOG.md"}) {
    const fs::path top = fs::path(RNNADVISOR_SOURCE_DIR) / place;
    std::vector<fs::path> files;
    if (fs::is_regular_file(top)) {
      files.push_back(top);
    } else {
      for (const auto& entry : fs::recursive_directory_iterator(top)) files.push_back(entry.path());
    }
    for (const auto& file : files) {
      const auto ending = file.extension();
      if (ending != ".cpp" && ending != ".h" && ending != ".toml" && ending != ".md") continue;
      const auto whole = read_text(file);
      if (whole.find("`rnnadvisor") == std::string::npos) continue;
      const auto text = std::regex_replace(std::regex_replace(whole, joined, ""), escaped, "`");
      for (std::sregex_iterator it(text.begin(), text.end(), phrase), end; it != end; ++it) {
        std::istringstream words((*it)[1]);
        const CLI::App* command = app.get();
        bool named = false;
        for (std::string word; words >> word;) {
          if (word == "--" || word == "|" || word.find("{}") != std::string::npos) break;
          if (word.starts_with("-")) {
            const auto name = word.substr(0, word.find_first_of("=,"));
            const CLI::Option* option = nullptr;
            for (auto* level = command; level != nullptr && option == nullptr;
                 level = level->get_parent())
              option = level->get_option_no_throw(name);
            EXPECT_TRUE(option != nullptr) << file << ": " << it->str() << ": no option " << name;
            const bool has_value = option != nullptr && option->get_items_expected_max() > 0;
            if (has_value && word.find('=') == std::string::npos) words >> word;
            continue;
          }
          const CLI::App* below = nullptr;
          for (const auto* each : command->get_subcommands([](const CLI::App*) { return true; }))
            if (each->get_name() == word) below = each;
          if (below != nullptr && !named) {
            command = below;
          } else {
            named = true;
            if (command->get_name() == "profile") break;  // the program's own words
            const bool word_of_a_command =
                command == app.get() && std::regex_match(word, std::regex("[a-z]+"));
            EXPECT_FALSE(word_of_a_command) << file << ": " << it->str() << ": no command " << word;
          }
        }
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace rnnadvisor::cli
