#include "profiler/profile/this_process.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/base/shell_words.h"

namespace rnnadvisor {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::string read_all(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  return clock_gettime(clock, &now) == 0 ? now.tv_sec * second_ns + now.tv_nsec : -1;
}

std::int64_t process_start_ns() {
  const std::int64_t ticks = start_ticks_of_stat(read_all("/proc/self/stat"));
  const std::int64_t rate = sysconf(_SC_CLK_TCK);
  const std::int64_t real = clock_ns(CLOCK_REALTIME), boot = clock_ns(CLOCK_BOOTTIME);
  if (ticks < 0 || rate <= 0 || real < 0 || boot < 0) return -1;
  const std::int64_t since_boot = ticks / rate * second_ns + ticks % rate * second_ns / rate;
  return real - boot + since_boot;
}

std::string command_line() {
  const std::string bytes = read_all("/proc/self/cmdline");  // words that end with NUL
  std::vector<std::string> words;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
    words.push_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  return shell_words(words);
}

}  // namespace

std::int64_t start_ticks_of_stat(std::string_view stat) {
  // The second field is a name in brackets that may hold spaces and brackets; the start is the
  // 22nd.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return -1;
  std::string_view rest = stat.substr(name_end + 1);
  for (int field = 3; field <= 22; ++field) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) return -1;
    rest.remove_prefix(begin);
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (field == 22) {
      std::int64_t ticks = -1;
      const auto [stop, status] = std::from_chars(rest.data(), rest.data() + end, ticks);
      return status == std::errc() && stop == rest.data() + end ? ticks : -1;
    }
    rest.remove_prefix(end);
  }
  return -1;
}

Process this_process() {
  static const std::int64_t start = process_start_ns();
  Process process;
  process.pid = getpid();
  process.parent_pid = getppid();
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) process.host = host.data();
  std::error_code failed;
  process.executable = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  process.command_line = command_line();
  process.start_ns = start;
  return process;
}

}  // namespace rnnadvisor
