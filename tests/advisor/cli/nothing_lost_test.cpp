// Every way out of the real program, on disks that are full, streams that are closed, and killed at
// any moment: the exit status says so, and what was there before is whole.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "advisor/cli/command_line.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/cli/processes.h"
#include "tests/effort.h"
#include "tests/profiler/launch/sample_choices.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

// Programs that are recorded load a plugin that needs no GPU.
void be_quiet() {
  setenv("RNNADVISOR_PLUGIN", RNNADVISOR_FAKE_PLUGIN, 1);
  setenv("RNNADVISOR_STUB_GPU", "1", 1);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    const int file = open("/dev/null", O_WRONLY);
    dup2(file, stream);
    close(file);
  }
}

class NothingLost : public ::testing::Test {
 protected:
  NothingLost() {
    fs::create_directory(temporary_);
    setenv("TMPDIR", temporary_.c_str(), 1);
    write_text_file(network_, "hidden_size = 512\nbatch_size = 64\nid = \"mine\"\n");
    write_text_file(lines_, many_lines());
    const auto made = call({"check", network_, "--device", "a100", "--save", profile_});
    EXPECT_TRUE(fs::exists(profile_)) << made.err;
    fs::create_directory(recording_);
    spool::sample_spool().write(recording_ + "/1.rnnspool");
    fs::create_directory(chosen_);
    auto chosen = spool::sample_spool();
    chosen.add(spool::sample_acceleration(1, 1));
    chosen.write(chosen_ + "/1.rnnspool");
    // A plan for the same GPU without a choice.
    const auto plan = folder_ / "plan.toml";
    wait_for(start({"collect", chosen_, "--plan", plan, "-o", folder_ / "x.rnnprof"}, be_quiet));
    const auto text = read_text(plan);
    empty_plan_ = text.substr(0, text.find("[["));
    EXPECT_LT(empty_plan_.size(), text.size()) << text;
  }

  static std::string many_lines() {
    std::string text;
    for (int i = 0; i < 300; ++i)
      text += "{\"hidden_size\": " + std::to_string(8 * (i + 1)) + "}\n";
    return text;
  }

  // Every command that prints; ATableHasEveryOutput.
  std::vector<Words> printing() const {
    return {{"check", network_, "--device", "a100"},
            {"check", network_, "--device", "a100", "--json"},
            {"check", "--batch", lines_, "--device", "a100"},
            {"check", network_, "--device", "a100", "-f", "html:/dev/stdout"},
            {"report", profile_},
            {"report", profile_, "--json"},
            {"advise", profile_, "-f", "sarif"},
            {"advise", "sample:gnmt", "--verify", "--dry-run"},
            {"advise", "sample:gnmt", "--verify", "--dry-run", "--json"},
            {"map", network_, "--device", "a100"},
            {"fit", network_, "--device", "a100"},
            {"fit", network_, "--device", "a100", "--json"},
            {"compare", profile_, "sample:gnmt"},
            {"compare", profile_, "sample:gnmt", "--json"},
            {"explain-error", RNNADVISOR_SOURCE_DIR "/README.md"},
            {"explain-error", "--list"},
            {"export", "sample:gnmt", "-f", "perfetto"},
            {"export", "sample:gnmt", "-f", "kernels-csv"},
            {"sweep", "sample:gnmt", "--list"},
            {"sweep", "sample:gnmt", "--dry-run", "-o", folder_ / "sweep.rnnprof"},
            {"samples", "list"},
            {"samples", "show", "gnmt"},
            {"rules", "list"},
            {"rules", "list", "--json"},
            {"rules", "facts"},
            {"rules", "explain", "persistence/tensor-core-math"},
            {"doctor"},
            {"doctor", "--json"},
            {"version"},
            {"man"},
            {"completion", "bash"},
            {"completion", "fish"},
            {"--help"},
            {"--version"},
            {"help", "check"},
            {"fit", network_, "--device", "a100", "--mode", "training"},
            {"rules", "check", RNNADVISOR_SOURCE_DIR "/rules"},
            {"rules", "check", RNNADVISOR_SOURCE_DIR "/rules", "--json"},
            {"rules", "validate",
             RNNADVISOR_SOURCE_DIR "/tests/gpu/results/h200/rules-validate.rnnprof"},
            {"env", "-o", folder_ / "env.rnnprof"},
            {"samples", "show", "--sweep", "gnmt"}};
  }

  struct Output {
    Words command;
    std::string file;                          // that is watched
    const char* program = RNNADVISOR_PROGRAM;  // the other one where a GPU is needed
    bool children = false;                     // it starts programs, which write as well
  };
  // Every option of every command that names a file or a folder to write; ATableHasEveryOutput.
  std::vector<Output> outputs(const std::string& folder) const {
    const auto at = [&](const char* name) { return folder + "/" + name; };
    const std::string measured = RNNADVISOR_SOURCE_DIR "/tests/gpu/results/h200/";
    std::vector<Output> all;
    for (const char* format :
         {"text", "markdown", "json", "html", "sarif", "junit", "csv", "github"})
      all.push_back(
          {{"report", profile_, "-f", format, "-o", at("report"), "--force"}, at("report")});
    for (const char* format : {"perfetto", "kernels-csv", "calls-csv"})
      all.push_back(
          {{"export", "sample:programs/pytorch-gru", "-f", format, "-o", at("export"), "--force"},
           at("export")});
    const Words check = {"check", network_, "--device", "a100", "--force"};
    const auto add = [&](Words words, const Words& more, const char* file,
                         const char* program = RNNADVISOR_PROGRAM, bool children = false) {
      words.insert(words.end(), more.begin(), more.end());
      all.push_back({std::move(words), at(file), program, children});
    };
    add(check, {"-f", "html:" + at("check")}, "check");
    add(check, {"--write-baseline", at("check")}, "check");
    add(check, {"-f", "json", "-o", at("check")}, "check");
    add(check, {"--save", at("saved")}, "saved");
    add({"check", "--batch", lines_, "--device", "a100"}, {"-o", at("batch"), "--force"}, "batch");
    add({"map", network_, "--device", "a100", "--force"}, {"-f", "html", "-o", at("map")}, "map");
    add({"map", network_, "--device", "a100", "--force"}, {"-f", "csv:" + at("map")}, "map");
    add({"report", profile_, "--force"}, {"-f", "html:" + at("report")}, "report");
    add({"compare", profile_, "sample:gnmt", "--force"}, {"-f", "json:" + at("compared")},
        "compared");
    add({"compare", profile_, "sample:gnmt", "--force"}, {"-f", "junit", "-o", at("compared")},
        "compared");
    add({"advise", profile_, "--force"}, {"-f", "html:" + at("advice")}, "advice");
    add({"merge", profile_, "--force"}, {"-o", at("merged")}, "merged");
    for (const char* file : {"reproduced/call-3.cpp", "reproduced/call-3.py"})
      add({"reproduce", "sample:programs/pytorch-gru", "--call", "3", "--force"},
          {"-o", at("reproduced")}, file);
    add({"import", RNNADVISOR_SOURCE_DIR "/tests/data/traces/small_model.json.gz", "--force"},
        {"-o", at("imported")}, "imported");
    add({"collect", recording_, "--force"}, {"-o", at("collected")}, "collected");
    add({"collect", chosen_, "--force", "-o", folder_ / "collected"}, {"--plan", at("plan.toml")},
        "plan.toml");
    add({"advise", profile_, "--force"}, {"-f", "html", "-o", at("advice")}, "advice");
    add({"advise", measured + "lstm-160-verified.rnnprof", "--force"}, {"--write-code", at("code")},
        "code/0/graph/around_the_layer.py");
    add({"calibrate", "--from", measured + "held-out-third.rnnprof", "--force"},
        {"-o", at("gpu.toml")}, "gpu.toml");
    add({"rules", "new", "topic/mine", "--force"}, {"-o", at("rules"), "--cases", at("cases")},
        "rules/topic/mine.toml");
    add({"rules", "docs", "--force"}, {at("pages")}, "pages/README.md");
    add({"rules", "validate", measured + "rules-validate.rnnprof", "--force"},
        {"--record", at("record.json")}, "record.json");
    add({"samples", "export", "--force"}, {at("samples")}, "samples/sweeps/gnmt.toml");
    const auto stub = [&](const Words& words, const Words& more, const char* file) {
      add(words, more, file, RNNADVISOR_STUB_PROGRAM, true);
    };
    stub({"run", network_, "--force"}, {"-o", at("run.rnnprof")}, "run.rnnprof");
    stub({"run", network_, "--force", "-o", folder_ / "run.rnnprof"}, {"-f", "html:" + at("run")},
         "run");
    stub({"sweep", "sample:gnmt", "--force"}, {"-o", at("sweep.rnnprof")}, "sweep.rnnprof");
    stub({"sweep", "sample:gnmt", "--force", "-o", folder_ / "sweep.rnnprof"},
         {"-f", "json:" + at("sweep")}, "sweep");
    stub({"advise", "sample:gnmt", "--verify", "--force"}, {"-o", at("tried.rnnprof")},
         "tried.rnnprof");
    const auto recorded = [&](Words words, const char* file) {
      words.insert(words.end(), {"--", "true"});
      add(std::move(words), {}, file, RNNADVISOR_PROGRAM, true);
    };
    recorded({"profile", "--force", "-o", at("recorded.rnnprof")}, "recorded.rnnprof");
    for (const char* command : {"accelerate", "try"}) {
      recorded({command, "--force", "-o", at("faster.rnnprof")}, "faster.rnnprof");
      recorded({command, "--force", "--report", at("faster.txt")}, "faster.txt");
      recorded({command, "--force", "--plan", at("plan.toml")}, "plan.toml");
    }
    return all;
  }

  // What the file was before: a plan has to be one.
  std::string precious(const std::string& file) const {
    return file.ends_with("plan.toml") ? empty_plan_ + "# precious\n" : "precious";
  }

  void prepare(const std::string& file) const {
    fs::create_directories(fs::path(file).parent_path());
    write_text_file(file, precious(file));
  }

  // Temporary files below a folder; recordings of programs that were killed are kept on purpose.
  static std::string left_behind(const std::string& folder) {
    std::string found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const auto name = entry.path().filename().string();
      if (name.starts_with(".rnnadvisor-") || name.ends_with(".tmp")) found += name + " ";
    }
    return found;
  }

  ~NothingLost() override { unsetenv("TMPDIR"); }

  TemporaryFolder folder_;
  const std::string temporary_ = folder_ / "temporary";
  const std::string network_ = folder_ / "network.toml", lines_ = folder_ / "lines.jsonl",
                    profile_ = folder_ / "profile.rnnprof", recording_ = folder_ / "recording",
                    chosen_ = folder_ / "chosen", errors_ = folder_ / "errors";
  std::string empty_plan_;
};

TEST_F(NothingLost, StandardOutputThatIsFullOrClosedIsStatus3WithTheReason) {
  for (std::size_t index = 0; const auto& command : printing()) {
    if (test::left_out(index++, 3)) continue;
    for (const bool closed : {false, true}) {
      fs::remove(errors_);
      const int status = wait_for(start(command, [&] {
        setenv("RNNADVISOR_PLUGIN", RNNADVISOR_FAKE_PLUGIN, 1);
        redirect(errors_, STDERR_FILENO);
        if (closed) {
          close(STDOUT_FILENO);
        } else {
          redirect("/dev/full", STDOUT_FILENO);
        }
      }));
      const auto said = read_text(errors_);
      EXPECT_EQ(status, 3) << command[0] << (closed ? ", closed: " : ", full: ") << said;
      EXPECT_THAT(said, AnyOf(HasSubstr("No space left"), HasSubstr("it is closed"),
                              HasSubstr("Bad file descriptor")))
          << command[0];
    }
  }
}

// What stands first in the table of open files must not be taken for standard output.
TEST_F(NothingLost, AFileThatIsOpenedIsNoStandardOutput) {
  const auto before = read_text(profile_);
  const int status =
      wait_for(start({"report", profile_, "-f", "text", "-f", "json:" + (folder_ / "r")}, [&] {
        redirect(errors_, STDERR_FILENO);
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
      }));
  EXPECT_EQ(status, 3);
  EXPECT_EQ(read_text(profile_), before);
  EXPECT_EQ(read_text(folder_ / "r").front(), '{');
}

// A new option that writes needs a row of outputs(), or a reason why it has none.
TEST_F(NothingLost, ATableHasEveryOutput) {
  const std::map<std::string, std::string> excused = {
      {"env --output", "names the profile that `collect` makes; env makes an empty folder"},
      {"env --folder", "is made empty"},
      {"env --plan", "is read; `collect` writes it"},
      {"rules validate --output", "measures on a GPU; written by write_profile() as that of run"},
      {"check --batch", "is read; its answers go to --output"},
      {"try --write-code",
       "needs layers of a PyTorch program; written by write_file() as that of "
       "advise, and tested in TryChange"},
  };
  FakeMachine machine;
  const auto services = machine.services();
  std::ostringstream nowhere;
  const Terminal terminal;
  Context context{.out = nowhere, .err = nowhere, .terminal = terminal, .services = services};
  const auto app = make_application(context);
  const auto rows = outputs(folder_ / "out");
  const auto has_row = [&](const Words& command, const CLI::Option& option) {
    return std::any_of(rows.begin(), rows.end(), [&](const Output& row) {
      if (!std::equal(command.begin(), command.end(), row.command.begin())) return false;
      if (option.get_positional()) return row.command.back().starts_with(folder_ / "out");
      for (std::size_t i = 0; i + 1 < row.command.size(); ++i)
        if (option.check_name(row.command[i]) &&
            row.command[i + 1].find(folder_ / "out") != std::string::npos)
          return true;
      return false;
    });
  };
  // These print to standard error alone, if anything, or by the function with which `report`
  // prints.
  const std::set<std::string> prints_as_others = {
      "run ",       "calibrate ",  "profile ",       "accelerate ", "try ",
      "collect ",   "import ",     "merge ",         "worker ",     "reproduce ",
      "serve ",  // AServerWhoseAnswerIsLostSaysSo
      "rules new ", "rules docs ", "samples export "};
  const auto printed = printing();
  int seen = 0;
  const std::function<void(const CLI::App&, const Words&)> look = [&](const CLI::App& command,
                                                                      const Words& words) {
    for (const auto* below : command.get_subcommands([](const CLI::App*) { return true; })) {
      auto longer = words;
      longer.push_back(below->get_name());
      look(*below, longer);
    }
    std::string name;
    for (const auto& word : words) name += word + " ";
    if (command.get_subcommands([](const CLI::App*) { return true; }).empty()) {
      const bool prints = std::any_of(printed.begin(), printed.end(), [&](const Words& row) {
        return row.size() >= words.size() && std::equal(words.begin(), words.end(), row.begin());
      });
      EXPECT_NE(prints, prints_as_others.contains(name)) << name;
    }
    const bool writes_folder =
        words == Words{"rules", "docs"} || words == Words{"samples", "export"};
    for (const auto* option : command.get_options()) {
      const auto type = option->get_type_name();
      const bool names_file =
          type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos;
      const bool named = option->get_group() == group_output && !option->get_positional();
      if (!names_file || !(named || (writes_folder && option->get_positional()))) continue;
      ++seen;
      const auto option_name = name + option->get_name();
      EXPECT_NE(has_row(words, *option), excused.contains(option_name)) << option_name;
    }
  };
  look(*app, {});
  EXPECT_GT(seen, 25);
}

TEST_F(NothingLost, AFileThatCannotBeWrittenLeavesTheOldOneAndStatus3) {
  fs::create_directory(folder_ / "out");
  for (std::size_t index = 0; const auto& row : outputs(folder_ / "out")) {
    if (row.children) continue;  // this limit ends them
    if (test::left_out(index++, 2)) continue;
    prepare(row.file);
    const int status = wait_for(start(row.command, [&] {
      be_quiet();
      const rlimit small = {16, 16};
      setrlimit(RLIMIT_FSIZE, &small);
    }));
    EXPECT_EQ(status, 3) << testing::PrintToString(row.command);
    EXPECT_EQ(read_text(row.file), precious(row.file)) << testing::PrintToString(row.command);
    EXPECT_EQ(left_behind(folder_ / "out"), "") << testing::PrintToString(row.command);
    fs::remove_all(folder_ / "out");
    fs::create_directory(folder_ / "out");
  }
}

// Every output beside a file that fills the disk: the old one stays, and the exit status says so.
TEST_F(NothingLost, OnADiskOfAMegabyte) {
  const std::string disk = folder_ / "disk";
  fs::create_directory(disk);
  const auto on_disk = [&](const std::string& script) {
    const std::string mounted = "mount -t tmpfs -o size=1m none " + disk + " && ";
    return std::system(("unshare -m sh -c '" + mounted + script + "' 2>" + errors_).c_str());
  };
  if (on_disk("true") != 0) GTEST_SKIP() << "no file system of a megabyte can be made here";
  const auto quoted = [](const std::string& word) { return "\"" + word + "\""; };
  for (std::size_t index = 0; const auto& row : outputs(disk)) {
    if (test::left_out(index++, 4)) continue;
    write_text_file(folder_ / "precious", precious(row.file));
    std::string script =
        "mkdir -p " + fs::path(row.file).parent_path().string() + "; cp " + (folder_ / "precious") +
        " " + row.file + "; cat /dev/zero > " + disk +
        "/full; RNNADVISOR_STUB_GPU=1 RNNADVISOR_PLUGIN=" + RNNADVISOR_FAKE_PLUGIN + " " +
        row.program;
    for (const auto& word : row.command) script += " " + quoted(word);
    script += " >/dev/null; s=$?; cmp " + (folder_ / "precious") + " " + row.file +
              " >&2 || exit 99; [ -z \"$(find " + disk +
              " -name \".rnnadvisor*\")\" ] || exit 98; " + "exit $s";
    const int status = on_disk(script);
    EXPECT_EQ(WEXITSTATUS(status), 3)
        << testing::PrintToString(row.command) << ": " << read_text(errors_);
    EXPECT_THAT(read_text(errors_), HasSubstr("No space left"))
        << testing::PrintToString(row.command);
  }
}

// Read as what it is; of the others the size says that none is cut off. Reports say when they were
// made, so that sizes vary a little, and those of runs that were stopped have what was done.
bool is_whole(const std::string& file, const std::string& found, std::size_t whole) {
  if (file.ends_with(".rnnprof")) return read_profile_bytes(found, file).has_value();
  if (found.starts_with('{') && nlohmann::json::accept(found)) return true;
  if (found.starts_with("<!") && found.ends_with("</html>\n")) return true;
  return found.size() + 200 > whole && found.size() < whole + 200;
}

TEST_F(NothingLost, KilledAtAnyMomentTheFileIsTheOldOneOrTheNew) {
  fs::create_directory(folder_ / "out");
  std::mt19937 random(1123);
  int killed = 0;
  for (std::size_t index = 0; const auto& row : outputs(folder_ / "out")) {
    if (test::left_out(index++, 4)) continue;
    const auto label = testing::PrintToString(row.command);
    prepare(row.file);
    ASSERT_EQ(wait_for(start(row.command, be_quiet, row.program)), 0) << label;
    const auto whole = read_text(row.file).size();
    for (int round = 0; round < (row.children ? 2 : 4); ++round) {
      prepare(row.file);
      const int signal = round % 2 == 0 ? SIGKILL : SIGTERM;
      const pid_t child = start(row.command, be_quiet, row.program);
      usleep(static_cast<useconds_t>(random() % (row.children ? 200'000 : 60'000)));
      kill(child, signal);
      const int status = wait_for(child);
      EXPECT_THAT(status, AnyOf(Eq(128 + signal), Eq(0), Eq(130))) << label;
      if (status != 0) ++killed;
      const auto found = read_text(row.file);
      EXPECT_TRUE(found == precious(row.file) || is_whole(row.file, found, whole))
          << label << ": " << found.size() << " bytes of " << whole;
      // Nothing can take away the folder of a process that SIGKILL ended, and what a program
      // recorded is kept where reading it is interrupted.
      if (signal == SIGKILL || (row.children && status == 130)) fs::remove_all(temporary_);
      fs::create_directory(temporary_);
      EXPECT_TRUE(fs::is_empty(temporary_)) << label << ": " << *fs::directory_iterator(temporary_);
    }
    // The next to write there clears away what the killed ones left.
    prepare(row.file);
    EXPECT_EQ(wait_for(start(row.command, be_quiet, row.program)), 0) << label;
    EXPECT_EQ(left_behind(fs::path(row.file).parent_path()), "") << label;
    fs::remove_all(folder_ / "out");
    fs::create_directory(folder_ / "out");
  }
  EXPECT_GT(killed, test::sanitized() ? 4 : 14);
}

// It is read from a pipe whose other end stays open.
TEST_F(NothingLost, ABatchThatWaitsForInputEndsWhenItIsAskedTo) {
  for (const int signal : {SIGINT, SIGTERM}) {
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    const std::string answers = folder_ / "answers";
    fs::remove(answers);
    const pid_t child = start({"check", "--batch", "-", "--device", "h200"}, [&] {
      dup2(ends[0], STDIN_FILENO);
      redirect(answers, STDOUT_FILENO);
    });
    ASSERT_EQ(write(ends[1], "{}\n", 3), 3);
    for (int i = 0; i < 6000 && !read_text(answers).ends_with("}\n"); ++i) usleep(10'000);
    usleep(100'000);  // until it reads again
    kill(child, signal);
    EXPECT_EQ(wait_for(child), 130);
    EXPECT_TRUE(read_text(answers).ends_with("}\n"));
    for (const int end : ends) close(end);
  }
}

TEST_F(NothingLost, ABatchThatIsStoppedKeepsTheFileOfBefore) {
  fs::create_directory(folder_ / "out");
  const std::string file = folder_ / "out/answers";
  for (const int signal : {SIGINT, SIGTERM}) {
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    prepare(file);
    const pid_t child =
        start({"check", "--batch", "-", "--device", "h200", "-o", file, "--force"}, [&] {
          dup2(ends[0], STDIN_FILENO);
          be_quiet();
        });
    ASSERT_EQ(write(ends[1], "{}\n", 3), 3);
    for (int i = 0; i < 6000 && left_behind(folder_ / "out").empty(); ++i) usleep(10'000);
    usleep(100'000);  // until it reads again
    kill(child, signal);
    EXPECT_EQ(wait_for(child), 130);
    EXPECT_EQ(read_text(file), precious(file));
    EXPECT_EQ(left_behind(folder_ / "out"), "");
    for (const int end : ends) close(end);
  }
}

TEST_F(NothingLost, NoOutputIsAnInput) {
  const auto network = read_text(network_), profile = read_text(profile_),
             lines = read_text(lines_);
  fs::create_hard_link(profile_, folder_ / "other-name");
  fs::create_symlink(profile_, folder_ / "link");
  for (const auto& target : {profile_, folder_ / "other-name", folder_ / "link"}) {
    for (const Words& command :
         std::vector<Words>{{"report", profile_, "-o", target, "--force"},
                            {"advise", profile_, "-f", "html:" + target, "--force"},
                            {"export", profile_, "-f", "perfetto", "-o", target, "--force"},
                            {"merge", profile_, "-o", target, "--force"},
                            {"map", profile_, "-o", target, "--force"},
                            {"calibrate", "--from", profile_, "-o", target, "--force"},
                            {"advise", profile_, "--verify", "-o", target, "--force"}}) {
      EXPECT_EQ(call(command).status, 2) << command[0] << " " << target;
      EXPECT_EQ(read_text(profile_), profile) << command[0];
    }
  }
  EXPECT_EQ(call({"check", network_, "-f", "html:" + network_, "--force"}).status, 2);
  EXPECT_EQ(call({"check", network_, "--save", network_, "--force"}).status, 2);
  EXPECT_EQ(call({"check", "--batch", lines_, "-o", lines_, "--force"}).status, 2);
  EXPECT_EQ(read_text(network_), network);
  EXPECT_EQ(read_text(lines_), lines);
  // Nor are two outputs one file.
  EXPECT_EQ(
      call({"report", profile_, "-f", "html:" + (folder_ / "x"), "-f", "json:" + (folder_ / "./x")})
          .status,
      2);
}

// A program that asks one question at a time gets its answer before it asks the next.
TEST_F(NothingLost, ABatchIsAnsweredWhenItsInputPauses) {
  int questions[2] = {}, answers[2] = {};
  ASSERT_EQ(pipe2(questions, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(answers, O_CLOEXEC), 0);
  const pid_t child = start({"check", "--batch", "-", "--device", "a100", "--no-findings"}, [&] {
    dup2(questions[0], STDIN_FILENO);
    dup2(answers[1], STDOUT_FILENO);
    redirect("/dev/null", STDERR_FILENO);
  });
  close(questions[0]);
  close(answers[1]);
  std::string heard;
  const auto hear_until = [&](std::size_t lines) {
    while (static_cast<std::size_t>(std::count(heard.begin(), heard.end(), '\n')) < lines) {
      pollfd wait = {answers[0], POLLIN, 0};
      if (poll(&wait, 1, 20'000) <= 0) return false;
      char buffer[4096];
      const auto got = read(answers[0], buffer, sizeof buffer);
      if (got <= 0) return false;
      heard.append(buffer, static_cast<std::size_t>(got));
    }
    return true;
  };
  for (std::size_t i = 1; i <= 5; ++i) {
    const auto line = "{\"id\": \"q" + std::to_string(i) + "\", \"hidden_size\": 64}\n";
    // In two pieces, the first of which is no line yet.
    ASSERT_EQ(write(questions[1], line.data(), 9), 9);
    usleep(2000);
    ASSERT_GT(write(questions[1], line.data() + 9, line.size() - 9), 0);
    ASSERT_TRUE(hear_until(i)) << "no answer to question " << i;
    EXPECT_THAT(heard, HasSubstr("\"q" + std::to_string(i) + "\""));
  }
  close(questions[1]);
  EXPECT_EQ(wait_for(child), 0);
  close(answers[0]);
}

constexpr std::string_view version_request =
    "Content-Length: 48\r\n\r\n{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"version\"}";

TEST_F(NothingLost, AServerWhoseAnswerIsLostSaysSo) {
  write_text_file(folder_ / "request", std::string(version_request));
  for (const bool closed : {false, true}) {
    fs::remove(errors_);
    const int status = wait_for(start({"serve", "--stdio"}, [&] {
      redirect(errors_, STDERR_FILENO);
      const int file = open((folder_ / "request").c_str(), O_RDONLY);
      dup2(file, STDIN_FILENO);
      if (closed) {
        close(STDOUT_FILENO);
      } else {
        redirect("/dev/full", STDOUT_FILENO);
      }
    }));
    EXPECT_EQ(status, 3);
    EXPECT_THAT(read_text(errors_), HasSubstr("cannot write to standard output"));
  }
}

// An editor asks one thing at a time, and keeps the pipe open.
TEST_F(NothingLost, AServerAnswersWhenItsInputPausesAndEndsWithIt) {
  int questions[2] = {}, answers[2] = {};
  ASSERT_EQ(pipe2(questions, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(answers, O_CLOEXEC), 0);
  const pid_t child = start({"serve", "--stdio"}, [&] {
    dup2(questions[0], STDIN_FILENO);
    dup2(answers[1], STDOUT_FILENO);
    redirect(errors_, STDERR_FILENO);
  });
  close(questions[0]);
  close(answers[1]);
  for (int i = 0; i < 3; ++i) {
    // In two pieces, the first of which is no message yet.
    ASSERT_EQ(write(questions[1], version_request.data(), 30), 30);
    usleep(2000);
    ASSERT_GT(write(questions[1], version_request.data() + 30, version_request.size() - 30), 0);
    std::string heard;
    while (heard.find("\"compiler\"") == std::string::npos) {
      pollfd wait = {answers[0], POLLIN, 0};
      ASSERT_GT(poll(&wait, 1, 20'000), 0) << "no answer " << i;
      char buffer[4096];
      const auto got = read(answers[0], buffer, sizeof buffer);
      ASSERT_GT(got, 0);
      heard.append(buffer, static_cast<std::size_t>(got));
    }
    EXPECT_TRUE(heard.starts_with("Content-Length: "));
  }
  close(questions[1]);
  EXPECT_EQ(wait_for(child), 0);
  close(answers[0]);
}

TEST_F(NothingLost, EightProfilesAtOnceHaveNamesOfTheirOwn) {
  const std::string here = folder_ / "runs";
  fs::create_directory(here);
  constexpr int rounds = 2, at_once = 8;
  for (int round = 0; round < rounds; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < at_once; ++i) {
      children.push_back(start({"profile", "--quiet", "true"}, [&] {
        if (chdir(here.c_str()) != 0) _exit(124);
        setenv("RNNADVISOR_PLUGIN", RNNADVISOR_FAKE_PLUGIN, 1);
        redirect(errors_, STDERR_FILENO);
      }));
    }
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0) << read_text(errors_);
  }
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(here)) {
    names.insert(entry.path().filename());
    EXPECT_TRUE(read_profile(entry.path())) << entry.path();
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(rounds * at_once));
}

TEST_F(NothingLost, ANameThatWasClaimedAndNeverUsedIsFree) {
  const std::string name = folder_ / "claimed.rnnprof";
  const auto profile = [&] {
    return wait_for(start({"profile", "--quiet", "-o", name, "no-such-program"}, [&] {
      setenv("RNNADVISOR_PLUGIN", RNNADVISOR_FAKE_PLUGIN, 1);
      redirect(errors_, STDERR_FILENO);
    }));
  };
  EXPECT_EQ(profile(), 127);
  EXPECT_FALSE(fs::exists(name));
  write_text_file(name, "");  // as a process that was killed leaves it
  EXPECT_EQ(profile(), 127);
  EXPECT_EQ(call({"collect", recording_, "-o", name}).status, 0);
  EXPECT_TRUE(read_profile(name));
  EXPECT_EQ(call({"collect", recording_, "-o", name}).status, 2);
}

}  // namespace
}  // namespace rnnadvisor::cli
