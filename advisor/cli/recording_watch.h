// Tells, while a program records, how many RNN calls were seen (for --progress json), and that a
// recording grows large.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "advisor/cli/context.h"
#include "advisor/cli/progress.h"

namespace rnnadvisor::cli {

// When a recording is worth a word, and which: at 1 GiB and whenever it has doubled, and once when
// what is free on the disk would last less than ten minutes.
class RecordingSize {
 public:
  // `bytes` after `seconds`; `free` on the disk, negative: not known. The rate is that since the
  // last look.
  std::optional<std::string> look(double seconds, std::int64_t bytes, std::int64_t free);

 private:
  double seconds_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t next_ = std::int64_t{1} << 30;
  bool warned_ = false;
};

// From its making to its end. Does nothing, and makes no thread, without a terminal and where
// --quiet silences remarks. The thread takes no signals: those are run_program()'s.
class RecordingWatch {
 public:
  RecordingWatch(const Context& context, ProgressStream& stream, std::string folder);
  ~RecordingWatch();
  RecordingWatch(const RecordingWatch&) = delete;
  RecordingWatch& operator=(const RecordingWatch&) = delete;

 private:
  double seconds() const;
  void tell();
  void tell_size();

  const Context& context_;
  ProgressStream& stream_;
  RecordingSize size_;
  const std::string folder_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::jthread thread_;
};

}  // namespace rnnadvisor::cli
