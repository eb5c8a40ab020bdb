// The exception that ends a Python program, with the system's interpreter and no framework: in the
// spool, and in the profile that `rnnadvisor profile` makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/text.h"
#include "profiler/profile/file.h"
#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> exceptions(const Result& result) {
  std::vector<std::string> texts;
  for (const auto& spool : result.spools)
    for (const auto& [code, text] : spool.notes)
      if (code == spool::program_exception) texts.push_back(text);
  return texts;
}

class PythonException : public ::testing::Test {
 protected:
  Result run(const std::string& mode) {
    return Child(PYTHON_PROGRAM).run({EXCEPTION_SCRIPT, mode});
  }
  Result run_alone(const std::string& mode) {
    Child alone(PYTHON_PROGRAM);
    return alone.alone().run({EXCEPTION_SCRIPT, mode});
  }
};

TEST_F(PythonException, IsKeptWithItsLines) {
  const auto result = run("error");
  EXPECT_EQ(result.status, 1);
  const auto kept = exceptions(result);
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_THAT(kept[0], AllOf(StartsWith("Traceback (most recent call last):\n"),
                             HasSubstr("in train"), HasSubstr("raise RuntimeError(message)"),
                             HasSubstr("RuntimeError: input.size(-1) must be equal")));
  // The same text that Python itself prints.
  EXPECT_EQ(result.error, run_alone("error").error);
  EXPECT_EQ(kept[0], result.error);
}

TEST_F(PythonException, CausesAreThere) {
  const auto kept = exceptions(run("chained"));
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_THAT(kept[0], AllOf(HasSubstr("the first"), HasSubstr("direct cause"),
                             HasSubstr("ValueError: the second")));
}

// What the program prints and returns is the same without us, whatever its exception does.
class Undisturbed : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, Undisturbed,
                         ::testing::Values("error", "chained", "unprintable", "exits_in_text",
                                           "surrogates", "long", "many_lines", "deep", "own_hook",
                                           "hook_exits", "forbids_imports", "no_traceback_module",
                                           "exits", "exits_with_text", "interrupted", "shown_only",
                                           "in_thread"),
                         [](const auto& test) { return std::string(test.param); });
TEST_P(Undisturbed, StatusAndOutputAreThePrograms) {
  Child with(PYTHON_PROGRAM), without(PYTHON_PROGRAM);
  const auto ours = with.run({EXCEPTION_SCRIPT, GetParam()});
  const auto alone = without.alone().run({EXCEPTION_SCRIPT, GetParam()});
  EXPECT_EQ(ours.status, alone.status);
  EXPECT_EQ(ours.out, alone.out);
  // The identity of a thread is printed.
  EXPECT_TRUE(ours.error == alone.error || std::string(GetParam()) == "in_thread")
      << ours.error.substr(0, 2000);
  for (const auto& text : exceptions(ours)) {
    EXPECT_FALSE(text.empty());
    EXPECT_LE(text.size(), spool::exception_bytes);
    EXPECT_TRUE(to_valid_utf8(text) == text);
    EXPECT_TRUE(text.ends_with('\n'));
  }
}

constexpr const char* odd_libraries = PLUGIN_FILE ":" STANDIN_FOLDER "/libodd_libraries.so";

// An interpreter that is without something, or has no memory for it.
TEST_F(PythonException, WhatCannotBeDescribedChangesNothing) {
  const auto alone = run_alone("error");
  const auto expect_nothing_kept = [&](const char* variable, const std::string& value) {
    Child child(PYTHON_PROGRAM);
    const auto result = child.variable("LD_PRELOAD", odd_libraries)
                            .variable(variable, value)
                            .run({EXCEPTION_SCRIPT, "error"});
    EXPECT_EQ(result.status, alone.status) << value;
    EXPECT_EQ(result.error, alone.error) << value;
    EXPECT_THAT(exceptions(result), SizeIs(0)) << value;
  };
  for (const std::string name :
       {"PyImport_ImportModule", "PyObject_CallMethod", "PyUnicode_FromString", "PyUnicode_Join",
        "PyUnicode_AsEncodedString", "PyBytes_AsString", "PyBytes_Size"})
    expect_nothing_kept("REFUSES", name + ":1:0");
  for (const char* name : {"PySys_AddAuditHook", "PyExc_SystemExit"})
    expect_nothing_kept("LACKS", name);
}

TEST_F(PythonException, TheGpusStateIsTold) {
  const auto told = [&](const std::string& refusal) {
    Child child(PYTHON_PROGRAM);
    const auto result = child.variable("LD_PRELOAD", odd_libraries)
                            .variable("REFUSES", refusal)
                            .variable("STANDIN_FOLDER", STANDIN_FOLDER)
                            .run({EXCEPTION_SCRIPT, "on_a_gpu"});
    EXPECT_THAT(exceptions(result), SizeIs(1)) << refusal;
    for (const auto& spool : result.spools)
      for (const auto& [code, text] : spool.notes)
        if (code == spool::gpu_at_exception) return text;
    return std::string("nothing");
  };
  EXPECT_EQ(told(""), "151397597184 0");
  EXPECT_EQ(told("cuMemGetInfo_v2:1:700"), "0 700") << "an illegal address";
  // Not initialized, at its end, no context: this thread uses no GPU.
  for (const char* status : {"3", "4", "201"})
    EXPECT_EQ(told(std::string("cuMemGetInfo_v2:1:") + status), "nothing") << status;
}

TEST_F(PythonException, TheEndOfALongOneIsKept) {
  const auto one = exceptions(run("long"));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_TRUE(one[0].ends_with("ä end of it\n"));
  EXPECT_EQ(one[0].find("Traceback"), std::string::npos);
  const auto many = exceptions(run("many_lines"));
  ASSERT_EQ(many.size(), 1U);
  EXPECT_TRUE(many[0].starts_with("line ") && many[0].ends_with("\nthe last\n"));
  EXPECT_THAT(exceptions(run("deep")), SizeIs(1));
}

TEST_F(PythonException, AProgramsOwnHookChangesNothing) {
  const auto result = run("own_hook");
  EXPECT_THAT(result.error, StartsWith("mine: RuntimeError input.size"));
  EXPECT_THAT(exceptions(result), SizeIs(1));
  EXPECT_THAT(exceptions(run("hook_exits")), SizeIs(1));
}

TEST_F(PythonException, OneThatCannotBePrintedIsNamed) {
  const auto kept = exceptions(run("unprintable"));
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_THAT(kept[0], HasSubstr("Unprintable"));
}

// Its user's end and its own are none of an error.
TEST_F(PythonException, InterruptsAndExitsAreNotKept) {
  for (const char* mode : {"interrupted", "exits", "exits_with_text", "in_thread"})
    EXPECT_THAT(exceptions(run(mode)), IsEmpty()) << mode;
}

TEST_F(PythonException, EachProcessHasItsOwn) {
  const auto kept = exceptions(run("forked"));
  ASSERT_THAT(kept, SizeIs(2));
  EXPECT_THAT(
      kept, ::testing::UnorderedElementsAre(HasSubstr("of the child"), HasSubstr("of the parent")));
}

TEST_F(PythonException, ItCanBeSwitchedOff) {
  const auto result = Child(PYTHON_PROGRAM)
                          .variable("RNNADVISOR_EXCEPTIONS", "off")
                          .run({EXCEPTION_SCRIPT, "error"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.spools, IsEmpty()) << "nothing else was to be recorded";
}

// `rnnadvisor profile`: its exit status, its profile and what it prints.
class Profiled : public ::testing::Test {
 protected:
  Profiled() {
    std::string pattern = testing::TempDir() + "/exception-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~Profiled() override { std::filesystem::remove_all(folder_); }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  int call(const std::string& arguments) const {
    const std::string command = "RNNADVISOR_PLUGIN=" PLUGIN_FILE " COLUMNS=100 " RNNADVISOR_PROGRAM
                                " " +
                                arguments + " > " + folder_ + "/out 2> " + folder_ + "/error";
    return WEXITSTATUS(std::system(command.c_str()));
  }
  int profile(const std::string& mode, const std::string& options = "--mode calls") const {
    return call("profile --force " + options + " -o " + file() +
                " -- " PYTHON_PROGRAM " " EXCEPTION_SCRIPT " " + mode);
  }
  std::string file() const { return folder_ + "/x.rnnprof"; }
  std::string exception() const {
    const auto profile = read_profile(file());
    EXPECT_TRUE(profile) << to_text(profile.error());
    if (profile)
      for (const auto& note : profile->notes)
        if (note.code == program_exception) return note.text;
    return {};
  }
  std::string folder_;
};

TEST_F(Profiled, AKnownErrorIsExplained) {
  for (const std::string mode : {"calls", "kernels", "full"}) {
    EXPECT_EQ(profile("error", "--mode " + mode), 1) << mode;
    EXPECT_THAT(exception(), AllOf(HasSubstr("Expected 10, got 12"), HasSubstr("REDACTED"),
                                   Not(HasSubstr("hf_abc"))))
        << mode;
  }
  EXPECT_THAT(read("error"), HasSubstr("Ended with The input has another number of features"));
  for (const char* format : {"text", "markdown", "html"}) {
    EXPECT_EQ(call("report " + file() + " --format " + format), 0) << read("error");
    EXPECT_THAT(read("out"), AllOf(HasSubstr("How the program ended"), HasSubstr("got 12"),
                                   HasSubstr("nn.LSTM.html")))
        << format;
  }
  EXPECT_EQ(call("report " + file() + " --format json"), 0);
  EXPECT_THAT(read("out"), AllOf(HasSubstr("\"program_end\": {"), HasSubstr("\"input-size\"")));
}

// Every text that an H200 raised, as the message of a program.
TEST_F(Profiled, TextsOfRealErrorsAreNamed) {
  const std::filesystem::path texts = RNNADVISOR_SOURCE_DIR "/tests/advisor/errors/texts/h200";
  for (const std::string id : {"types-differ", "out-of-memory", "state-elsewhere"}) {
    EXPECT_EQ(profile("error " + (texts / (id + ".txt")).string()), 1);
    EXPECT_EQ(call("report " + file() + " --format json"), 0);
    EXPECT_THAT(read("out"), HasSubstr("\"id\": \"" + id + "\""));
  }
}

TEST_F(Profiled, SecretsAreReplaced) {
  EXPECT_EQ(profile("secret"), 1);
  EXPECT_THAT(exception(),
              AllOf(HasSubstr("can't log in"), Not(HasSubstr("hunter")), Not(HasSubstr("hf_abc"))));
}

TEST_F(Profiled, ItCanBeLeftOut) {
  EXPECT_EQ(profile("error", "--mode calls --no-exceptions"), 1);
  EXPECT_EQ(exception(), "");
  EXPECT_THAT(read("error"), Not(HasSubstr("Ended with")));
}

TEST_F(Profiled, AProgramThatEndedWellHasNone) {
  EXPECT_EQ(profile("shown_only"), 0);
  EXPECT_EQ(exception(), "");
  EXPECT_EQ(profile("exits"), 7);
  EXPECT_EQ(exception(), "");
  EXPECT_EQ(call("report " + file()), 0);
  EXPECT_THAT(read("out"), Not(HasSubstr("How the program ended")));
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
