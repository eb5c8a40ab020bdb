// Replacing a file as a whole or not at all.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "profiler/profile/file_parts.h"

namespace rnnadvisor {
namespace {

Error system_error(std::string_view what, int number) {
  return {ErrorCode::io, fmt::format("{}: {}", what, std::strerror(number)), {}, std::nullopt, {}};
}

// Removed unless it has been renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Where a symbolic link leads, so that the link stays and its target is replaced.
std::string resolve(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

Result<std::string> make_temporary(const std::string& path) {
  // A name of our own and O_EXCL rather than mkstemp(), which would make the file unreadable to the
  // user's group.
  for (int attempt = 0; attempt < 100; ++attempt) {
    auto name = fmt::format("{}.{}-{}.tmp", path, ::getpid(), attempt);
    const int file = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (file >= 0) {
      ::close(file);
      return name;
    }
    if (errno != EEXIST) {
      auto error = system_error(fmt::format("cannot write in {}", directory_of(path)), errno);
      error.remedy = "check that the directory exists and that you may write to it";
      return fail(std::move(error));
    }
  }
  return fail(ErrorCode::io, "too many temporary files of earlier writes",
              fmt::format("remove {}.*.tmp", path));
}

Result<void> flush(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) return fail(system_error("cannot be flushed to the disk", errno));
  const int status = ::fsync(file);
  const int number = errno;
  ::close(file);
  // Some file systems cannot flush a directory; that is no reason to refuse.
  if (status != 0 && number != EINVAL && number != ENOTSUP)
    return fail(system_error("cannot be flushed to the disk", number));
  return {};
}

Error exists() {
  return {ErrorCode::io,
          "the file exists already",
          "choose another name, or say that it may be replaced",
          std::nullopt,
          {}};
}

Result<void> rename_over(const std::string& from, const std::string& to, bool replace) {
  if (replace) {
    if (::rename(from.c_str(), to.c_str()) != 0)
      return fail(system_error("cannot be renamed into place", errno));
    return {};
  }
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EEXIST) return fail(exists());
  // Not every file system knows RENAME_NOREPLACE; link() refuses an existing name too.
  if (::link(from.c_str(), to.c_str()) != 0) {
    if (errno == EEXIST) return fail(exists());
    return fail(system_error("cannot be renamed into place", errno));
  }
  ::unlink(from.c_str());
  return {};
}

}  // namespace

Result<void> replace_file(const std::string& path, bool replace,
                          const std::function<Result<void>(const std::string& temporary)>& fill) {
  const std::string target = resolve(path);
  struct stat present{};
  const bool there = ::stat(target.c_str(), &present) == 0;
  if (there && !S_ISREG(present.st_mode))
    return fail(ErrorCode::io, "it is not a regular file", "choose another name");
  if (there && !replace) return fail(exists());

  auto name = make_temporary(target);
  if (!name) return fail(std::move(name.error()));
  TemporaryFile temporary(*name);
  if (auto filled = fill(temporary.path()); !filled) return filled;
  // The new file is as readable as the one it replaces; where that is not ours to set, the default
  // stays.
  if (there && ::chmod(temporary.path().c_str(), present.st_mode & 07777) != 0 && errno != EPERM) {
    return fail(system_error("its permissions cannot be set", errno));
  }
  if (auto flushed = flush(temporary.path(), O_RDONLY); !flushed) return flushed;
  if (auto renamed = rename_over(temporary.path(), target, replace); !renamed) return renamed;
  temporary.keep();
  return flush(directory_of(target), O_RDONLY | O_DIRECTORY);
}

}  // namespace rnnadvisor
