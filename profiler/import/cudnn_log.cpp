#include "profiler/import/cudnn_log.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/cudnn/machine.h"
#include "profiler/import/byte_source.h"
#include "profiler/import/cudnn_log_config.h"
#include "profiler/import/cudnn_log_records.h"
#include "profiler/profile/cudnn_status.h"

namespace rnnadvisor::import_trace {
namespace {

std::optional<Phase> phase_of(const LogRecord& record) {
  if (record.function == "cudnnRNNForward")
    return record.word("fwdMode") == "CUDNN_FWD_MODE_INFERENCE" ? Phase::forward_inference
                                                                : Phase::forward_training;
  if (record.function == "cudnnRNNBackwardData_v8") return Phase::backward_data;
  if (record.function == "cudnnRNNBackwardWeights_v8") return Phase::backward_weights;
  return std::nullopt;
}

std::int64_t bytes_of(const LogRecord& record, std::string_view path) {
  const auto bytes = record.number(path);
  return bytes && *bytes >= 0 && *bytes <= latest_time_ns ? *bytes : -1;
}

class LogImporter {
 public:
  explicit LogImporter(const ImportOptions& options) : options_(options) {}

  void take(const LogRecord& record) {
    if (!record.whole) {
      last_.clear();  // a refusal that follows may be of this call
    } else if (record.refusal) {
      refuse(record);
    } else if (const auto phase = phase_of(record)) {
      last_[{record.process, record.thread}] = {record.function, {}, calls_.size()};
      calls_.push_back(read_call(record, *phase));
    } else {
      last_[{record.process, record.thread}] = {record.function, record, 0};
    }
  }

  // `problem`: why the file could not be read to its end.
  Profile finish(const LogRecords& log, const std::string& problem) {
    for (auto& call : calls_) add(call);
    for (const auto& [place, name] : stream_names_)
      into_.add_stream_name(place[0], place[1], place[2], name);
    const auto note = [&](NoteSeverity severity, const char* code, const char* text,
                          std::int64_t count) { into_.note(severity, code, text, count); };
    note(NoteSeverity::info, "log-lines-passed-over",
         "lines of the log are not cuDNN's: what the program printed itself", log.foreign_lines());
    note(NoteSeverity::warning, "log-records-damaged",
         "calls of the log are cut off or mixed with the lines of others, and were left out",
         log.damaged());
    note(NoteSeverity::info, "lengths-cut",
         "calls whose sequence lengths are not in the log in full: they count as full length",
         lengths_cut_);
    note(NoteSeverity::warning, "legacy-rnn-calls",
         "calls of RNN functions that cuDNN 9 does not have any more: what they were given is not "
         "read",
         log.legacy_calls());
    if (!problem.empty())
      into_.note(NoteSeverity::warning, "trace-cut-off",
                 "the log could not be read to its end: " + problem);
    return into_.finish("");
  }

 private:
  struct Call {
    RnnCall call;
    std::optional<RnnConfig> config;
    CallArguments arguments;
    std::string reserve, reason;  // its address
    bool device_lengths = false;
  };
  // What a thread called last: where a refusal belongs.
  struct Last {
    std::string function;
    LogRecord setup;       // of a call that describes a layer
    std::size_t call = 0;  // else an index into calls_
  };
  using Thread = std::pair<std::int64_t, std::int64_t>;

  int process_of(const LogRecord& record) {
    const auto [entry, fresh] = processes_.try_emplace(record.process, -1);
    if (fresh) {
      Process process;
      process.pid = record.process;
      process.cudnn_version = cudnn_release(static_cast<std::uint64_t>(record.version));
      if (into_.environment().cudnn_version.empty())
        into_.environment().cudnn_version = process.cudnn_version;
      entry->second = into_.add_process(std::move(process));
    }
    return entry->second;
  }

  // The GPU of the call's handle, else the one that the user names.
  int device_index(const LogRecord& record) {
    DeviceSpec device = device_of(record);
    const std::string key = fmt::format("{}/{}/{}", record.process, record.gpu, device.name);
    if (!device.name.empty()) return into_.add_device(key, std::move(device));
    return options_.device ? into_.add_device("given", *options_.device) : -1;
  }

  // cuDNN tells a stream's address alone; streams of a process are numbered as they come, the
  // default stream is 0.
  int stream_of(const LogRecord& record, const RnnCall& call) {
    if (record.stream.empty()) return 0;
    auto& streams = streams_[record.process];
    const int stream =
        streams.try_emplace(record.stream, static_cast<int>(streams.size()) + 1).first->second;
    if (call.device >= 0)
      stream_names_.try_emplace({call.process, call.device, stream}, record.stream);
    return stream;
  }

  Call read_call(const LogRecord& record, Phase phase) {
    Call call;
    RnnCall& c = call.call;
    c.phase = phase;
    c.process = process_of(record);
    c.thread = record.thread;
    c.device = device_index(record);
    c.stream = stream_of(record, c);
    c.host_start_ns = c.host_end_ns = record.time_ns;
    c.weights_bytes = bytes_of(record, "weightSpaceSize");
    c.workspace_bytes = bytes_of(record, "workSpaceSize");
    c.reserve_bytes = bytes_of(record, "reserveSpaceSize");
    call.arguments = arguments_of(record);
    const auto lengths = record.field("devSeqLengths");
    call.device_lengths = !lengths.empty() && lengths != "NULL_PTR";
    if (const auto reserve = record.field("reserveSpace"); reserve.starts_with("0x"))
      call.reserve = reserve;
    if (auto config = config_of(record)) {
      call.config = std::move(config->config);
      lengths_cut_ += config->lengths_cut ? 1 : 0;
    } else {
      into_.note(NoteSeverity::warning, "configuration-unknown",
                 "RNN calls whose configuration is not known: " + config.error().message);
    }
    return call;
  }

  static ProgramContext program() {
    ProgramContext program;
    program.cudnn_enabled = true;  // or cuDNN would not have been called
    return program;
  }

  void add(Call& call) {
    ImportedProfile::Call added;
    RnnCall& c = call.call;
    const bool forward = is_forward(c.phase);
    const auto key = std::pair(c.process, call.reserve);
    // The backward pass reads the reserve that its forward pass wrote.
    if (const auto found = last_forward_.find(key); !forward && found != last_forward_.end())
      c.forward = found->second;
    added.record.call = c;
    added.record.reason = std::move(call.reason);
    added.record.arguments = std::move(call.arguments);
    added.config = call.config ? &*call.config : nullptr;
    added.program = program();
    added.device_lengths = call.device_lengths;
    const int index = into_.add_call(std::move(added));
    if (c.phase == Phase::forward_training && index >= 0 && c.status == 0 && !call.reserve.empty())
      last_forward_.insert_or_assign(key, index);
  }

  void refuse(const LogRecord& record) {
    const int status = status_number(record.status, record.version);
    if (record.status.empty() || status == 0) return;  // a remark
    const auto found = last_.find({record.process, record.thread});
    const bool known = found != last_.end() && found->second.function == record.function;
    if (known && found->second.setup.function.empty()) {
      auto& call = calls_[found->second.call];
      if (call.call.status == 0) call.call.status = status;
      if (call.reason.empty()) call.reason = record.reason;
      return;
    }
    SetupRecord setup;
    setup.function = record.function;
    setup.reason = record.reason;
    setup.call.process = process_of(record);
    setup.call.thread = record.thread;
    setup.call.host_start_ns = setup.call.host_end_ns = record.time_ns;
    setup.call.status = status;
    if (known) {
      const LogRecord& asked = found->second.setup;
      if (record.function == "cudnnGetRNNTempSpaceSizes") {
        if (const auto config = config_of(asked))
          setup.call.configuration = into_.refuse(config->config, program(), device_index(asked),
                                                  model::Stage::temp_space, status, record.reason);
      } else {
        into_.note(refusals_.note(record.function, status, record.reason, asked_of(asked)));
      }
    }
    into_.add_setup(setup);
  }

  const ImportOptions& options_;
  ImportedProfile into_{Recorder::cudnn_log};
  std::vector<Call> calls_;
  std::map<Thread, Last> last_;
  std::map<std::int64_t, int> processes_;  // by pid
  std::map<std::int64_t, std::map<std::string, int>> streams_;
  std::map<std::array<int, 3>, std::string> stream_names_;   // by process, device and stream
  std::map<std::pair<int, std::string>, int> last_forward_;  // by process and reserve
  DescriptorRefusals refusals_;
  std::int64_t lengths_cut_ = 0;
};

// Gives every line to `take`. False: the user wants no more. A line that is longer than any of
// cuDNN's is taken in parts.
template <class Take>
bool for_each_line(ByteSource& source, const ImportOptions& options, const Take& take) {
  constexpr std::size_t piece = 1 << 18, longest = 1 << 22;
  std::string buffer;
  for (;;) {
    if (options.keep_going && !options.keep_going(source.share())) return false;
    const std::size_t before = buffer.size();
    buffer.resize(before + piece);
    const std::size_t got = source.read(buffer.data() + before, piece);
    buffer.resize(before + got);
    std::size_t begin = 0;
    for (std::size_t end; (end = buffer.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(std::string_view(buffer).substr(begin, end - begin));
    buffer.erase(0, begin);
    if (got == 0 || buffer.size() > longest) {
      if (!buffer.empty()) take(std::string_view(buffer));
      buffer.clear();
    }
    if (got == 0) return true;
  }
}

}  // namespace

Result<Profile> import_cudnn_log(const std::string& path, const ImportOptions& options) {
  auto source = ByteSource::open(path);
  if (!source) return fail(std::move(source.error()));
  LogImporter importer(options);
  LogRecords records([&](const LogRecord& record) { importer.take(record); });
  if (!for_each_line(*source, options, [&](std::string_view line) { records.add(line); }))
    return fail(ErrorCode::interrupted, fmt::format("interrupted while reading '{}'", path));
  records.finish();
  return importer.finish(records, source->problem());
}

Profile import_cudnn_log_text(std::string_view text, const ImportOptions& options) {
  LogImporter importer(options);
  LogRecords records([&](const LogRecord& record) { importer.take(record); });
  while (!text.empty()) {
    const auto end = text.find('\n');
    records.add(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  records.finish();
  return importer.finish(records, {});
}

}  // namespace rnnadvisor::import_trace
