#include "advisor/cli/output_name.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "advisor/cli/configurations.h"
#include "core/base/text.h"
#include "profiler/profile/environment.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view spool_mark = ".spool-";

}  // namespace

NameParts name_parts(std::string host) {
  return {getpid(), std::move(host), [](std::string_view name) -> std::optional<std::string> {
            const char* value = std::getenv(std::string(name).c_str());
            if (value == nullptr) return std::nullopt;
            return value;
          }};
}

bool is_taken(const std::string& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::not_found) return true;
  const fs::path file(path);
  const std::string beginning = file.filename().string() + std::string(spool_mark);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(beginning)) return true;
  }
  return false;
}

Result<std::string> expand_output_name(std::string_view pattern, const NameParts& parts) {
  const auto wrong = [&](std::string_view what, std::string remedy) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--output '{}': {}", to_valid_utf8(pattern), to_valid_utf8(what)),
                std::move(remedy));
  };
  std::string name;
  bool has_number = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      name += pattern[at];
      continue;
    }
    const char kind = at + 1 < pattern.size() ? pattern[++at] : '\0';
    switch (kind) {
      case '%':
        name += '%';
        break;
      case 'p':
        name += std::to_string(parts.pid);
        break;
      case 'h':
        name += parts.host;
        break;
      case 'n':
        name += '\0';  // no file has that in its name
        has_number = true;
        break;
      case 'q': {
        const auto close = pattern.find('}', at);
        if (at + 1 >= pattern.size() || pattern[at + 1] != '{' || close == std::string_view::npos)
          return wrong("%q wants a variable in braces", "write %q{NAME}");
        const auto variable = pattern.substr(at + 2, close - at - 2);
        const auto value = parts.variable(variable);
        if (!value)
          return wrong(fmt::format("the variable {} is not set", variable),
                       "set it, or leave it out");
        name += *value;
        at = close;
        break;
      }
      default:
        return wrong("there is no such thing behind %",
                     "%p, %h, %q{NAME}, %n and %% are known; write %% for a percent sign");
    }
  }
  if (!has_number) return name;
  for (int number = 1;; ++number) {
    std::string candidate;
    for (const char c : name) candidate += c == '\0' ? std::to_string(number) : std::string(1, c);
    if (!is_taken(candidate)) return candidate;
  }
}

std::string default_output_name(const NameParts& parts) {
  std::string stem = fmt::format("rnnadvisor-{}", time_now(true));
  for (const char* variable :
       {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const auto rank = parts.variable(variable);
    if (!rank || rank->empty() || rank->find_first_not_of("0123456789") != std::string::npos)
      continue;
    stem += "-rank" + *rank;
    break;
  }
  std::string name = stem + ".rnnprof";
  for (int number = 2; is_taken(name); ++number) name = fmt::format("{}-{}.rnnprof", stem, number);
  return name;
}

Result<ClaimedName> ClaimedName::claim(const std::function<std::string()>& next) {
  for (std::string path, previous;; previous = path) {
    path = next();
    if (path == previous) {
      return fail(ErrorCode::invalid_argument, fmt::format("'{}' exists already", path),
                  "use --force to replace it");
    }
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) {
      return fail(ErrorCode::io, fmt::format("cannot write '{}': {}", path, std::strerror(errno)),
                  "check the folder of --output, its permissions and the free space");
    }
    ::flock(file, LOCK_EX | LOCK_NB);  // where there are no locks, no claim counts as abandoned
    return ClaimedName(path, file);
  }
}

ClaimedName::ClaimedName(ClaimedName&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

ClaimedName::~ClaimedName() {
  if (descriptor_ < 0) return;
  struct stat ours{}, there{};
  if (::fstat(descriptor_, &ours) == 0 && ::stat(path_.c_str(), &there) == 0 &&
      ours.st_dev == there.st_dev && ours.st_ino == there.st_ino && there.st_size == 0)
    ::unlink(path_.c_str());
  ::close(descriptor_);
}

bool is_abandoned_claim(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status{};
  const bool abandoned = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_size == 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return abandoned;
}

namespace {
// A program that root starts may become another user before its first call of CUDA: others may add
// files, and neither see nor change what is there.
void let_programs_of_root_add(const std::string& folder) {
  if (geteuid() == 0) chmod(folder.c_str(), 01733);
}
}  // namespace

Result<std::string> make_spool_folder(const std::string& output) {
  std::error_code error;
  const fs::path absolute = fs::absolute(output, error);
  std::string pattern = fmt::format("{}{}XXXXXX", absolute.string(), spool_mark);
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return fail(ErrorCode::io,
                fmt::format("cannot make a folder beside '{}': {}", output,
                            error ? error.message() : std::strerror(errno)),
                "check the folder of --output, its permissions and the free space");
  }
  let_programs_of_root_add(pattern);
  return pattern;
}

Result<std::string> make_shared_spool_folder(const std::string& folder) {
  std::error_code error;
  fs::path absolute = fs::absolute(folder, error).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();  // "folder/"
  if (!error && absolute.has_parent_path()) fs::create_directories(absolute.parent_path(), error);
  if (mkdir(absolute.c_str(), 0700) == 0) let_programs_of_root_add(absolute);
  // One that is there keeps its permissions: it may be shared on purpose.
  if (!fs::is_directory(absolute, error)) {
    return fail(ErrorCode::io, fmt::format("--folder: cannot make the folder '{}'", folder),
                "name a folder that can be written to");
  }
  return absolute.string();
}

}  // namespace rnnadvisor::cli
