#include "advisor/cli/torch_interpreter.h"

#include <unistd.h>

#include <filesystem>
#include <optional>

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;

bool runs(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// "/home/me/env" of "/home/me/env/lib/python3.12/site-packages/torch/nn/modules/rnn.py".
std::optional<fs::path> environment_of(const std::string& file) {
  const auto at = file.find("/site-packages/torch/");
  if (at == std::string::npos || !file.starts_with('/')) return std::nullopt;
  const fs::path version = file.substr(0, at);
  const auto lib = version.parent_path();
  if (lib.filename() != "lib" && lib.filename() != "lib64") return std::nullopt;
  std::error_code ignored;
  auto prefix = lib.parent_path();
  if (!fs::exists(prefix / "pyvenv.cfg", ignored) && !fs::exists(prefix / "conda-meta", ignored))
    return std::nullopt;
  return prefix;
}

}  // namespace

std::string torch_interpreter(const std::string& given, const Profile& profile) {
  if (!given.empty()) return given;
  for (const auto& site : profile.call_sites) {
    if (site.file < 0) continue;
    const auto prefix = environment_of(profile.text(site.file));
    if (!prefix) continue;
    for (const auto* name : {"bin/python3", "bin/python"})
      if (runs(*prefix / name)) return (*prefix / name).string();
  }
  for (const auto& process : profile.processes) {
    const fs::path program = process.executable;
    if (program.filename().string().starts_with("python") && runs(program)) return program.string();
  }
  return "python3";
}

}  // namespace rnnadvisor::cli
