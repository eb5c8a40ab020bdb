#include "core/cudnn/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace rnnadvisor {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

// The python3 on PATH, with its symbolic links kept: a virtual environment is found by where its
// link lies.
fs::path python_prefix_on_path() {
  const std::string path = environment("PATH");
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path folder = path.substr(begin, end - begin);
    std::error_code ignored;
    if (!folder.empty() && fs::exists(folder / "python3", ignored)) return folder.parent_path();
    begin = end + 1;
  }
  return {};
}

std::string loaded_path(void* handle, const std::string& fallback) {
  struct link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr &&
      map->l_name != nullptr && *map->l_name != '\0') {
    std::error_code error;
    const auto real = fs::canonical(map->l_name, error);
    return error ? std::string(map->l_name) : real.string();
  }
  return fallback;
}

}  // namespace

const LibraryRequest& cudnn_request() {
  static const LibraryRequest request{"cuDNN", "RNNADVISOR_CUDNN", {"libcudnn.so.9"}};
  return request;
}

const LibraryRequest& cupti_request() {
  static const LibraryRequest request{
      "CUPTI", "RNNADVISOR_CUPTI", {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}};
  return request;
}

const LibraryRequest& nvrtc_request() {
  static const LibraryRequest request{
      "NVRTC", "RNNADVISOR_NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}};
  return request;
}

std::vector<std::string> python_wheel_folders() {
  std::vector<fs::path> prefixes = {environment("VIRTUAL_ENV"), environment("CONDA_PREFIX"),
                                    python_prefix_on_path()};
  if (const std::string home = environment("HOME"); !home.empty())
    prefixes.push_back(fs::path(home) / ".local");
  std::vector<std::string> folders;
  for (const auto& prefix : prefixes) {
    if (prefix.empty()) continue;
    for (const auto& python : children(prefix / "lib")) {
      if (python.filename().string().rfind("python3", 0) != 0) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const auto& package : children(python / packages / "nvidia")) {
          const fs::path folder = package / "lib";
          if (is_folder(folder) &&
              std::find(folders.begin(), folders.end(), folder.string()) == folders.end()) {
            folders.push_back(folder.string());
          }
        }
      }
    }
  }
  return folders;
}

std::vector<std::string> cuda_toolkit_folders() {
  std::vector<std::string> folders;
  for (const fs::path root :
       {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    if (root.empty()) continue;
    for (const char* below : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                              "extras/CUPTI/lib64"}) {
      const fs::path folder = root / below;
      if (is_folder(folder) &&
          std::find(folders.begin(), folders.end(), folder.string()) == folders.end()) {
        folders.push_back(folder.string());
      }
    }
  }
  return folders;
}

Result<DynamicLibrary> DynamicLibrary::load(const LibraryRequest& request, LibraryState& state) {
  state = LibraryState{};
  state.name = request.name;
  std::string first_problem;

  const auto try_open = [&](const std::string& path, const std::string& found_by) {
    DynamicLibrary library;
    // Symbols stay local: the program must not lend our cuDNN to anybody else's lookup.
    library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ == nullptr) {
      const char* reason = dlerror();
      std::error_code ignored;
      // A file that is there and does not load is worth telling; one that is absent is not.
      if (first_problem.empty() && reason != nullptr && fs::exists(path, ignored))
        first_problem = reason;
      return library;
    }
    library.path_ = loaded_path(library.handle_, path);
    state.found = true;
    state.path = library.path_;
    state.found_by = found_by;
    return library;
  };

  const std::string given = environment(request.environment_variable.c_str());
  if (!given.empty()) {
    const std::string found_by = "environment variable " + request.environment_variable;
    state.searched.push_back(request.environment_variable + "=" + given);
    if (is_folder(given)) {
      for (const auto& name : request.file_names) {
        if (auto library = try_open((fs::path(given) / name).string(), found_by);
            library.handle_ != nullptr)
          return library;
      }
    } else if (auto library = try_open(given, found_by); library.handle_ != nullptr) {
      return library;
    }
    // What the user names and cannot be loaded is an error: another copy in its place would be a
    // surprise.
    state.problem = request.environment_variable + " is set to '" + given +
                    "', which cannot be loaded" +
                    (first_problem.empty() ? "" : ": " + first_problem);
    return fail(ErrorCode::not_found, state.problem,
                "set " + request.environment_variable +
                    " to the library or the folder that has it, or unset it");
  }

  state.searched.push_back("loader path");
  for (const auto& name : request.file_names) {
    if (auto library = try_open(name, "loader path"); library.handle_ != nullptr) return library;
  }
  const auto try_folders = [&](const std::vector<std::string>& folders,
                               const std::string& found_by) {
    for (const auto& folder : folders) {
      state.searched.push_back(folder);
      for (const auto& name : request.file_names) {
        const auto path = (fs::path(folder) / name).string();
        std::error_code ignored;
        if (!fs::exists(path, ignored)) continue;
        if (auto library = try_open(path, found_by); library.handle_ != nullptr) return library;
      }
    }
    return DynamicLibrary{};
  };
  if (auto library = try_folders(python_wheel_folders(), "Python wheel");
      library.handle_ != nullptr)
    return library;
  if (auto library = try_folders(cuda_toolkit_folders(), "CUDA toolkit");
      library.handle_ != nullptr)
    return library;

  state.problem =
      first_problem.empty() ? request.file_names.front() + " was not found" : first_problem;
  return fail(ErrorCode::not_found, request.name + " cannot be loaded: " + state.problem,
              "install it, add its folder to LD_LIBRARY_PATH, or set " +
                  request.environment_variable +
                  "; 'rnnadvisor doctor' shows where it was looked for");
}

void* DynamicLibrary::symbol(const char* name) const {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

}  // namespace rnnadvisor
