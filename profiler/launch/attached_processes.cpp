#include "profiler/launch/attached_processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "profiler/spool/settings.h"

namespace rnnadvisor::launch {
namespace {

namespace fs = std::filesystem;

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int parent_of(int pid) {
  const std::string status = read_whole(fmt::format("/proc/{}/status", pid));
  constexpr std::string_view label = "\nPPid:\t";
  const auto at = status.find(label);
  int parent = 0;
  if (at != std::string::npos)
    std::from_chars(status.data() + at + label.size(), status.data() + status.size(), parent);
  return parent;
}

std::set<int> this_and_its_ancestors() {
  std::set<int> all;
  for (int pid = getpid(); pid > 0 && all.insert(pid).second;) pid = parent_of(pid);
  return all;
}

// The value of a variable in a list of NAME=VALUE that end with NUL each.
std::string_view value_in(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const auto entry = environment.substr(0, environment.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
    environment.remove_prefix(std::min(environment.size(), entry.size() + 1));
  }
  return {};
}

}  // namespace

std::vector<int> attached_processes(const std::string& folder) {
  std::vector<int> found;
  std::error_code error;
  const auto wanted = fs::weakly_canonical(folder, error);
  if (error) return found;
  const auto excluded = this_and_its_ancestors();
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    int pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ptr != name.data() + name.size() || excluded.contains(pid)) continue;
    const std::string environment = read_whole(it->path() / "environ");
    const auto spool = value_in(environment, spool::variable::spool);
    if (spool.empty()) continue;
    std::error_code ignored;
    if (fs::weakly_canonical(fs::path(spool), ignored) == wanted && !ignored) found.push_back(pid);
  }
  return found;
}

bool is_open_to_others(const std::string& folder, std::string& closed) {
  std::error_code error;
  for (auto path = fs::weakly_canonical(folder, error); !error; path = path.parent_path()) {
    const auto permissions = fs::status(path, error).permissions();
    if (!error && (permissions & fs::perms::others_exec) == fs::perms::none) {
      closed = path.string();
      return false;
    }
    if (path == path.root_path()) break;
  }
  return true;
}

}  // namespace rnnadvisor::launch
