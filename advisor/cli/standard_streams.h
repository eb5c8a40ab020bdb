// Standard input and output by their descriptors: what was not written is known with its reason,
// and input that pauses can be told from input that has more.
#pragma once

#include <functional>
#include <streambuf>
#include <string_view>
#include <utility>
#include <vector>

namespace rnnadvisor::cli {

// Writes all it is given, also to a pipe that takes no more at the moment. After a failure every
// write fails.
class DescriptorOutput : public std::streambuf {
 public:
  explicit DescriptorOutput(int descriptor);
  ~DescriptorOutput() override;
  DescriptorOutput(const DescriptorOutput&) = delete;
  DescriptorOutput& operator=(const DescriptorOutput&) = delete;
  int problem() const { return problem_; }  // errno of the first failure, or 0

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  bool write_out();

  int descriptor_;
  int problem_ = 0;
  std::vector<char> buffer_;
};

// Gives what there is instead of waiting for a full buffer. in_avail() is 0 where the next read
// would wait for input.
class DescriptorInput : public std::streambuf {
 public:
  explicit DescriptorInput(int descriptor);

 protected:
  int_type underflow() override;
  std::streamsize showmanyc() override;

 private:
  int descriptor_;
  std::vector<char> buffer_;
};

// What stands between the commands and a stream that a terminal may show: control characters of
// names in files (a colour, a title, a cursor that moves) become U+FFFD. Our own colours and the
// clearing of a line pass where `styled` says that there are any.
class CleanOutput : public std::streambuf {
 public:
  CleanOutput(std::streambuf& to, std::function<bool()> styled)
      : to_(to), styled_(std::move(styled)) {}

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override { return to_.pubsync(); }

 private:
  std::size_t sequence(std::string_view rest) const;

  std::streambuf& to_;
  std::function<bool()> styled_;
};

// Keeps the places of streams that are closed (`>&-`), which the next file to be opened would take:
// a report would then be written into it. Reading or writing them fails, as it did.
void occupy_closed_streams();

}  // namespace rnnadvisor::cli
