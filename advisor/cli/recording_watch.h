// Tells, while a program records, how many RNN calls were seen: for --progress json.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "advisor/cli/progress.h"

namespace rnnadvisor::cli {

// From its making to its end. Does nothing, and makes no thread, where nobody watches. The thread
// takes no signals: those are run_program()'s.
class RecordingWatch {
 public:
  RecordingWatch(ProgressStream& stream, std::string folder);
  ~RecordingWatch();
  RecordingWatch(const RecordingWatch&) = delete;
  RecordingWatch& operator=(const RecordingWatch&) = delete;

 private:
  void tell();

  ProgressStream& stream_;
  const std::string folder_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::jthread thread_;
};

}  // namespace rnnadvisor::cli
