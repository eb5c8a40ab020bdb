#include "advisor/cli/run_torch.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include "advisor/whatif/torch/torch_program.h"
#include "core/base/text.h"
#include "profiler/run/scratch_folder.h"
#include "profiler/run/worker_process.h"

namespace rnnadvisor::cli {
namespace {

using advisor::TorchLine;
using advisor::TorchResult;
using SteadyClock = std::chrono::steady_clock;
using Status = TorchResult::Status;

// An answer is some hundred kilobytes.
constexpr std::size_t most_output = std::size_t{64} << 20;

constexpr const char* name_it =
    "name the interpreter of the program that was profiled, in which `import torch` works: "
    "--python PATH";

constexpr const char* get_cuda =
    "a CUDA build of PyTorch and a driver for it are needed; CUDA_VISIBLE_DEVICES may hide GPUs, "
    "`rnnadvisor doctor` shows them; --dry-run says what would be tried, on any machine";

class Run {
 public:
  Run(const advisor::TorchRequest& request, const TorchRunOptions& options)
      : request_(request), options_(options), begin_(SteadyClock::now()) {
    answer_.results.resize(request.candidates.size());
    remaining_.resize(request.candidates.size());
    std::iota(remaining_.begin(), remaining_.end(), 0);
  }

  Result<TorchAnswer> run() {
    if (folder_.path().empty()) {
      return fail(ErrorCode::io, "no temporary folder can be made for the interpreter",
                  "check that TMPDIR is writable");
    }
    bool again = true;
    while (again) {
      auto more = one_process();
      if (!more) return fail(more.error());
      again = *more && !remaining_.empty() && !answer_.interrupted && left() > least_torch_seconds;
    }
    answer_.seconds = seconds();
    return std::move(answer_);
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(SteadyClock::now() - begin_).count();
  }
  double left() const { return request_.budget_seconds - seconds(); }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  // True: others are left that a new process may try.
  Result<bool> one_process() {
    const std::string input = folder_.path() + "/request";
    {
      std::ofstream file(input, std::ios::binary | std::ios::trunc);
      file << advisor::torch_input(
          advisor::write_torch_request(request_, remaining_, std::max(0.1, left())));
      if (!file.flush()) {
        return fail(ErrorCode::io, fmt::format("cannot write {}", input),
                    "check that TMPDIR has room");
      }
    }
    at_.reset();
    heard_ = false;
    bytes_ = 0;
    auto process = WorkerProcess::start_program(
        {options_.python, "-c", std::string(advisor::torch_bootstrap())}, input, errors_path());
    if (!process) return fail(process.error());
    extend(options_.start_seconds);
    while (true) {
      if (stopped()) {
        answer_.interrupted = true;
        return false;
      }
      pollfd descriptor = {process->output_descriptor(), POLLIN, 0};
      poll(&descriptor, 1, 100);
      std::vector<std::string> lines;
      const bool open = process->read_lines(lines);
      for (const auto& line : lines) {
        bytes_ += line.size();
        const auto read = advisor::read_torch_line(line);
        if (read.kind == TorchLine::Kind::none && junk_.empty()) junk_ = line;
        if (read.kind == TorchLine::Kind::error) return ended_with(read);
        if (read.kind == TorchLine::Kind::done) return false;
        take(read);
      }
      if (!open) {
        int status = 0;
        const std::string end = process->wait_for_end(status);
        if (stopped()) {
          answer_.interrupted = true;
          return false;
        }
        return died(end, status);
      }
      if (bytes_ + process->unfinished() > most_output)
        return lost(Status::failed, "it wrote more than any answer is");
      if (SteadyClock::now() > deadline_)
        return lost(Status::timed_out, fmt::format("no sign of life for {:.0f} s", limit_));
    }
  }

  void extend(double limit) {
    limit_ = limit;
    deadline_ =
        SteadyClock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000));
  }

  void take(const TorchLine& line) {
    if (line.kind == TorchLine::Kind::none) return;
    heard_ = true;
    const auto mine = std::find(remaining_.begin(), remaining_.end(), line.candidate);
    if (line.kind == TorchLine::Kind::environment) answer_.environment = line.environment;
    if (line.kind == TorchLine::Kind::progress && mine != remaining_.end()) {
      at_ = line.candidate;
      if (options_.on_progress)
        options_.on_progress(line.candidate, static_cast<int>(request_.candidates.size()));
    }
    if (line.kind == TorchLine::Kind::candidate && mine != remaining_.end()) {
      answer_.results[static_cast<std::size_t>(line.candidate)] = line.result;
      remaining_.erase(mine);
      at_.reset();
    }
    const double share =
        std::max(0.0, left()) / static_cast<double>(std::max<std::size_t>(1, remaining_.size()));
    // Until the first candidate the original is made.
    extend((at_ ? 3 * share : std::max(0.0, left())) + options_.grace_seconds);
  }

  Result<bool> ended_with(const TorchLine& line) {
    constexpr int wrong_request = 2, environment = 3;
    if (line.status == wrong_request) {
      answer_.refused = line.error.message +
                        (line.error.remedy.empty() ? "" : fmt::format(": {}", line.error.remedy));
      return false;
    }
    if (line.status == environment || !heard_) {
      Error error = line.error;
      if (error.message.find("cannot be imported") != std::string::npos) error.remedy = name_it;
      if (error.message.find("sees no CUDA device") != std::string::npos) error.remedy = get_cuda;
      return fail(std::move(error));
    }
    return lost(Status::failed, line.error.message);
  }

  Result<bool> died(const std::string& end, int status) {
    std::string words = fmt::format("{} ended with {}", options_.python, end);
    if (const auto said = last_words(); !said.empty()) words += ": " + said;
    if (heard_) return lost(Status::crashed, words);
    constexpr int not_started = 127;
    if (status == not_started && last_words().empty()) {
      return fail(ErrorCode::not_found, fmt::format("{} cannot be started", options_.python),
                  name_it);
    }
    if (status == 0) {
      words = fmt::format("{} answered nothing{}", options_.python,
                          junk_.empty() ? "" : fmt::format(" but '{}'", shortened(junk_)));
    }
    return fail(ErrorCode::unsupported, words, name_it);
  }

  // One change takes the process with it; before the first of them it is the original's fault.
  Result<bool> lost(Status status, const std::string& words) {
    if (!heard_ && !at_) return fail(ErrorCode::unsupported, words, name_it);
    if (!at_) {
      for (const int number : remaining_) {
        auto& result = answer_.results[static_cast<std::size_t>(number)];
        result.status = status;
        result.message = words + ", before a change was tried";
      }
      remaining_.clear();
      return false;
    }
    auto& result = answer_.results[static_cast<std::size_t>(*at_)];
    result = {};
    result.status = status;
    result.message = words;
    std::erase(remaining_, *at_);
    return true;
  }

  std::string errors_path() const { return folder_.path() + "/errors"; }

  static std::string shortened(std::string_view text) {
    constexpr std::size_t most = 200;
    auto words = to_valid_utf8(text.substr(0, most));
    std::replace_if(words.begin(), words.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return words + (text.size() > most ? "…" : "");
  }

  // The last line that it wrote to standard error.
  std::string last_words() const {
    std::ifstream file(errors_path(), std::ios::binary);
    constexpr std::streamoff tail = 4096;
    file.seekg(0, std::ios::end);
    file.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(file.tellg()) - tail));
    std::string last;
    for (std::string line; std::getline(file, line);)
      if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    return shortened(last);
  }

  const advisor::TorchRequest& request_;
  const TorchRunOptions& options_;
  SteadyClock::time_point begin_, deadline_;
  ScratchFolder folder_;
  TorchAnswer answer_;
  std::vector<int> remaining_;  // numbers of the candidates that have no result yet
  std::optional<int> at_;       // the candidate that is being tried
  bool heard_ = false;          // this process has said something of the protocol
  std::string junk_;            // the first line that was none
  std::size_t bytes_ = 0;
  double limit_ = 0;
};

}  // namespace

Result<TorchAnswer> run_torch(const advisor::TorchRequest& request,
                              const TorchRunOptions& options) {
  return Run(request, options).run();
}

Result<advisor::TorchEnvironment> probe_torch(int device, const TorchRunOptions& options) {
  advisor::TorchRequest request;
  auto& call = request.call.config;
  call.input_size = call.hidden_size = call.proj_size = 8;
  call.seq_length = call.batch_size = 1;
  call.mode = Mode::inference;
  request.phases = {"inference"};
  request.device = device;
  request.budget_seconds = options.start_seconds;
  auto answer = run_torch(request, options);
  if (!answer) return fail(answer.error());
  if (answer->interrupted) return fail(ErrorCode::interrupted, "interrupted");
  return answer->environment;
}

}  // namespace rnnadvisor::cli
