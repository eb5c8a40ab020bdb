// A child process that runs configurations. Used by profiler/run, and where PyTorch tries changes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace rnnadvisor {

class WorkerProcess {
 public:
  // Starts `program worker --device N --directory D`.
  static Result<WorkerProcess> start(const std::string& program, int device,
                                     const std::string& directory);
  // Starts another program, found on PATH where its name has no slash. Its standard input is the
  // file `input`; what it writes to standard error is appended to the file `errors`. send_line()
  // has no one to send to then.
  static Result<WorkerProcess> start_program(const std::vector<std::string>& command,
                                             const std::string& input, const std::string& errors);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // ends the child at once if it still runs

  // False when the child is gone.
  bool send_line(const std::string& line);
  void close_input();
  // Reads what is there without waiting, a mebibyte at most; complete lines are appended to
  // `lines`. False at end of file.
  bool read_lines(std::vector<std::string>& lines);
  int output_descriptor() const { return output_; }
  // Of a line whose end has not come yet, bytes.
  std::size_t unfinished() const { return partial_.size(); }
  void kill_now();
  // Waits for the end and tells it in words: "exit status 3", "signal 11 (Segmentation fault)".
  std::string wait_for_end(int& exit_status);

 private:
  WorkerProcess() = default;
  pid_t pid_ = -1;
  int input_ = -1;   // the child's standard input
  int output_ = -1;  // the child's standard output
  std::string partial_;
};

}  // namespace rnnadvisor
