#include "advisor/cli/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "advisor/cli/interrupt.h"

namespace rnnadvisor::cli {
namespace {

constexpr std::size_t stream_buffer_bytes = std::size_t{1} << 16;

// May begin something that drives a terminal.
bool suspicious(unsigned char byte) {
  return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F || byte == 0xC2;
}

// The first such byte from `at` on, or the end. Most of what is written has none, so it is looked
// at in blocks, without a branch for each byte.
std::size_t next_suspicious(std::string_view text, std::size_t at) {
  constexpr std::size_t block = 64;
  for (; text.size() - at >= block; at += block) {
    bool any = false;
    for (std::size_t i = 0; i < block; ++i)
      any |= suspicious(static_cast<unsigned char>(text[at + i]));
    if (any) break;
  }
  while (at < text.size() && !suspicious(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

void wait_for(int descriptor, short event) {
  pollfd wait = {descriptor, event, 0};
  poll(&wait, 1, -1);
}

}  // namespace

DescriptorOutput::DescriptorOutput(int descriptor)
    : descriptor_(descriptor), buffer_(stream_buffer_bytes) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

DescriptorOutput::~DescriptorOutput() { write_out(); }

bool DescriptorOutput::write_out() {
  const char* at = pbase();
  while (problem_ == 0 && at < pptr()) {
    const ssize_t written = ::write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
    if (written > 0) {
      at += written;
    } else if (written < 0 && errno == EAGAIN) {
      wait_for(descriptor_, POLLOUT);
    } else if (written == 0 || errno != EINTR) {
      problem_ = written == 0 ? EIO : errno;
    }
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return problem_ == 0;
}

DescriptorOutput::int_type DescriptorOutput::overflow(int_type character) {
  if (!write_out()) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(character);
    pbump(1);
  }
  return traits_type::not_eof(character);
}

int DescriptorOutput::sync() { return write_out() ? 0 : -1; }

DescriptorInput::DescriptorInput(int descriptor)
    : descriptor_(descriptor), buffer_(stream_buffer_bytes) {}

DescriptorInput::int_type DescriptorInput::underflow() {
  // A command that was interrupted waits for no more input.
  while (!interrupted()) {
    const ssize_t got = ::read(descriptor_, buffer_.data(), buffer_.size());
    if (got > 0) {
      setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
      return traits_type::to_int_type(buffer_.front());
    }
    if (got < 0 && errno == EAGAIN) {
      wait_for(descriptor_, POLLIN);
    } else if (got == 0 || errno != EINTR) {
      break;
    }
  }
  return traits_type::eof();
}

std::streamsize DescriptorInput::showmanyc() {
  pollfd look = {descriptor_, POLLIN, 0};
  return poll(&look, 1, 0) > 0 ? 1 : 0;
}

// How many bytes of ours begin here: a colour or style, the clearing of a line.
std::size_t CleanOutput::sequence(std::string_view rest) const {
  if (rest.starts_with("\r\n")) return 2;  // the lines of CSV
  if (!styled_()) return 0;
  constexpr std::string_view clear_line = "\r\x1b[K";
  if (rest.starts_with(clear_line)) return clear_line.size();
  if (!rest.starts_with("\x1b[")) return 0;
  const auto end = rest.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && (rest[end] == 'm' || rest[end] == 'K') ? end + 1 : 0;
}

CleanOutput::int_type CleanOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

std::streamsize CleanOutput::xsputn(const char* text, std::streamsize count) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  const auto put = [this](std::string_view part) {
    return to_.sputn(part.data(), static_cast<std::streamsize>(part.size())) ==
           static_cast<std::streamsize>(part.size());
  };
  const std::string_view all(text, static_cast<std::size_t>(count));
  std::size_t done = 0;
  for (std::size_t at = next_suspicious(all, 0); at < all.size(); at = next_suspicious(all, at)) {
    std::size_t bad = 1;
    // U+0080 to U+009F drive terminals, too.
    if (static_cast<unsigned char>(all[at]) == 0xC2)
      bad = at + 1 < all.size() && static_cast<unsigned char>(all[at + 1]) < 0xA0 ? 2 : 0;
    if (bad == 0) {
      ++at;
      continue;
    }
    if (const std::size_t ours = bad == 1 ? sequence(all.substr(at)) : 0; ours > 0) {
      at += ours;
      continue;
    }
    if (!put(all.substr(done, at - done)) || !put(replacement)) return 0;
    at += bad;
    done = at;
  }
  return put(all.substr(done)) ? count : 0;
}

void occupy_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is this one.
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

}  // namespace rnnadvisor::cli
