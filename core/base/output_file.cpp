#include "core/base/output_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include "core/base/out_of_memory.h"

namespace rnnadvisor {
namespace {

// Short, so that it fits beside a target with the longest name that a folder can hold.
constexpr std::string_view temporary_begin = ".rnnadvisor-", temporary_end = ".tmp";

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Where symbolic links lead, also when nothing is there yet.
std::string resolve(std::string path) {
  constexpr int most_links = 40;
  for (int links = 0; links < most_links; ++links) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length <= 0) return path;
    const std::string_view leads_to(target.data(), static_cast<std::size_t>(length));
    path = leads_to.starts_with('/') ? std::string(leads_to)
                                     : fmt::format("{}/{}", folder_of(path), leads_to);
  }
  return path;
}

// The descriptor that a path of /dev stands for. Opening /dev/stdout anew would begin at the start
// of the file behind it.
std::optional<int> descriptor_named(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    path.remove_prefix(folder.size());
    int number = -1;
    const auto [end, failed] = std::from_chars(path.data(), path.data() + path.size(), number);
    if (failed == std::errc() && end == path.data() + path.size() && number >= 0) return number;
  }
  return std::nullopt;
}

// What writers that were killed left behind: they held a lock, and the system took it from them.
void remove_abandoned(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), &::closedir);
  if (!listing) return;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(temporary_begin) || !name.ends_with(temporary_end)) continue;
    const std::string path = fmt::format("{}/{}", folder, name);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(file);
  }
}

// 0, or the errno. Some file systems cannot flush; that is no reason to refuse.
int flush(int file) {
  if (::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return 0;
  return errno;
}

// 0, or the errno.
int rename_over(const std::string& from, const std::string& to, bool replace) {
  if (replace) return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno == EEXIST) return EEXIST;
  // Not every file system knows RENAME_NOREPLACE; link() refuses an existing name too.
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

// Descriptors of temporary files plus 1, 0: none; for remove_unfinished_files(). What is beyond
// these is removed by the next writer in its folder.
std::array<std::atomic<int>, 16> unfinished;

void exchange_unfinished(int from, int to) {
  for (auto& one : unfinished) {
    int held = from;
    if (one.compare_exchange_strong(held, to)) return;
  }
}
void begin_unfinished(int descriptor) { exchange_unfinished(0, descriptor + 1); }
void end_unfinished(int descriptor) { exchange_unfinished(descriptor + 1, 0); }

Error exists_already(const std::string& path) {
  return {ErrorCode::io,
          fmt::format("'{}' exists already", path),
          "choose another name, or replace it with --force",
          std::nullopt,
          {}};
}

}  // namespace

Error OutputFile::error(int number, std::string_view doing) const {
  std::string remedy = "check that the folder exists, its permissions and the free space";
  if (number == ENOSPC || number == EDQUOT || number == EFBIG)
    remedy = "free some space on the disk, or write elsewhere";
  return {
      ErrorCode::io,
      fmt::format("cannot write '{}': {}{}", path_, doing, std::generic_category().message(number)),
      std::move(remedy),
      std::nullopt,
      {}};
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      options_(other.options_) {}

OutputFile::~OutputFile() {
  // While the lock is held, so that no other process takes the file for abandoned and removes it.
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    end_unfinished(descriptor_);
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<OutputFile> OutputFile::open(const std::string& path, const OutputFileOptions& options) {
  OutputFile file;
  file.path_ = path;
  file.options_ = options;
  if (const auto descriptor = descriptor_named(path)) {
    file.descriptor_ = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
    if (file.descriptor_ < 0) return fail(file.error(errno));
    return file;
  }
  file.target_ = resolve(path);
  struct stat present{};
  if (::stat(file.target_.c_str(), &present) == 0) {
    if (S_ISDIR(present.st_mode)) return fail(file.error(EISDIR));
    if (!S_ISREG(present.st_mode)) {
      file.descriptor_ = ::open(file.target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (file.descriptor_ < 0) return fail(file.error(errno));
      return file;
    }
    if (!options.replace) return fail(exists_already(path));
  }
  if (options.make_folders) {
    std::error_code failed;
    std::filesystem::create_directories(folder_of(file.target_), failed);
    if (failed) return fail(file.error(failed.value()));
  }
  remove_abandoned(folder_of(file.target_));
  if (auto made = file.make_temporary(); !made) return fail(std::move(made.error()));
  return file;
}

Result<void> OutputFile::make_temporary() {
  std::random_device random;
  const mode_t mode = options_.owner_only ? 0600 : 0666;
  for (int attempt = 0; attempt < 100; ++attempt) {
    auto name =
        fmt::format("{}/{}{:08x}{}", folder_of(target_), temporary_begin, random(), temporary_end);
    const int file = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) return fail(error(errno));
    // Another writer may have taken it for abandoned before it was locked. Where there are no
    // locks nothing is ever taken for abandoned.
    struct stat status{};
    if (::flock(file, LOCK_EX) == 0 && ::fstat(file, &status) == 0 && status.st_nlink == 0) {
      ::close(file);
      continue;
    }
    descriptor_ = file;
    temporary_ = std::move(name);
    begin_unfinished(file);
    return {};
  }
  return fail(error(EEXIST, "no name for a temporary file: "));
}

Result<void> OutputFile::write(std::string_view bytes) {
  constexpr std::size_t enough = std::size_t{1} << 18;
  buffer_ += bytes;
  if (buffer_.size() < enough) return {};
  return write_out();
}

Result<void> OutputFile::write_out() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(error(written < 0 ? errno : EIO));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return {};
}

Result<void> OutputFile::commit() {
  if (auto written = write_out(); !written) return written;
  if (temporary_.empty()) return {};
  if (memory_was_missing())
    return fail(ErrorCode::out_of_memory, fmt::format("'{}': {}", path_, no_memory_text));
  struct stat present{};
  if (::stat(target_.c_str(), &present) == 0) {
    // The new file is as readable as the one it replaces, as far as that is ours to set.
    const bool same_owner = ::fchown(descriptor_, present.st_uid, present.st_gid) == 0;
    const mode_t mode = present.st_mode & (same_owner ? 07777U : 0777U);
    if (::fchmod(descriptor_, mode) != 0 && errno != EPERM)
      return fail(error(errno, "its permissions cannot be kept: "));
  }
  if (const int number = flush(descriptor_); number != 0) return fail(error(number));
  const int number = rename_over(temporary_, target_, options_.replace);
  if (number == EEXIST) return fail(exists_already(path_));
  if (number != 0) return fail(error(number));
  temporary_.clear();
  end_unfinished(descriptor_);
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return {};  // a folder that can be written and not read
  const int problem = flush(folder);
  ::close(folder);
  if (problem != 0) return fail(error(problem));
  return {};
}

Result<void> write_file(const std::string& path, std::string_view text,
                        const OutputFileOptions& options) {
  auto file = OutputFile::open(path, options);
  if (!file) return fail(std::move(file.error()));
  if (auto written = file->write(text); !written) return written;
  return file->commit();
}

void remove_unfinished_files() noexcept {
  constexpr std::string_view folder = "/proc/self/fd/";
  for (const auto& one : unfinished) {
    const int descriptor = one - 1;
    if (descriptor < 0) continue;
    std::array<char, folder.size() + 12> link{};
    folder.copy(link.data(), folder.size());
    std::to_chars(link.data() + folder.size(), link.data() + link.size() - 1, descriptor);
    std::array<char, PATH_MAX> path{};
    if (::readlink(link.data(), path.data(), path.size() - 1) > 0) ::unlink(path.data());
  }
}

bool is_written_directly(const std::string& path) {
  if (descriptor_named(path)) return true;
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_same_file(const std::string& path, const std::string& other) {
  const auto look = [](const std::string& name, struct stat& status) {
    return (name == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(name.c_str(), &status)) == 0;
  };
  struct stat a{}, b{};
  if (!look(path, a) || !look(other, b)) return false;
  // A terminal may be read and written.
  return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace rnnadvisor
