// Writing a file as a whole or not at all. Every output of the program goes through here: text is
// written into a temporary file in the target's folder, flushed to the disk and renamed, so that a
// full disk, a signal or a crash leaves the previous file as it was.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rnnadvisor {

struct OutputFileOptions {
  bool replace = true;        // false: a file that exists is an error
  bool owner_only = false;    // a new file is readable by its owner alone; else as the umask says
  bool make_folders = false;  // those above the target; else a folder that is missing is an error
};

// A symbolic link is followed: it stays and its target is replaced. A file that is replaced leaves
// its permissions to the new one. Devices, pipes and /dev/stdout are written directly. Not for
// several threads. Errors (io) name the path.
class OutputFile {
 public:
  static Result<OutputFile> open(const std::string& path, const OutputFileOptions& options = {});
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // what was not committed is removed

  Result<void> write(std::string_view bytes);
  // The file to be filled, for a writer that opens it itself; empty for a device.
  const std::string& temporary() const { return temporary_; }
  // Puts the file in its place. Nothing may be written afterwards.
  Result<void> commit();

 private:
  OutputFile() = default;
  Result<void> make_temporary();
  Result<void> write_out();
  Error error(int number, std::string_view doing = {}) const;

  std::string path_;       // as the user wrote it
  std::string target_;     // where links lead
  std::string temporary_;  // empty: written directly, or committed
  std::string buffer_;     // what was given to write() and has not been written
  int descriptor_ = -1;
  OutputFileOptions options_;
};

Result<void> write_file(const std::string& path, std::string_view text,
                        const OutputFileOptions& options = {});

// For a process that ends without its destructors: removes the temporary files of all that is being
// written. Allocates nothing.
void remove_unfinished_files() noexcept;

// Whether writing to `path` replaces nothing: /dev/stdout and its like, a device, a pipe.
bool is_written_directly(const std::string& path);

// Whether both name one file, by whatever path or link; false where one does not exist. "-" is
// standard input.
bool is_same_file(const std::string& path, const std::string& other);

}  // namespace rnnadvisor
