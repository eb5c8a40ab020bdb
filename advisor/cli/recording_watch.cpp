#include "advisor/cli/recording_watch.h"

#include <fmt/format.h>
#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <new>

#include "core/base/out_of_memory.h"
#include "profiler/launch/collect.h"

namespace rnnadvisor::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto every = 250ms;
// A disk does not fill within so short a time, and a rate over less is noise.
constexpr std::chrono::duration<double> every_size = 5s;
constexpr double soon_seconds = 600;

std::string bytes_words(double bytes) {
  constexpr double mebi = 1 << 20, gibi = 1 << 30;
  return bytes < gibi ? fmt::format("{:.0f} MiB", bytes / mebi)
                      : fmt::format("{:.1f} GiB", bytes / gibi);
}

}  // namespace

std::optional<std::string> RecordingSize::look(double seconds, std::int64_t bytes,
                                               std::int64_t free) {
  const double passed = seconds - seconds_;
  if (passed <= 0) return std::nullopt;
  const double rate = static_cast<double>(bytes - bytes_) / passed;
  seconds_ = seconds;
  bytes_ = bytes;
  const bool full_soon = free >= 0 && rate > 0 && static_cast<double>(free) < rate * soon_seconds;
  const bool warn = full_soon && !warned_;
  if (!warn && bytes < next_) return std::nullopt;
  while (next_ <= bytes) next_ *= 2;
  std::string words = fmt::format("recorded {} so far, {} a second",
                                  bytes_words(static_cast<double>(bytes)), bytes_words(rate));
  if (free >= 0) words += fmt::format("; {} are free", bytes_words(static_cast<double>(free)));
  if (warn) {
    warned_ = true;
    words +=
        fmt::format(", which is full in {}", format_duration(static_cast<double>(free) / rate));
  }
  return words + " (--max-size, --mode calls and --duration make recordings smaller)";
}

RecordingWatch::RecordingWatch(const Context& context, ProgressStream& stream, std::string folder)
    : context_(context), stream_(stream), folder_(std::move(folder)) {
  if (!stream_.wanted() && context_.quiet) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    double next_size = every_size.count();
    while (!stop.stop_requested()) {
      try {
        tell();
        if (!context_.quiet && seconds() >= next_size) {
          tell_size();
          next_size = seconds() + every_size.count();
        }
      } catch (const std::bad_alloc&) {
        missing_memory_is_dealt_with();  // later again
      }
      if (stream_.wanted()) {
        woken.wait_for(lock, stop, every, [] { return false; });
      } else {
        woken.wait_for(lock, stop, every_size, [] { return false; });
      }
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RecordingWatch::~RecordingWatch() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  try {
    tell();  // with what came at the end
  } catch (const std::bad_alloc&) {
    missing_memory_is_dealt_with();
  }
}

double RecordingWatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void RecordingWatch::tell() {
  if (!stream_.wanted()) return;
  const auto state = launch::recording_state(folder_);
  stream_.write({"recording", -1, -1, {}, state.calls, state.processes, seconds()});
}

void RecordingWatch::tell_size() {
  std::error_code error;
  const auto space = std::filesystem::space(folder_, error);
  const auto free = error ? std::int64_t{-1} : static_cast<std::int64_t>(space.available);
  if (const auto words = size_.look(seconds(), launch::recording_state(folder_).bytes, free))
    context_.note(*words);
}

}  // namespace rnnadvisor::cli
