// The Python line that led to a call, with the system's interpreter and cuDNN's stand-in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The line of the script that ends in a mark.
int line_of(const std::string& mark) {
  std::ifstream file(CALL_SITE_SCRIPT);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (line.ends_with(mark)) return number;
  return -1;
}

// With the interpreter's lock held during the call, and released as frameworks do.
class Python : public ::testing::TestWithParam<const char*> {
 protected:
  Python() : child(PYTHON_PROGRAM) { child.variable("STANDIN_FOLDER", STANDIN_FOLDER); }
  Result run(const std::string& mode) { return child.run({CALL_SITE_SCRIPT, mode, GetParam()}); }
  Child child;
};
INSTANTIATE_TEST_SUITE_P(, Python, ::testing::Values("keeps", "releases"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Python, FileLineAndFunctionAreFound) {
  const auto result = run("sites");
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(4));
  for (const auto& call : s.calls) {
    const auto site = s.tables.call_sites.find(call.call_site);
    ASSERT_NE(site, s.tables.call_sites.end());
    EXPECT_EQ(s.text(site->second.file), CALL_SITE_SCRIPT);
    EXPECT_EQ(s.text(site->second.function), "forward");
    EXPECT_EQ(site->second.line, line_of("CALL"));
    EXPECT_EQ(s.text(site->second.framework_function), "forward");
  }
  EXPECT_THAT(s.tables.call_sites, SizeIs(1)) << "one place is written once";
}

// An interpreter of another version, or without memory: a call may have no place, and is recorded.
TEST_P(Python, CallsAreRecordedWhateverTheInterpreterLacks) {
  child.variable("LD_PRELOAD", PLUGIN_FILE ":" STANDIN_FOLDER "/libodd_libraries.so");
  const auto places = [&](const char* variable, const std::string& value) {
    child.without("LACKS").without("REFUSES").variable(variable, value);
    const auto result = run("sites");
    EXPECT_EQ(result.status, 0) << value << result.error;
    const auto& s = result.spools.back();
    EXPECT_THAT(s.calls, SizeIs(4)) << value;
    return std::ranges::count_if(s.calls, [](const auto& call) { return call.call_site != 0; });
  };
  EXPECT_EQ(places("LACKS", "PyGC_Disable"), 4) << "before 3.10";
  EXPECT_EQ(places("LACKS", "PyThreadState_GetUnchecked"), 4) << "before 3.13";
  EXPECT_EQ(places("LACKS", "Py_IsFinalizing,_Py_IsFinalizing"), 4);
  EXPECT_EQ(places("LACKS", "PyFrame_GetBack"), 0) << "before 3.9";
  EXPECT_EQ(places("LACKS", "PyThreadState_GetUnchecked,_PyThreadState_UncheckedGet"), 0);
  for (const std::string name : {"PyEval_GetFrame", "PyFrame_GetCode", "PyUnicode_AsUTF8"})
    EXPECT_EQ(places("REFUSES", name + ":1:0"), 0) << name;
  EXPECT_EQ(places("REFUSES", "PyDict_GetItemString:1:0"), 4) << "a module without a name";
  for (const char* from : {"1", "2", "3"})
    EXPECT_LE(places("REFUSES", std::string("PyObject_GetAttrString:") + from + ":0"), 4) << from;
}

TEST_P(Python, AFrameworksOwnFramesArePassedOver) {
  // The same script as a file of a framework, called from one that is not.
  const std::string framework = child.folder() + "/torch";
  ASSERT_EQ(
      std::system(("mkdir " + framework + " && cp " CALL_SITE_SCRIPT " " + framework + "/layer.py")
                      .c_str()),
      0);
  const std::string script = child.folder() + "/train.py";
  std::ofstream(script) << "import sys\n"
                           "sys.path.insert(0, sys.argv[1])\n"
                           "import torch.layer as layer\n"
                           "def step(rnn):\n"
                           "    layer.from_here(rnn)\n"
                           "step(layer.Rnn(layer.load(sys.argv[2] == 'keeps')))\n";
  const auto result = child.run({script, child.folder(), GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(2));
  const auto site = s.tables.call_sites.at(s.calls[0].call_site);
  EXPECT_EQ(s.text(site.file), script);
  EXPECT_EQ(s.text(site.function), "step");
  EXPECT_EQ(site.line, 5);
  EXPECT_THAT(s.text(site.framework_file), EndsWith("/torch/layer.py"));
  EXPECT_EQ(s.text(site.framework_function), "forward");
  EXPECT_EQ(site.framework_line, line_of("CALL"));
}

// What a program calls its folders says nothing.
TEST_P(Python, AFolderOfTheProgramMayHaveAFrameworksName) {
  const std::string folder = child.folder() + "/torch/keras/src";
  ASSERT_EQ(
      std::system(
          ("mkdir -p " + folder + " && cp " CALL_SITE_SCRIPT " " + folder + "/train.py").c_str()),
      0);
  const auto result = child.run({folder + "/train.py", "sites", GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(4));
  const auto site = s.tables.call_sites.at(s.calls[0].call_site);
  EXPECT_EQ(s.text(site.file), folder + "/train.py");
  EXPECT_EQ(s.text(site.function), "forward");
}

TEST_P(Python, ThreadsThatWantTheLockToo) {
  const auto result = run("contended");
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(200));
  for (const auto& call : result.spool().calls) EXPECT_NE(call.call_site, 0u);
}

TEST_P(Python, TheInterpretersEnd) {
  for (int i = 0; i < 10; ++i) {
    const auto result = run("shutdown");
    ASSERT_EQ(result.status, 6) << result.error;
    EXPECT_THAT(result.error, IsEmpty());
  }
}

TEST_P(Python, TheCollectorDoesNotRunInTheCall) {
  const auto result = run("collected");
  ASSERT_EQ(result.status, 0) << result.error;
  std::uint64_t seen = 0;
  for (const std::uint64_t count : result.spool().header.entries) seen += count;
  EXPECT_GT(result.spool().calls.size(), 300u) << "objects were destroyed";
  EXPECT_EQ(result.out, std::to_string(seen) + " True\n");
}

TEST_P(Python, SubInterpretersDoNotHang) {
  const auto result = run("interpreters");
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(4));
}

TEST_P(Python, AThreadWithoutPythonHasNoSite) {
  const auto result = run("foreign_thread");
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(2));
}

TEST_P(Python, ItCanBeSwitchedOff) {
  const auto result =
      child.variable("RNNADVISOR_CALL_SITES", "off").run({CALL_SITE_SCRIPT, "sites", GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  for (const auto& call : result.spool().calls) EXPECT_EQ(call.call_site, 0u);
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
