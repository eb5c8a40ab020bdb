#include "profiler/launch/framework_library.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace rnnadvisor::launch {
namespace {

namespace fs = std::filesystem;

struct Package {
  std::string_view folder;                        // of the package: ".../torch/..."
  std::array<std::string_view, 3> distributions;  // names under which it is installed
  Framework framework;
};

// onnxruntime's packages are named after what they run on.
constexpr std::array<Package, 6> packages = {{
    {"torch", {"torch", "pytorch"}, Framework::pytorch},
    {"tensorflow", {"tensorflow", "tensorflow_gpu", "tf_nightly"}, Framework::tensorflow},
    {"jaxlib", {"jaxlib", "jax"}, Framework::jax},
    {"jax", {"jax", "jaxlib"}, Framework::jax},
    {"jax_plugins", {"jaxlib", "jax"}, Framework::jax},
    {"onnxruntime", {"onnxruntime_gpu", "onnxruntime"}, Framework::onnxruntime},
}};

// Keras 3 and Keras 2 are installed under one name, and Keras 2 under another one beside Keras 3.
constexpr Package keras_package = {"keras", {"keras", "keras_nightly"}, Framework::keras3};
constexpr Package legacy_keras = {"tf_keras", {"tf_keras", "tf_keras_nightly"}, Framework::keras2};

// Libraries that tell by their name where the folder does not: programs in C++.
constexpr std::array<std::pair<std::string_view, Framework>, 4> library_names = {{
    {"libtorch", Framework::pytorch},
    {"libtensorflow", Framework::tensorflow},
    {"libonnxruntime", Framework::onnxruntime},
    {"libjax", Framework::jax},
}};

// "2.11.0" of "torch-2.11.0+cu130.dist-info"; what follows '+' describes only the build.
std::string version_in(const fs::path& folder, const Package& package) {
  std::error_code error;
  std::string found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.ends_with(".dist-info") && !name.ends_with(".egg-info")) continue;
    const auto dash = name.find('-');
    if (dash == std::string::npos) continue;
    for (const auto distribution : package.distributions) {
      if (distribution.empty() || name.compare(0, dash, distribution) != 0) continue;
      std::string version = name.substr(dash + 1, name.rfind('.') - dash - 1);
      // Eggs go on with "-py3.11-linux-x86_64".
      version.resize(std::min(version.find_first_of("+-"), version.size()));
      // The first of the list is the package itself; the others stand in for it.
      if (distribution == package.distributions.front()) return version;
      found = version;
    }
  }
  return found;
}

// By its version; where that is not known, by files that only Keras 3 has.
std::optional<FrameworkLibrary> keras_in(const fs::path& folder, std::string_view path) {
  const std::string version = version_in(folder, keras_package);
  if (version.empty()) {
    // TensorFlow's own copy, of the time of Keras 2.
    if (path.find("/tensorflow/python/keras/") != std::string_view::npos)
      return FrameworkLibrary{Framework::keras2, {}};
    for (const std::string_view of_3 : {"/keras/src/backend/", "/keras/src/ops/"})
      if (path.find(of_3) != std::string_view::npos) return FrameworkLibrary{Framework::keras3, {}};
    return std::nullopt;
  }
  const bool old = version.starts_with("2.") || version.starts_with("1.");
  return FrameworkLibrary{old ? Framework::keras2 : Framework::keras3, version};
}

}  // namespace

std::optional<FrameworkLibrary> keras_beside(std::string_view library, bool legacy) {
  for (const std::string_view imported : {"/h5py/", "/optree/"}) {
    const auto at = library.rfind(imported);
    if (at == std::string_view::npos) continue;
    const fs::path folder(library.substr(0, at));
    if (!legacy) return keras_in(folder, {});
    const std::string version = version_in(folder, legacy_keras);
    if (!version.empty()) return FrameworkLibrary{Framework::keras2, version};
  }
  return std::nullopt;
}

std::optional<FrameworkLibrary> framework_of(std::string_view path) {
  // The innermost folder with a package's name: an environment may be called "torch", too.
  fs::path folder = fs::path(path).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (name == keras_package.folder) return keras_in(folder.parent_path(), path);
    if (name == legacy_keras.folder)
      return FrameworkLibrary{Framework::keras2, version_in(folder.parent_path(), legacy_keras)};
    const auto package = std::find_if(packages.begin(), packages.end(),
                                      [&](const Package& p) { return p.folder == name; });
    if (package == packages.end()) continue;
    // Keras has a folder for each framework that it runs on.
    if (folder.parent_path().filename() == "backend" &&
        path.find("/keras/") != std::string_view::npos)
      continue;
    return FrameworkLibrary{package->framework, version_in(folder.parent_path(), *package)};
  }
  const std::string file = fs::path(path).filename().string();
  for (const auto& [name, framework] : library_names) {
    if (file.starts_with(name)) return FrameworkLibrary{framework, {}};
  }
  return std::nullopt;
}

}  // namespace rnnadvisor::launch
