// How far long work is and how long it will take: a line on a terminal for people, or JSON Lines
// for a program that watches (--progress json).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "advisor/cli/context.h"

namespace rnnadvisor::cli {

// Progress for a program that watches: one JSON object a line, flushed. A value that is not known
// is left out. docs/schema/progress.schema.json describes it.
struct ProgressReport {
  std::string_view doing;  // "running", "recording", "collecting"
  int finished = -1;       // of `total` configurations
  int total = -1;
  std::string_view what;    // the newest of them
  std::int64_t calls = -1;  // RNN calls seen
  int processes = -1;       // that record
  double elapsed_seconds = 0;
};
std::string progress_json(const ProgressReport& report);

// Where the lines of --progress json go: standard error, or the file of json:FILE. Says once when
// that cannot be written. Used by one thread at a time.
class ProgressStream {
 public:
  explicit ProgressStream(const Context& context);
  ~ProgressStream();
  ProgressStream(const ProgressStream&) = delete;
  ProgressStream& operator=(const ProgressStream&) = delete;

  bool wanted() const { return stream_ != nullptr; }
  void write(const ProgressReport& report);

 private:
  std::unique_ptr<std::ostream> file_;
  std::ostream* stream_ = nullptr;
};

class Progress {
 public:
  // `total` things to do. Shows nothing with --no-progress, --quiet or when standard error is no
  // terminal; with --progress json it says the same as JSON.
  Progress(const Context& context, int total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `what` has just ended and `finished` of the total are done.
  void show(int finished, std::string_view what);

 private:
  const Context& context_;
  const int total_;
  const bool line_;
  ProgressStream json_;
  const std::chrono::steady_clock::time_point start_;
  bool drawn_ = false;
};

// The line itself: "[ 12/144] gnmt_layer · 3 min left". Cut to `width` columns.
std::string progress_line(int finished, int total, double elapsed_seconds, std::string_view what,
                          int width);
// "12 s", "3 min", "1 h 05 min"
std::string format_duration(double seconds);

}  // namespace rnnadvisor::cli
