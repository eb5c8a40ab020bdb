#include "advisor/cli/recording_watch.h"

#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <mutex>

#include "profiler/launch/collect.h"

namespace rnnadvisor::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto every = 250ms;

}  // namespace

RecordingWatch::RecordingWatch(ProgressStream& stream, std::string folder)
    : stream_(stream), folder_(std::move(folder)) {
  if (!stream_.wanted()) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      tell();
      woken.wait_for(lock, stop, every, [] { return false; });
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RecordingWatch::~RecordingWatch() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  tell();  // with what came at the end
}

void RecordingWatch::tell() {
  const auto state = launch::recording_state(folder_);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  stream_.write({"recording", -1, -1, {}, state.calls, state.processes, elapsed.count()});
}

}  // namespace rnnadvisor::cli
