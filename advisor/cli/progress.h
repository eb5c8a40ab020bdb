// A line on standard error that says how far long work is and how long it will take; only on a
// terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "advisor/cli/context.h"

namespace rnnadvisor::cli {

class Progress {
 public:
  // `total` things to do. Shows nothing with --no-progress, --quiet or when standard error is no
  // terminal.
  Progress(const Context& context, int total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `what` has just ended and `finished` of the total are done.
  void show(int finished, std::string_view what);

 private:
  const Context& context_;
  const int total_;
  const bool enabled_;
  const std::chrono::steady_clock::time_point start_;
  bool drawn_ = false;
};

// The line itself: "[ 12/144] gnmt_layer · 3 min left". Cut to `width` columns.
std::string progress_line(int finished, int total, double elapsed_seconds, std::string_view what,
                          int width);
// "12 s", "3 min", "1 h 05 min"
std::string format_duration(double seconds);

}  // namespace rnnadvisor::cli
