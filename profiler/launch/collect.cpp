#include "profiler/launch/collect.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/cudnn/machine.h"
#include "profiler/classify/framework_signs.h"
#include "profiler/classify/inferred_calls.h"
#include "profiler/classify/native_cells.h"
#include "profiler/classify/sampled_counters.h"
#include "profiler/launch/attached_processes.h"
#include "profiler/launch/process_spool.h"

namespace rnnadvisor::launch {
namespace {

namespace fs = std::filesystem;

struct SpoolFile {
  std::string path;
  spool::Header header;
};

Result<std::vector<std::string>> spool_paths(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    // Others may be allowed to put files there; where a link leads is not theirs to say.
    if (it->path().extension() == spool::file_suffix && !it->is_symlink())
      paths.push_back(it->path().string());
  }
  if (error) {
    return fail(
        error == std::errc::no_such_file_or_directory ? ErrorCode::not_found : ErrorCode::io,
        fmt::format("cannot read the folder '{}': {}", folder, error.message()));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// A process id may have a new owner by now; its program tells.
bool still_runs(const spool::Header& header) {
  if (header.end_ns > 0 || header.pid <= 0 || header.host != host_name()) return false;
  if (kill(header.pid, 0) != 0 && errno != EPERM) return false;
  std::error_code error;
  const auto program = fs::read_symlink(fmt::format("/proc/{}/exe", header.pid), error);
  return !error && program == header.executable;
}

class Collector {
 public:
  explicit Collector(const CollectOptions& options) : options_(options) {
    collection_.stop = options.stop;
    collection_.since_ns = options.since_ns;
    collection_.builder.profile().environment = options.environment;
  }

  Result<Collected> run(const std::string& folder) {
    auto files = open(folder);
    if (!files) return fail(std::move(files.error()));
    for (std::size_t i = 0; i < files->size(); ++i) {
      const bool last = is_last(*files, (*files)[i].header);
      if (!add((*files)[i], last)) {
        return fail(ErrorCode::interrupted,
                    fmt::format("interrupted while collecting '{}'", folder));
      }
    }
    if (options_.program && !main_found_) {
      Process program = *options_.program;
      if (program.end == ProcessEnd::exited) program.signal = -1;
      collection_.builder.add_process(program);
    }
    collection_.configurations.finish();
    for (const int pid : attached_processes(folder))
      collected_.waiting += recorded_.contains(pid) ? 0 : 1;
    add_notes(folder);
    collected_.profile = collection_.builder.finish();
    add_native_recurrences(collected_.profile);
    infer_autocast(collected_.profile);
    add_sampled_counters(collected_.profile);
    after_finish();
    add_choice_experiments(collected_.profile, collection_.choices, collection_.steps);
    collected_.choices = std::move(collection_.choices);
    collected_.steps = std::move(collection_.steps);
    return std::move(collected_);
  }

 private:
  Result<std::vector<SpoolFile>> open(const std::string& folder) {
    auto paths = spool_paths(folder);
    if (!paths) return fail(std::move(paths.error()));
    std::vector<SpoolFile> files;
    for (auto& path : *paths) {
      auto reader = spool::Reader::open(path);
      if (reader) {
        files.push_back({std::move(path), reader->header()});
      } else if (reader.error().code == ErrorCode::newer_version ||
                 reader.error().code == ErrorCode::unsupported) {
        return fail(std::move(reader.error()));
      } else {
        collected_.unreadable.push_back(reader.error().message);
      }
    }
    const auto order = [](const SpoolFile& f) {
      const int rank = f.header.rank < 0 ? std::numeric_limits<int>::max() : f.header.rank;
      return std::tuple(rank, f.header.start_ns, f.header.pid);
    };
    std::stable_sort(files.begin(), files.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    return files;
  }

  // exec() keeps the process id: the last program under it is the one whose end can be seen.
  static bool is_last(const std::vector<SpoolFile>& files, const spool::Header& mine) {
    return std::none_of(files.begin(), files.end(), [&](const SpoolFile& other) {
      return other.header.pid == mine.pid && other.header.host == mine.host &&
             other.header.start_ns > mine.start_ns;
    });
  }

  Process process_of(const spool::Header& header, bool last) {
    Process process;
    process.pid = header.pid > 0 ? header.pid : -1;
    process.parent_pid = header.parent_pid > 0 ? header.parent_pid : -1;
    process.host = to_valid_utf8(header.host);
    if (Plausible::time(header.start_ns)) process.start_ns = header.start_ns;
    if (Plausible::time(header.end_ns) && header.end_ns >= process.start_ns)
      process.end_ns = header.end_ns;
    if (last && options_.program && header.pid == options_.program->pid &&
        process.host == options_.program->host) {
      main_found_ = true;
      const Process& seen = *options_.program;
      process.end = seen.end;
      process.exit_status = seen.exit_status;
      if (seen.end != ProcessEnd::exited) process.signal = seen.signal;
      if (seen.end_ns >= process.start_ns) process.end_ns = seen.end_ns;
    } else if (header.exit_status >= 0) {
      process.end = ProcessEnd::exited;
      process.exit_status = header.exit_status & 0xff;
    } else if (!last) {
      // Another program is in its place.
    } else if (still_runs(header)) {
      process.end = ProcessEnd::running;
      ++collected_.running;
    } else if (header.end_ns <= 0) {
      ++without_end_;
    }
    return process;
  }

  bool add(const SpoolFile& file, bool last) {
    auto reader = spool::Reader::open(file.path);
    if (!reader) {
      collected_.unreadable.push_back(reader.error().message);
      return true;
    }
    ++collected_.spools;
    ProcessSpool spool(*reader, collection_);
    if (!spool.add(process_of(reader->header(), last))) return false;
    executions_ += spool.executions();
    constexpr std::uint64_t most_calls = std::uint64_t{1} << 53;
    collected_.rnn_calls += static_cast<std::int64_t>(std::min(reader->header().calls, most_calls));
    if (reader->header().calls == 0) without_calls_.insert(spool.process());
    recorded_.insert(reader->header().pid);
    add_environment(spool, reader->header());
    return true;
  }

  void add_environment(const ProcessSpool& spool, const spool::Header& header) {
    auto& e = collection_.builder.profile().environment;
    const auto take = [](std::string& into, const std::string& value) {
      if (into.empty()) into = value;
    };
    const auto version = [&](const char* name) {
      const auto found = spool.versions().find(name);
      return found == spool.versions().end() ? std::string() : found->second;
    };
    const auto& process =
        collection_.builder.profile().processes[static_cast<std::size_t>(spool.process())];
    take(e.host, process.host);
    take(e.driver_version, version("driver_version"));
    take(e.cuda_driver_version, version("cuda_driver_version"));
    take(e.cuda_runtime_version, version("cuda_runtime_version"));
    if (const auto* library = spool.cudnn(); library != nullptr && e.cudnn_version.empty()) {
      e.cudnn_version = cudnn_release(library->version);
      e.cudnn_path = spool.text(library->path);
    }
    if (const auto* library = spool.cupti(); library != nullptr && e.cupti_version.empty()) {
      e.cupti_version = std::to_string(library->version);
      e.cupti_path = spool.text(library->path);
    }
    if (e.framework.empty()) {
      e.framework = process.framework;
      e.framework_version = process.framework_version;
    }
    e.counters |= spool.counted();
    e.tracing |= spool.traced() || header.mode != spool::Mode::calls;
  }

  // Why nothing was recorded, as far as it can be known from outside.
  std::string no_recording(const std::string& folder) const {
    std::string text = "no process of the program used CUDA or cuDNN where the plugin could see it";
    if (collected_.waiting > 0) text += " by the time of the collection";
    std::string closed;
    if (geteuid() == 0 && !is_open_to_others(folder, closed)) {
      text += fmt::format(
          ", or it had become another user by then, who cannot record because '{}' is closed to "
          "others",
          closed);
    }
    return text;
  }

  void add_notes(const std::string& folder) {
    const auto note = [&](NoteSeverity severity, const char* code, const std::string& text,
                          std::int64_t count) {
      if (count > 0) collection_.builder.add_note({severity, code, text, count});
    };
    const auto& program = options_.program;
    const auto& notes = collection_.builder.profile().notes;
    // Where the plugin ended it, its exit status says nothing.
    const bool ended = std::any_of(notes.begin(), notes.end(),
                                   [](const Note& each) { return each.code == "try-ended"; });
    if (!ended && program && program->end == ProcessEnd::exited && program->exit_status != 0)
      // An interpreter that is interrupted ends with a status of its own.
      note(program->signal > 0 ? NoteSeverity::info : NoteSeverity::warning, program_failed,
           fmt::format("the program ended with exit status {}{}; what it did up to there is judged",
                       program->exit_status,
                       program->signal > 0
                           ? fmt::format(", asked to end by signal {}", program->signal)
                           : ""),
           1);
    note(NoteSeverity::warning, "recording-unreadable",
         "files that should hold the recording of a process could not be read",
         static_cast<std::int64_t>(collected_.unreadable.size()));
    note(NoteSeverity::warning, "records-implausible",
         "records were left out because their times or sizes cannot be",
         collection_.plausible.refused());
    note(NoteSeverity::info, "process-without-end",
         "processes did not end in order (a signal, exec(), or an end that the plugin cannot see); "
         "what they had recorded by then is there",
         without_end_);
    note(NoteSeverity::info, "process-running",
         "processes still ran when their recording was collected; what they recorded afterwards "
         "is not there",
         collected_.running);
    note(NoteSeverity::info, "process-waiting",
         "processes of the program still ran and had not used CUDA or cuDNN when their recording "
         "was collected; what they do afterwards is not there",
         collected_.waiting);
    if (executions_ == 0 && collection_.choices.empty()) {
      note(NoteSeverity::warning, "no-rnn-calls",
           collected_.spools == 0 ? no_recording(folder)
                                  : "no call of a cuDNN RNN function was recorded",
           1);
    }
  }

  // What needs the profile whole.
  void after_finish() {
    Profile& p = collected_.profile;
    for (std::size_t i = 0; i < p.kernels.size(); ++i) {
      if (p.kernels.call[i] >= 0) {
        // A hook knows a stream by its handle, CUPTI by its number, which is what kernels have.
        auto& call = p.calls[static_cast<std::size_t>(p.kernels.call[i])];
        if (call.stream < 0) call.stream = p.kernels.stream[i];
      }
    }
    const auto inferred = infer_calls(p, without_calls_);
    if (inferred.kernels > 0) {
      p.notes.push_back(
          {NoteSeverity::warning, "rnn-kernels-without-calls",
           "kernels of cuDNN's recurrent layers ran, but no call of an RNN function "
           "was seen: cuDNN is part of the program or was reached by a way that has "
           "no hook. Calls are inferred from the kernels; what they were given is not "
           "known",
           inferred.kernels});
    }
  }

  const CollectOptions& options_;
  Collection collection_;
  Collected collected_;
  std::set<int> without_calls_;  // processes
  std::set<int> recorded_;       // ids of processes
  std::int64_t executions_ = 0, without_end_ = 0;
  bool main_found_ = false;
};

}  // namespace

int count_running(const std::string& folder) {
  const auto paths = spool_paths(folder);
  if (!paths) return 0;
  return static_cast<int>(std::count_if(paths->begin(), paths->end(), [](const auto& path) {
    const auto reader = spool::Reader::open(path);
    return reader && still_runs(reader->header());
  }));
}

int count_waiting(const std::string& folder) {
  std::set<int> recorded;
  if (const auto paths = spool_paths(folder); paths) {
    for (const auto& path : *paths)
      if (const auto reader = spool::Reader::open(path); reader)
        recorded.insert(reader->header().pid);
  }
  const auto attached = attached_processes(folder);
  return static_cast<int>(std::count_if(attached.begin(), attached.end(),
                                        [&](int pid) { return !recorded.contains(pid); }));
}

RecordingState recording_state(const std::string& folder) {
  RecordingState state;
  const auto paths = spool_paths(folder);
  if (!paths) return state;
  for (const auto& path : *paths) {
    const auto reader = spool::Reader::open(path);
    if (!reader) continue;  // it is being made
    ++state.processes;
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (!error) state.bytes += static_cast<std::int64_t>(size);
    state.calls += static_cast<std::int64_t>(reader->header().calls);
  }
  return state;
}

Result<Collected> collect_spools(const std::string& folder, const CollectOptions& options) {
  return Collector(options).run(folder);
}

}  // namespace rnnadvisor::launch
