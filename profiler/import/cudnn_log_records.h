// The records of cuDNN's own API log (CUDNN_LOGLEVEL_DBG, CUDNN_LOGDEST_DBG), line by line:
// https://docs.nvidia.com/deeplearning/cudnn/backend/latest/reference/troubleshooting.html. A
// record is what a call was given ("I!"), written before the call runs, or why one was refused
// ("E!", "W!"). The form is that of cuDNN 9.19; cuDNN 8 writes nearly the same, which no log of it
// has proven.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnnadvisor::import_trace {

struct LogRecord {
  bool whole = true;     // no: of a call whose lines are cut off or mixed with others
  bool refusal = false;  // E! or W!: the call before it, of the same function and thread, failed
  int version = 0;       // 91900
  std::string function;  // "cudnnRNNForward"
  // cuDNN writes local time without its zone: as if it were UTC; -1: cut off before it.
  std::int64_t time_ns = -1;
  std::int64_t process = -1, thread = -1;  // -1: not told
  int gpu = -1;                            // ordinal in its process; -1: NULL
  std::string stream;                      // "0x6bdcad0"; empty: the default stream, or not told
  // Of a call: {"rnnDesc.algo", "CUDNN_RNN_ALGO_STANDARD (0)"}, {"x", "0x7ff876000000"}, in order.
  std::vector<std::pair<std::string, std::string>> fields;
  std::string status, reason;  // of a refusal: "CUDNN_STATUS_BAD_PARAM", cuDNN's condition

  // Empty: not there.
  std::string_view field(std::string_view path) const;
  // The same without the number in brackets: "CUDNN_RNN_ALGO_STANDARD", and without quotes.
  std::string_view word(std::string_view path) const;
  std::optional<std::int64_t> number(std::string_view path) const;
  std::vector<std::int64_t> numbers(std::string_view path) const;  // of "[200,64,512]"
};

class LogRecords {
 public:
  // `take` gets every record of a call that runs or describes a layer, and the refusals of
  // functions of recurrent layers.
  explicit LogRecords(std::function<void(const LogRecord&)> take) : take_(std::move(take)) {}

  void add(std::string_view line);  // without its end
  void finish();

  std::int64_t records() const { return records_; }  // of any function
  // Lines that are not cuDNN's, empty ones apart.
  std::int64_t foreign_lines() const { return foreign_; }
  // Records of recurrent layers that end too early, or that hold the lines of two calls.
  std::int64_t damaged() const { return damaged_; }
  // Of RNN functions that cuDNN 9 has no more, whose records have another form.
  std::int64_t legacy_calls() const { return legacy_; }

 private:
  bool begin(std::string_view line);
  void add_field(std::string_view text);
  void add_refusal(std::string_view text);
  bool add_time(std::string_view text);
  bool add_place(std::string_view text);
  void close(bool whole);

  std::function<void(const LogRecord&)> take_;
  LogRecord record_;
  bool open_ = false, wanted_ = false, mixed_ = false;
  char letter_ = 0;  // of the lines of the open record
  std::vector<std::pair<std::size_t, std::string>> open_structs_;  // indentation and path
  std::int64_t records_ = 0, foreign_ = 0, damaged_ = 0, legacy_ = 0;
};

// "2026-11-28T22:19:52.550466" as nanoseconds since 1970.
std::optional<std::int64_t> parse_log_time(std::string_view text);

}  // namespace rnnadvisor::import_trace
