// The search order of docs/libraries.md, with folders and variables of the test's own and a tiny
// library in the place of cuDNN.
#include "core/cudnn/dynamic_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

namespace rnnadvisor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr const char* variable = "RNNADVISOR_STANDIN";

// Every variable the search looks at, unset for the time of one test, and a folder to build in.
class DynamicLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {variable, "VIRTUAL_ENV", "CONDA_PREFIX", "PATH", "HOME", "CUDA_HOME", "CUDA_PATH"}) {
      const char* value = std::getenv(name);
      kept_[name] = value != nullptr ? std::optional<std::string>(value) : std::nullopt;
      unsetenv(name);
    }
    std::string pattern = (fs::temp_directory_path() / "rnnadvisor-libraries-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = fs::canonical(pattern);
  }
  void TearDown() override {
    for (const auto& [name, value] : kept_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
    fs::remove_all(root_);
  }

  fs::path put_standin(const fs::path& folder, const std::string& name) {
    fs::create_directories(root_ / folder);
    fs::copy_file(RNNADVISOR_STANDIN_LIBRARY, root_ / folder / name);
    return root_ / folder / name;
  }
  fs::path put_garbage(const fs::path& folder, const std::string& name) {
    fs::create_directories(root_ / folder);
    std::ofstream(root_ / folder / name) << std::string(1000, 'x');
    return root_ / folder / name;
  }
  static void set(const char* name, const fs::path& value) { setenv(name, value.c_str(), 1); }

  static LibraryRequest request(std::vector<std::string> names) {
    return {"Stand-in", variable, std::move(names)};
  }
  static bool is_standin(const DynamicLibrary& library) {
    const auto answer = reinterpret_cast<int (*)()>(library.symbol("rnnadvisor_standin_answer"));
    return answer != nullptr && answer() == 42;
  }

  fs::path root_;
  LibraryState state_;

 private:
  std::map<std::string, std::optional<std::string>> kept_;
};

TEST_F(DynamicLibraryTest, TheVariableNamesAFile) {
  const fs::path file = put_standin("anywhere", "renamed.so");
  set(variable, file);
  const auto library = DynamicLibrary::load(request({"libstandin-a.so"}), state_);
  ASSERT_TRUE(library) << to_text(library.error());
  EXPECT_TRUE(is_standin(*library));
  EXPECT_EQ(library->symbol("no_such_symbol"), nullptr);
  EXPECT_EQ(library->path(), file.string());
  EXPECT_TRUE(state_.found);
  EXPECT_EQ(state_.name, "Stand-in");
  EXPECT_EQ(state_.path, file.string());
  EXPECT_EQ(state_.found_by, "environment variable RNNADVISOR_STANDIN");
  EXPECT_THAT(state_.searched, ElementsAre("RNNADVISOR_STANDIN=" + file.string()));
  EXPECT_EQ(state_.problem, "");
}

TEST_F(DynamicLibraryTest, TheVariableNamesAFolderAndTheFirstNameWins) {
  put_standin("folder", "libstandin-b.so.1");
  const fs::path newer = put_standin("folder", "libstandin-b.so.2");
  set(variable, root_ / "folder");
  const auto library =
      DynamicLibrary::load(request({"libstandin-b.so.2", "libstandin-b.so.1"}), state_);
  ASSERT_TRUE(library) << to_text(library.error());
  EXPECT_EQ(library->path(), newer.string());
}

// libm.so.6 is on every loader path: a copy of ours by that name must win by the variable, and only
// by it.
TEST_F(DynamicLibraryTest, TheVariableComesBeforeTheLoaderPathAndTheLoaderPathBeforeWheels) {
  const fs::path ours = put_standin("venv/lib/python3.11/site-packages/nvidia/x/lib", "libm.so.6");
  set("VIRTUAL_ENV", root_ / "venv");
  const auto systems = DynamicLibrary::load(request({"libm.so.6"}), state_);
  ASSERT_TRUE(systems) << to_text(systems.error());
  EXPECT_FALSE(is_standin(*systems));
  EXPECT_NE(systems->symbol("cos"), nullptr);
  EXPECT_EQ(state_.found_by, "loader path");
  EXPECT_THAT(state_.searched, ElementsAre("loader path"));

  set(variable, ours.parent_path());
  const auto named = DynamicLibrary::load(request({"libm.so.6"}), state_);
  ASSERT_TRUE(named) << to_text(named.error());
  EXPECT_TRUE(is_standin(*named));
  EXPECT_EQ(named->path(), ours.string());
}

TEST_F(DynamicLibraryTest, WheelsComeBeforeTheToolkit) {
  const fs::path wheel =
      put_standin("venv/lib/python3.12/site-packages/nvidia/cudnn/lib", "libstandin-c.so.9");
  const fs::path toolkit = put_standin("cuda/lib64", "libstandin-c.so.9");
  set("VIRTUAL_ENV", root_ / "venv");
  set("CUDA_HOME", root_ / "cuda");
  const auto first = DynamicLibrary::load(request({"libstandin-c.so.9"}), state_);
  ASSERT_TRUE(first) << to_text(first.error());
  EXPECT_EQ(first->path(), wheel.string());
  EXPECT_EQ(state_.found_by, "Python wheel");

  fs::remove(wheel);
  const auto second = DynamicLibrary::load(request({"libstandin-c.so.9"}), state_);
  ASSERT_TRUE(second) << to_text(second.error());
  EXPECT_EQ(second->path(), toolkit.string());
  EXPECT_EQ(state_.found_by, "CUDA toolkit");
  EXPECT_THAT(state_.searched, ElementsAre("loader path", wheel.parent_path().string(),
                                           toolkit.parent_path().string()));
}

TEST_F(DynamicLibraryTest, ADamagedCopyIsPassedByForAGoodOne) {
  put_garbage("venv/lib/python3.12/site-packages/nvidia/cudnn/lib", "libstandin-d.so.9");
  const fs::path good = put_standin("cuda/lib64", "libstandin-d.so.9");
  set("VIRTUAL_ENV", root_ / "venv");
  set("CUDA_PATH", root_ / "cuda");
  const auto library = DynamicLibrary::load(request({"libstandin-d.so.9"}), state_);
  ASSERT_TRUE(library) << to_text(library.error());
  EXPECT_EQ(library->path(), good.string());
  EXPECT_EQ(state_.problem, "");
}

TEST_F(DynamicLibraryTest, NotFoundSaysWhatToDoAndWhereItWasLookedFor) {
  fs::create_directories(root_ / "cuda/lib64");
  set("CUDA_HOME", root_ / "cuda");
  const auto library =
      DynamicLibrary::load(request({"libstandin-nowhere.so.9", "libstandin-nowhere.so.8"}), state_);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, ErrorCode::not_found);
  EXPECT_EQ(library.error().message,
            "Stand-in cannot be loaded: libstandin-nowhere.so.9 was not found");
  EXPECT_THAT(library.error().remedy, AllOf(HasSubstr("LD_LIBRARY_PATH"), HasSubstr(variable),
                                            HasSubstr("rnnadvisor doctor")));
  EXPECT_FALSE(state_.found);
  EXPECT_EQ(state_.path, "");
  EXPECT_THAT(state_.searched,
              IsSupersetOf({std::string("loader path"), (root_ / "cuda/lib64").string()}));
  EXPECT_EQ(state_.problem, "libstandin-nowhere.so.9 was not found");
}

TEST_F(DynamicLibraryTest, ADamagedCopyIsReportedWithTheLoadersReason) {
  const fs::path damaged = put_garbage("cuda/lib64", "libstandin-e.so.9");
  set("CUDA_HOME", root_ / "cuda");
  const auto library = DynamicLibrary::load(request({"libstandin-e.so.9"}), state_);
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().message, AllOf(HasSubstr(damaged.string()), HasSubstr("ELF")));
}

// Another copy in the place of the one that was asked for would be a surprise: never.
TEST_F(DynamicLibraryTest, ANamedLibraryThatCannotBeLoadedIsAnErrorThoughAnotherOneIsThere) {
  put_standin("cuda/lib64", "libstandin-f.so.9");
  set("CUDA_HOME", root_ / "cuda");
  fs::create_directories(root_ / "empty");
  const fs::path damaged = put_garbage("damaged", "libstandin-f.so.9");
  const auto error_with = [&](const fs::path& value) {
    set(variable, value);
    const auto library = DynamicLibrary::load(request({"libstandin-f.so.9"}), state_);
    EXPECT_FALSE(library) << value;
    EXPECT_FALSE(state_.found);
    EXPECT_EQ(state_.problem, library ? "" : library.error().message);
    return library ? Error{} : library.error();
  };
  for (const fs::path& value :
       {root_ / "absent.so", root_ / "empty", damaged, damaged.parent_path()}) {
    const Error error = error_with(value);
    EXPECT_EQ(error.code, ErrorCode::not_found);
    EXPECT_THAT(error.message,
                AllOf(HasSubstr("RNNADVISOR_STANDIN is set to '" + value.string() + "'"),
                      HasSubstr("cannot be loaded")));
    EXPECT_THAT(error.remedy, AllOf(HasSubstr(variable), HasSubstr("unset")));
  }
  EXPECT_THAT(error_with(damaged).message, HasSubstr("ELF"));
  EXPECT_THAT(error_with(damaged.parent_path()).message, HasSubstr("ELF"));
}

TEST_F(DynamicLibraryTest, AnEmptyVariableCountsAsNotSet) {
  const fs::path file = put_standin("cuda/lib64", "libstandin-g.so.9");
  set("CUDA_HOME", root_ / "cuda");
  setenv(variable, "", 1);
  const auto library = DynamicLibrary::load(request({"libstandin-g.so.9"}), state_);
  ASSERT_TRUE(library) << to_text(library.error());
  EXPECT_EQ(library->path(), file.string());
}

TEST_F(DynamicLibraryTest, WheelFoldersOfTheActivePythonInTheirOrder) {
  const auto make = [&](const std::string& folder) {
    fs::create_directories(root_ / folder);
    return (root_ / folder).string();
  };
  // Not in the order in which they are expected.
  const auto local = make("home/.local/lib/python3.11/site-packages/nvidia/cublas/lib");
  const auto path = make("bin-python/lib/python3/dist-packages/nvidia/cudnn/lib");
  const auto conda = make("conda/lib/python3.10/site-packages/nvidia/cudnn/lib");
  const auto venv_cupti = make("venv/lib/python3.12/site-packages/nvidia/cuda_cupti/lib");
  const auto venv_cudnn = make("venv/lib/python3.12/site-packages/nvidia/cudnn/lib");
  make("venv/lib/python3.12/site-packages/nvidia/headers_only/include");
  make("venv/lib/python2.7/site-packages/nvidia/cudnn/lib");
  make("venv/lib/python3.12/site-packages/torch/lib");
  make("bin-python/bin");
  make("no-python/bin");
  std::ofstream(root_ / "bin-python/bin/python3") << "";
  set("VIRTUAL_ENV", root_ / "venv");
  set("CONDA_PREFIX", root_ / "conda");
  set("PATH", (root_ / "no-python/bin").string() + "::" + (root_ / "bin-python/bin").string());
  set("HOME", root_ / "home");
  EXPECT_THAT(python_wheel_folders(), ElementsAre(venv_cupti, venv_cudnn, conda, path, local));

  // The same environment named twice is searched once.
  set("CONDA_PREFIX", root_ / "venv");
  EXPECT_THAT(python_wheel_folders(), ElementsAre(venv_cupti, venv_cudnn, path, local));
}

TEST_F(DynamicLibraryTest, NoPythonNoWheelFolders) {
  EXPECT_THAT(python_wheel_folders(), IsEmpty());
  set("VIRTUAL_ENV", root_ / "absent");
  EXPECT_THAT(python_wheel_folders(), IsEmpty());
}

TEST_F(DynamicLibraryTest, ToolkitFoldersByTheVariablesFirst) {
  for (const char* folder : {"home/lib64", "home/extras/CUPTI/lib64", "path/lib"})
    fs::create_directories(root_ / folder);
  set("CUDA_HOME", root_ / "home");
  set("CUDA_PATH", root_ / "path");
  auto folders = cuda_toolkit_folders();
  ASSERT_GE(folders.size(), 3U);
  for (std::size_t i = 3; i < folders.size(); ++i)
    EXPECT_THAT(folders[i], HasSubstr("/usr/local/cuda"));
  folders.resize(3);
  EXPECT_THAT(folders, ElementsAre((root_ / "home/lib64").string(),
                                   (root_ / "home/extras/CUPTI/lib64").string(),
                                   (root_ / "path/lib").string()));
}

TEST_F(DynamicLibraryTest, RequestsNameTheDocumentedVariables) {
  EXPECT_EQ(cudnn_request().environment_variable, "RNNADVISOR_CUDNN");
  EXPECT_EQ(cupti_request().environment_variable, "RNNADVISOR_CUPTI");
  EXPECT_EQ(nvrtc_request().environment_variable, "RNNADVISOR_NVRTC");
  EXPECT_THAT(cudnn_request().file_names, Contains("libcudnn.so.9"));
  EXPECT_THAT(cupti_request().file_names, Contains("libcupti.so.12"));
}

}  // namespace
}  // namespace rnnadvisor
