// A folder for what lasts no longer than a command.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>

#include "profiler/run/remove_folder.h"

namespace rnnadvisor {

// A folder that is removed with everything in it. path() is empty when none could be made. One that
// a killed process left behind is removed by the next: the lock on it is gone.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const auto above = std::filesystem::temp_directory_path(error);
    remove_abandoned(above);
    std::string name = (above / (std::string(beginning) + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    lock_ = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
  }
  ~ScratchFolder() {
    if (!path_.empty()) remove_folder(path_);
    if (lock_ >= 0) ::close(lock_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  static constexpr const char* beginning = "rnnadvisor-worker-";

  static void remove_abandoned(const std::filesystem::path& above) {
    constexpr std::time_t young = 60;  // seconds: it may not have been locked yet
    std::error_code error, ignored;
    for (std::filesystem::directory_iterator it(above, error), end; !error && it != end;
         it.increment(error)) {
      if (!it->path().filename().string().starts_with(beginning)) continue;
      const int folder =
          ::open(it->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
      if (folder < 0) continue;
      struct stat status{};
      if (::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
          status.st_mtime < std::time(nullptr) - young && ::flock(folder, LOCK_EX | LOCK_NB) == 0)
        std::filesystem::remove_all(it->path(), ignored);
      ::close(folder);
    }
  }

  std::string path_;
  int lock_ = -1;
};

}  // namespace rnnadvisor
