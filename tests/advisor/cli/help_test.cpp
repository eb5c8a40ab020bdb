// Help, man page and completion: golden texts, and real programs reading what we print.
#include "advisor/cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <regex>
#include <sstream>

#include "advisor/cli/command_line.h"
#include "tests/advisor/cli/golden.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

bool have(const std::string& program) { return shell("command -v " + program).status == 0; }

TEST(Help, IsAsReviewed) {
  expect_golden("help.txt", call({"--help"}).out);
  for (const char* command :
       {"check", "run", "sweep", "import", "merge", "advise", "report", "samples", "doctor",
        "completion", "profile", "accelerate", "try", "collect", "env", "fit", "map", "serve"}) {
    expect_golden(std::string("help-") + command + ".txt", call({command, "--help"}).out);
  }
}

TEST(Help, FitsTheTerminalAndEndsWithExamples) {
  FakeMachine machine;
  for (const int width : {60, 80, 100}) {
    Terminal terminal;
    terminal.width = width;
    const auto text = call({"check", "--help"}, machine.services(), terminal).out;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      // Examples and option names are never broken.
      if (line.find("--") == std::string::npos && line.find(' ', 30) != std::string::npos) {
        EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
      }
    }
    EXPECT_THAT(text, HasSubstr("Examples:"));
  }
}

TEST(Help, AllListsTheFrameworkKeys) {
  EXPECT_THAT(call({"check", "--help"}).out, Not(HasSubstr("--framework.recurrent-dropout")));
  EXPECT_THAT(call({"check", "--help-all"}).out, HasSubstr("--framework.recurrent-dropout"));
}

TEST(Help, OfACommandIsTheSameWhereTheCommandIsAlone) {
  FakeMachine machine;
  const Terminal terminal;
  std::ostringstream out;
  const Services services = machine.services();
  Context context{.out = out, .err = out, .terminal = terminal, .services = services};
  const auto every = [](const CLI::App*) { return true; };
  const auto all = make_application(context);
  for (const CLI::App* command : all->get_subcommands(every)) {
    SCOPED_TRACE(command->get_name());
    const auto application = make_application(context, command->get_name());
    // The man page is about all of them.
    EXPECT_EQ(application->get_subcommands(every).size(),
              command->get_name() == "man" ? all->get_subcommands(every).size() : 1);
    EXPECT_EQ(help_text(*application->get_subcommand(command->get_name()), 100, true),
              help_text(*command, 100, true));
  }
}

TEST(Help, HiddenCommandsAreNotListed) {
  EXPECT_THAT(call({"--help"}).out, Not(HasSubstr("worker")));
}

TEST(Wrap, KeepsExamplesAndBreaksProse) {
  EXPECT_EQ(wrap("one two three", 20, 0), "one two three\n");
  EXPECT_EQ(wrap("aaaaaaaaaaaa bbbbbbbbbbbb", 20, 2), "  aaaaaaaaaaaa\n  bbbbbbbbbbbb\n");
  EXPECT_EQ(wrap("  an example stays as it is however long", 20, 0),
            "  an example stays as it is however long\n");
}

// From the line `heading` of the page to the next heading; empty where there is none.
std::string section(const std::string& page, const std::string& heading) {
  const auto begin = page.find(heading + "\n");
  if (begin == std::string::npos) return {};
  return page.substr(begin, page.find("\n.S", begin) - begin);
}

// Commands, options and arguments, as each help lists them: in the part of its command, or where
// the manual has what is the same for all.
TEST(Man, HasWhatEveryHelpHas) {
  const auto called = call({"man"});
  ASSERT_EQ(called.status, 0);
  const auto page = std::regex_replace(called.out, std::regex(R"(\\-)"), "-");
  const auto common = section(page, ".Sh DESCRIPTION") + section(page, ".Sh CONFIGURATION KEYS");
  static const std::regex entry("(^|\n)  (-[^ \n]*( [^ \n]+)*)"),
      argument("(^|\n)  ([A-Z][^ \n]*)  ");
  int commands = 0, options = 0;
  const std::function<void(const std::vector<std::string>&)> look = [&](const auto& command) {
    std::string name;
    for (const auto& word : command) name += (name.empty() ? "" : " ") + word;
    auto words = command;
    words.emplace_back("--help-all");
    const auto help = call(words).out;
    const auto part = command.empty() ? std::string() : section(page, ".Ss " + name);
    EXPECT_TRUE(command.empty() || !part.empty()) << name;
    const auto expect_all = [&](const std::regex& listed) {
      for (std::sregex_iterator it(help.begin(), help.end(), listed), end; it != end; ++it) {
        EXPECT_THAT(part + common, HasSubstr(".It \"" + (*it)[2].str() + "\"\n")) << name;
        ++options;
      }
    };
    expect_all(entry);
    expect_all(argument);
    ++commands;
    const auto list = help.find("\nCommands:\n");
    if (list == std::string::npos) return;
    std::istringstream lines(help.substr(list + 11));
    for (std::string line; std::getline(lines, line) && !line.empty();) {
      if (line.starts_with("   ")) continue;  // the rest of a description
      auto longer = command;
      longer.push_back(line.substr(2, line.find(' ', 2) - 2));
      look(longer);
    }
  };
  look({});
  EXPECT_GT(commands, 25);
  EXPECT_GT(options, 400);
}

TEST(Man, MandocFindsNothingWrong) {
  if (!have("mandoc")) GTEST_SKIP() << "mandoc is not installed";
  TemporaryFolder folder;
  write_text_file(folder / "rnnadvisor.1", call({"man"}).out);
  const auto lint = shell("mandoc -Tlint -Wwarning " + (folder / "rnnadvisor.1"));
  EXPECT_EQ(lint.status, 0) << lint.out;
  EXPECT_THAT(shell("mandoc -Tutf8 " + (folder / "rnnadvisor.1") + " | col -b").out,
              HasSubstr("--fail-on"));
}

using Words = std::vector<std::string>;

// The words that the program offers a shell, without their descriptions.
Words offers(Words words) {
  words.insert(words.begin(), "__complete");
  const auto called = call(words);
  EXPECT_EQ(called.status, 0);
  Words offered;
  std::istringstream lines(called.out);
  for (std::string line; std::getline(lines, line);)
    offered.push_back(line.substr(0, line.find('\t')));
  return offered;
}

TEST(Completion, OffersWhatMayFollow) {
  EXPECT_THAT(offers({""}), AllOf(IsSupersetOf({"check", "doctor"}), Not(Contains("worker"))));
  EXPECT_THAT(offers({"rules", "ex"}), Contains("explain"));
  EXPECT_THAT(offers({"check", "--"}),
              IsSupersetOf({"-h", "--hidden-size", "--quiet", "--progress"}));
  EXPECT_EQ(offers({"check", "--cell", ""}), (Words{"rnn_relu", "rnn_tanh", "lstm", "gru"}));
  EXPECT_THAT(offers({"check", "--cell=l"}), Contains("--cell=lstm"));
  EXPECT_THAT(offers({"check", "--hidden-size", ""}), IsEmpty());
  EXPECT_THAT(offers({"check", "--unknown=x"}), IsEmpty());
  EXPECT_EQ(offers({"check", "-o", "check", "x"}), Words{"@file"}) << "a value is no command";
  EXPECT_EQ(offers({"rules", "check", "x"}), Words{"@directory"});
  EXPECT_THAT(offers({"rules", "explain", ""}), Contains("persistence/tensor-core-math"));
  EXPECT_EQ(offers({"profile", "--", "python3", "--x"}), Words{"@file"}) << "another program's";
  EXPECT_THAT(offers({"profile", "--"}), Contains("--output"));
  EXPECT_THAT(offers({}), IsEmpty());
}

TEST(Completion, OffersAreLinesWithDescriptions) {
  EXPECT_THAT(call({"__complete", "sw"}).out, HasSubstr("sweep\t"));
  EXPECT_THAT(call({"__complete", "check", "-"}).out, HasSubstr("--quiet\tno remarks"));
}

// Asks the bash function what it offers for a line, as the shell does when Tab is pressed.
std::vector<std::string> complete(const std::string& script,
                                  const std::vector<std::string>& words) {
  std::string command = "cd / && source " + script + " && COMP_WORDS=(";
  command += "'" RNNADVISOR_PROGRAM "' ";
  for (std::size_t i = 1; i < words.size(); ++i) command += "'" + words[i] + "' ";
  command += ") COMP_CWORD=" + std::to_string(words.size() - 1) +
             " && _rnnadvisor && printf '%s\\n' \"${COMPREPLY[@]}\"";
  TemporaryFolder folder;
  write_text_file(folder / "ask.sh", command);
  const auto result = shell("bash --norc " + (folder / "ask.sh"));
  EXPECT_EQ(result.status, 0) << result.out;
  std::vector<std::string> offered;
  std::istringstream stream(result.out);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) offered.push_back(line);
  }
  std::sort(offered.begin(), offered.end());
  return offered;
}

class BashCompletion : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have("bash")) GTEST_SKIP() << "bash is not installed";
    const auto called = call({"completion", "bash"});
    ASSERT_EQ(called.status, 0);
    write_text_file(script_, called.out);
  }
  std::vector<std::string> offer(const std::vector<std::string>& words) {
    return complete(script_, words);
  }
  TemporaryFolder folder_;
  std::string script_ = folder_ / "rnnadvisor.bash";
};

TEST_F(BashCompletion, OffersCommandsOptionsAndWords) {
  EXPECT_THAT(offer({"rnnadvisor", ""}), IsSupersetOf({"check", "run", "sweep", "doctor"}));
  EXPECT_EQ(offer({"rnnadvisor", "sw"}), Words{"sweep"});
  EXPECT_EQ(offer({"rnnadvisor", "check", "--hidden"}), Words{"--hidden-size"});
  EXPECT_EQ(offer({"rnnadvisor", "check", "--cell", "l"}), Words{"lstm"});
  EXPECT_EQ(offer({"rnnadvisor", "check", "--cell", "=", "l"}), Words{"lstm"});
  EXPECT_EQ(offer({"rnnadvisor", "check", "--cell", "="}),
            (Words{"gru", "lstm", "rnn_relu", "rnn_tanh"}));
  EXPECT_EQ(offer({"rnnadvisor", "check", "--device", "nvidia-h2"}), Words{"nvidia-h200"});
  EXPECT_EQ(offer({"rnnadvisor", "--quiet", "samples", "l"}), Words{"list"});
  EXPECT_THAT(offer({"rnnadvisor", "samples", "show", "gui"}), IsSupersetOf({"guide-figure-10"}));
  EXPECT_THAT(offer({"rnnadvisor", "check", "--hidden-size", ""}), ::testing::IsEmpty());
  EXPECT_THAT(offer({"rnnadvisor", "report", "/us"}), ::testing::Contains("/usr"));
  EXPECT_EQ(offer({"rnnadvisor", "report", "-f", "sa"}), Words{"sarif"});
  EXPECT_THAT(offer({"rnnadvisor", "report", "--q"}), ::testing::ElementsAre("--quiet"));
}

class CompletionScript : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shells, CompletionScript, ::testing::Values("bash", "zsh", "fish"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(CompletionScript, TheShellParsesTheScript) {
  const std::string name = GetParam();
  if (!have(name)) GTEST_SKIP() << name << " is not installed: its script was NOT parsed";
  TemporaryFolder folder;
  const auto called = call({"completion", name});
  EXPECT_EQ(called.status, 0);
  EXPECT_THAT(called.out, HasSubstr("__complete"));
  write_text_file(folder / name, called.out);
  const auto checked = shell(name + " -n " + (folder / name));
  EXPECT_EQ(checked.status, 0) << checked.out;
  EXPECT_EQ(checked.out, "");
}

TEST(Completion, ThereIsNoneForOtherShells) { EXPECT_EQ(call({"completion", "tcsh"}).status, 2); }

// What fish offers when Tab is pressed behind `line`.
TEST(Completion, FishOffersCommandsOptionsAndWords) {
  if (!have("fish")) GTEST_SKIP() << "fish is not installed: its completion was NOT tried";
  TemporaryFolder folder;
  write_text_file(folder / "rnnadvisor.fish", call({"completion", "fish"}).out);
  const auto offer = [&](const std::string& line) {
    // A folder without files, which fish would offer too; its own settings stay out of it.
    const auto result =
        shell("mkdir -p " + (folder / "none") + " && cd " + (folder / "none") +
              " && HOME=$PWD PATH=$(dirname " RNNADVISOR_PROGRAM
              "):$PATH fish --no-config -c 'source ../rnnadvisor.fish; complete -C \"" +
              line + "\"' | cut -f1");
    EXPECT_EQ(result.status, 0) << result.out;
    std::vector<std::string> words;
    std::istringstream stream(result.out);
    for (std::string word; std::getline(stream, word);) words.push_back(word);
    return words;
  };
  EXPECT_THAT(offer("rnnadvisor "), IsSupersetOf({"check", "run", "sweep", "doctor"}));
  EXPECT_EQ(offer("rnnadvisor sw"), Words{"sweep"});
  EXPECT_EQ(offer("rnnadvisor check --hidden"), Words{"--hidden-size"});
  EXPECT_EQ(offer("rnnadvisor check --cell l"), Words{"lstm"});
  EXPECT_EQ(offer("rnnadvisor rules exp"), Words{"explain"});
  EXPECT_THAT(offer("rnnadvisor samples show gui"), IsSupersetOf({"guide-figure-10"}));
  EXPECT_EQ(offer("rnnadvisor check --cell=l"), Words{"--cell=lstm"});
  EXPECT_EQ(offer("rnnadvisor report /us"), Words{"/usr/"});
  EXPECT_EQ(offer("rnnadvisor check --rules=/us"), Words{"--rules=/usr/"});
}

// The completion system works in an editor of lines only: its functions that the script calls are
// replaced by some that print.
TEST(Completion, ZshOffersCommandsOptionsAndWords) {
  if (!have("zsh")) GTEST_SKIP() << "zsh is not installed: its completion was NOT tried";
  TemporaryFolder folder;
  write_text_file(folder / "_rnnadvisor", call({"completion", "zsh"}).out);
  const auto offer = [&](const std::string& words) {
    write_text_file(folder / "ask.zsh",
                    "compdef() {}; compset() { print compset $2 }; _files() { print files $* }\n"
                    "_describe() { print -l -- ${(P)2} }\nsource " +
                        (folder / "_rnnadvisor") + "\nwords=(" RNNADVISOR_PROGRAM " " + words +
                        ")\nCURRENT=$#words\n_rnnadvisor\n");
    return shell("zsh -f " + (folder / "ask.zsh")).out;
  };
  EXPECT_THAT(offer("''"), HasSubstr("check:Judge"));
  EXPECT_THAT(offer("check --hidden"), HasSubstr("\n--hidden-size:"));
  EXPECT_EQ(offer("check --cell l"), "rnn_relu\nrnn_tanh\nlstm\ngru\n");
  EXPECT_EQ(offer("report ''"), "compset --*=\nfiles\n");
  EXPECT_EQ(offer("rules check ''"), "compset --*=\nfiles -/\n");
  EXPECT_EQ(offer("check --hidden-size ''"), "");
}

// `source <(rnnadvisor completion zsh)` registers the function; only the completion system may call
// it.
TEST(Completion, ZshCanSourceTheScript) {
  if (!have("zsh")) GTEST_SKIP() << "zsh is not installed: its completion was NOT tried";
  TemporaryFolder folder;
  write_text_file(folder / "_rnnadvisor", call({"completion", "zsh"}).out);
  const auto start = "autoload -Uz compinit; compinit -u -d " + (folder / "dump") + "; ";
  const auto sourced = shell("HOME=" + (folder / "") + " zsh -f -c '" + start + "source " +
                             (folder / "_rnnadvisor") + "; print $_comps[rnnadvisor]'");
  EXPECT_EQ(sourced.status, 0);
  EXPECT_EQ(sourced.out, "_rnnadvisor\n");
  // And found in a folder of $fpath, as packages install it.
  const auto installed = shell("HOME=" + (folder / "") + " zsh -f -c 'fpath=(" + (folder / "") +
                               " $fpath); " + start + "print $_comps[rnnadvisor]'");
  EXPECT_EQ(installed.out, "_rnnadvisor\n");
}

}  // namespace
}  // namespace rnnadvisor::cli
