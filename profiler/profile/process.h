// A process of a profile: who ran, where, as what part of a job, and how it ended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnnadvisor {

enum class ProcessEnd {
  unknown,
  running,    // it still ran when its last record was taken
  exited,     // with `exit_status`
  signalled,  // by `signal`, which rnnadvisor did not send
  killed      // by rnnadvisor with `signal`: a time limit, or its user
};
std::string_view to_string(ProcessEnd end);

// -1 and empty: not known.
struct Process {
  std::int64_t pid = -1;  // of the operating system, in the PID namespace of the process
  std::int64_t parent_pid = -1;
  std::string host;
  std::string executable;  // its path
  std::string command_line;
  std::string cudnn_version;                 // of the library it called, "9.19.0"
  std::string framework, framework_version;  // "pytorch", "2.11.0": spelled as in ProgramContext
  int rank = -1, local_rank = -1, world_size = -1;  // in a distributed job; from its environment
  // How its records were taken, in the recorder's own word: "run" for rnnadvisor's own runs.
  std::string mode;
  std::int64_t start_ns = -1;  // on the clock of the profile
  std::int64_t end_ns = -1;    // of the process, or of its last record while it is `running`
  ProcessEnd end = ProcessEnd::unknown;
  int exit_status = -1;  // 0 to 255 when it exited, else -1
  int signal = -1;       // when it was signalled or killed, else -1
  // Free memory of its GPU when an exception ended it, bytes; -1: not known.
  std::int64_t memory_free_bytes = -1;
  // What the CUDA driver answered then (CUresult): an error of an earlier kernel stays. 0: none, or
  // not known.
  int cuda_status = 0;
  // Environment variables that decide something, and their values.
  std::vector<std::pair<std::string, std::string>> variables;

  bool operator==(const Process&) const = default;
  bool ended_well() const {
    return end == ProcessEnd::running || (end == ProcessEnd::exited && exit_status == 0);
  }
  // Whether it can be told from every other process: host, pid and start are known. Process ids
  // are used again, so all three are needed.
  bool identified() const { return pid > 0 && start_ns >= 0 && !host.empty(); }
  bool same_process(const Process& other) const {
    return identified() && pid == other.pid && start_ns == other.start_ns && host == other.host;
  }
};

}  // namespace rnnadvisor
