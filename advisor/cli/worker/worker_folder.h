// Where a worker leaves its results. Private to the worker folder.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace rnnadvisor::cli {

// A folder that is removed with everything in it. path() is empty when none could be made.
class WorkerFolder {
 public:
  WorkerFolder() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "rnnadvisor-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~WorkerFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  WorkerFolder(const WorkerFolder&) = delete;
  WorkerFolder& operator=(const WorkerFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace rnnadvisor::cli
