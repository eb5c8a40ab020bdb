#include "profiler/import/nsys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/classify/inferred_calls.h"
#include "profiler/import/nsys_machine.h"
#include "profiler/import/nsys_tables.h"

namespace rnnadvisor::import_trace {
namespace {

// ENUM_NSYS_EVENT_TYPE of 2024.5.
enum NvtxType {
  nvtx_category = 33,
  nvtx_mark = 34,
  nvtx_push = 35,
  nvtx_start = 37,
  nvtx_thread = 39,
  nvtx_push_pop = 59,
  nvtx_start_end = 60,
  nvtx_domain = 75
};

// An execution of an RNN layer, also of the functions that cuDNN 9 has no more.
std::optional<Phase> nsys_phase(std::string_view function) {
  if (function.starts_with("cudnnRNNForwardInference")) return Phase::forward_inference;
  if (function.starts_with("cudnnRNNForward")) return Phase::forward_training;
  if (function.starts_with("cudnnRNNBackwardData")) return Phase::backward_data;
  if (function.starts_with("cudnnRNNBackwardWeights")) return Phase::backward_weights;
  return std::nullopt;
}

class NsysImporter {
 public:
  NsysImporter(sqlite3* database, const ImportOptions& options)
      : database_(database), options_(options), machine_(database, into_) {}

  Result<Profile> run() {
    // Calls first: the CUDA calls within them tell which kernels are theirs.
    const auto steps = {&NsysImporter::read_strings,    &NsysImporter::read_calls,
                        &NsysImporter::read_cuda_calls, &NsysImporter::read_kernels,
                        &NsysImporter::read_copies,     &NsysImporter::read_sets,
                        &NsysImporter::read_nvtx,       &NsysImporter::read_graphs};
    double done = 0;
    for (const auto step : steps) {
      step_share_ = done++ / static_cast<double>(steps.size());
      (this->*step)();
      if (stopped_) return fail(ErrorCode::interrupted, "interrupted while reading the database");
    }
    add_calls();
    add_notes();
    Profile profile = into_.finish(
        "To know their configurations, record the program with rnnadvisor profile, or cuDNN's log "
        "(CUDNN_LOGLEVEL_DBG=3) as well");
    describe_calls_by_kernels(profile);
    return profile;
  }

 private:
  struct SeenCall {
    std::int64_t thread = 0;  // globalTid
    std::int64_t start_ns = 0, end_ns = 0;
    Phase phase = Phase::forward_training;
    bool told = true;  // the name of its function tells the phase
    int device = -1;
    int stream = -1;
    std::vector<std::int64_t> correlations;
  };
  using Launch = std::pair<int, std::int64_t>;  // process, correlation

  const std::string& string(std::int64_t id) const {
    static const std::string none;
    const auto found = strings_.find(id);
    return found == strings_.end() ? none : found->second;
  }

  // The next row; false also where the user wants no more.
  bool next(NsysTable& table) {
    if (++rows_ % 65536 == 0 && options_.keep_going && !options_.keep_going(step_share_))
      stopped_ = true;
    if (stopped_) return false;
    if (table.next()) return true;
    if (!table.problem().empty()) problems_.push_back(table.problem());
    return false;
  }

  void read_strings() {
    NsysTable table(database_, "StringIds", {"id", "value"});
    while (next(table)) strings_.insert_or_assign(table.integer(0), table.text(1));
  }

  void read_calls() {
    NsysTable table(database_, "CUDNN_EVENTS", {"start", "end", "globalTid", "nameId"});
    while (next(table)) {
      const std::string& function = string(table.integer(3, -1));
      const auto phase = nsys_phase(function);
      if (!phase) continue;
      SeenCall call;
      call.start_ns = machine_.time(table.integer(0));
      call.end_ns = std::max(machine_.time(table.integer(1)), call.start_ns);
      call.thread = table.integer(2);
      call.phase = *phase;
      call.told = function != "cudnnRNNForward";
      calls_.push_back(std::move(call));
    }
    std::stable_sort(calls_.begin(), calls_.end(), [](const SeenCall& a, const SeenCall& b) {
      return std::pair(a.thread, a.start_ns) < std::pair(b.thread, b.start_ns);
    });
  }

  // The RNN call that was under way on the thread, or -1.
  int call_around(std::int64_t thread, std::int64_t ns) const {
    const auto after = std::upper_bound(calls_.begin(), calls_.end(), std::pair(thread, ns),
                                        [](const auto& at, const SeenCall& call) {
                                          return at < std::pair(call.thread, call.start_ns);
                                        });
    if (after == calls_.begin()) return -1;
    const auto& call = *std::prev(after);
    return call.thread == thread && ns <= call.end_ns
               ? static_cast<int>(std::prev(after) - calls_.begin())
               : -1;
  }

  void read_cuda_calls() {
    NsysTable table(database_, "CUPTI_ACTIVITY_KIND_RUNTIME",
                    {"start", "end", "globalTid", "correlationId", "nameId", "returnValue"});
    while (next(table)) {
      const std::int64_t thread = table.integer(2);
      ApiRecord record;
      record.start_ns = machine_.time(table.integer(0));
      record.end_ns = machine_.time(table.integer(1));
      record.process = machine_.process_of(thread);
      record.thread = NsysMachine::thread_of(thread);
      record.correlation = table.integer(3, 0, 0);
      record.name = string(table.integer(4, -1));
      record.driver = record.name.starts_with("cu") && !record.name.starts_with("cuda");
      record.result = table.small(5);
      into_.add(record);
      if (const int call = call_around(thread, record.start_ns);
          call >= 0 && record.correlation > 0) {
        calls_[static_cast<std::size_t>(call)].correlations.push_back(record.correlation);
        launches_.insert_or_assign({record.process, record.correlation}, call);
      }
    }
  }

  // What the activities of a GPU have in common. False: not for use.
  template <class Record>
  bool read_activity(NsysTable& table, Record& record) {
    const std::int64_t process = table.integer(5);
    record.start_ns = machine_.time(table.integer(0));
    record.end_ns = machine_.time(table.integer(1));
    const std::int64_t device = table.integer(2, -1, 0, 1 << 20);
    if (device < 0) return false;
    record.process = machine_.process_of(process);
    record.device = machine_.device_of(process, static_cast<int>(device));
    record.stream = table.small(3, -1);
    record.correlation = table.integer(4, 0, 0);
    return true;
  }

  void read_kernels() {
    NsysTable table(
        database_, "CUPTI_ACTIVITY_KIND_KERNEL",
        {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "demangledName",
         "mangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
         "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"});
    constexpr std::int64_t most_shared = 1 << 30;
    while (next(table)) {
      KernelRecord record;
      if (!read_activity(table, record)) continue;
      for (int column = 6; column <= 8 && record.name.empty(); ++column)
        record.name = string(table.integer(column, -1));
      for (int i = 0; i < 3; ++i) {
        record.grid[static_cast<std::size_t>(i)] = table.small(9 + i);
        record.block[static_cast<std::size_t>(i)] = table.small(12 + i);
      }
      record.registers = table.small(15);
      record.shared_static = table.integer(16, 0, 0, most_shared);
      record.shared_dynamic = table.integer(17, 0, 0, most_shared);
      if (const auto launch = launches_.find({record.process, record.correlation});
          launch != launches_.end()) {
        auto& call = calls_[static_cast<std::size_t>(launch->second)];
        if (call.device < 0) call.device = record.device;
        if (call.stream < 0) call.stream = record.stream;
      }
      into_.add(record);
    }
  }

  void read_copies() {
    NsysTable table(database_, "CUPTI_ACTIVITY_KIND_MEMCPY",
                    {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes",
                     "copyKind"});
    while (next(table)) {
      TransferRecord record;
      if (!read_activity(table, record)) continue;
      record.bytes = table.integer(6, 0, 0);
      record.kind = table.small(7);  // numbered as CUpti_ActivityMemcpyKind
      into_.add(record);
    }
  }

  void read_sets() {
    NsysTable table(
        database_, "CUPTI_ACTIVITY_KIND_MEMSET",
        {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes"});
    while (next(table)) {
      TransferRecord record;
      if (!read_activity(table, record)) continue;
      record.bytes = table.integer(6, 0, 0);
      record.operation = MemoryOperation::set;
      into_.add(record);
    }
  }

  static NvtxPayload payload_of(NsysTable& table, int first) {
    for (int i = 0; i < 4; ++i) {
      if (table.is_null(first + i)) continue;
      const std::int64_t value = table.integer(first + i);
      // SQLite has no unsigned numbers: beyond the largest signed one they are negative.
      if (i == 0 && value < 0) return static_cast<std::uint64_t>(value);
      return value;
    }
    for (int i = 4; i < 6; ++i)
      if (!table.is_null(first + i)) return table.real(first + i);
    return {};
  }

  void read_nvtx() {
    const auto open = [&] {
      return NsysTable(database_, "NVTX_EVENTS",
                       {"start", "end", "eventType", "globalTid", "text", "textId", "domainId",
                        "category", "color", "uint64Value", "int64Value", "uint32Value",
                        "int32Value", "doubleValue", "floatValue"});
    };
    using Id = std::pair<std::int64_t, std::int64_t>;
    std::map<Id, std::string> domains;                              // by process and id
    std::map<std::pair<Id, std::int64_t>, std::string> categories;  // of a domain
    const auto text_of = [&](NsysTable& table) {
      std::string text = table.text(4);
      return text.empty() ? string(table.integer(5, -1)) : text;
    };
    const auto domain_of = [&](NsysTable& table) {
      return Id(machine_.process_of(table.integer(3)), table.integer(6));
    };
    NsysTable names = open();
    while (next(names)) {
      const std::int64_t type = names.integer(2, -1);
      if (type == nvtx_domain) domains[domain_of(names)] = text_of(names);
      if (type == nvtx_category) categories[{domain_of(names), names.integer(7)}] = text_of(names);
      if (type == nvtx_thread)
        into_.add_thread_name(machine_.process_of(names.integer(3)),
                              NsysMachine::thread_of(names.integer(3)), text_of(names));
    }
    NsysTable table = open();
    while (next(table)) {
      const std::int64_t type = table.integer(2, -1);
      const bool mark = type == nvtx_mark;
      if (!mark && type != nvtx_push_pop && type != nvtx_start_end && type != nvtx_push &&
          type != nvtx_start)
        continue;
      if (!mark && table.is_null(1)) {
        ++open_ranges_;
        continue;
      }
      NvtxRecord record;
      record.start_ns = machine_.time(table.integer(0));
      record.end_ns = mark ? record.start_ns : machine_.time(table.integer(1));
      record.process = machine_.process_of(table.integer(3));
      record.thread = NsysMachine::thread_of(table.integer(3));
      record.name = text_of(table);
      if (const auto domain = domains.find(domain_of(table)); domain != domains.end())
        record.domain = domain->second;
      if (const std::int64_t category = table.integer(7); category != 0) {
        const auto named = categories.find({domain_of(table), category});
        record.category = named == categories.end() ? std::to_string(category) : named->second;
      }
      record.color = static_cast<int>(static_cast<std::uint32_t>(table.integer(8)));
      record.payload = payload_of(table, 9);
      into_.add(record);
    }
  }

  void read_graphs() {
    NsysTable table(database_, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {"start"});
    while (next(table)) ++whole_graphs_;
  }

  void add_calls() {
    std::set<std::int64_t> training;  // processes with a backward pass
    const auto process = [](std::int64_t thread) { return thread >> 24; };
    for (const auto& call : calls_)
      if (!is_forward(call.phase)) training.insert(process(call.thread));
    // In the order of their times, as the profile's.
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const SeenCall& a, const SeenCall& b) { return a.start_ns < b.start_ns; });
    for (const auto& seen : calls_) {
      ImportedProfile::Call call;
      RnnCall& c = call.record.call;
      c.phase = seen.told || training.contains(process(seen.thread)) ? seen.phase
                                                                     : Phase::forward_inference;
      c.process = machine_.process_of(seen.thread);
      c.thread = NsysMachine::thread_of(seen.thread);
      c.device = seen.device;
      c.stream = seen.stream;
      c.host_start_ns = seen.start_ns;
      c.host_end_ns = seen.end_ns;
      const int index = into_.add_call(std::move(call));
      if (index < 0) continue;
      for (const std::int64_t correlation : seen.correlations)
        into_.attribute(correlation, index, c.process);
    }
  }

  void add_notes() {
    std::sort(problems_.begin(), problems_.end());
    for (const auto& problem : problems_)
      into_.note(NoteSeverity::warning, "trace-cut-off",
                 "a table could not be read to its end: " + problem);
    into_.note(NoteSeverity::info, "no-clock",
               "the database does not tell when the recording began: its times count from there",
               machine_.has_clock() ? 0 : 1);
    into_.note(NoteSeverity::warning, "graphs-without-kernels",
               "CUDA graphs were recorded as a whole: their kernels are not in the file. Record "
               "with --cuda-graph-trace=node",
               whole_graphs_);
    into_.note(NoteSeverity::info, "ranges-without-end",
               "NVTX ranges that the recording did not see end were left out", open_ranges_);
    into_.note(NoteSeverity::warning, "configuration-unknown",
               "RNN calls whose configuration is not known: Nsight Systems does not record what "
               "they were given",
               static_cast<std::int64_t>(calls_.size()));
  }

  sqlite3* database_;
  const ImportOptions& options_;
  ImportedProfile into_{Recorder::nsight_systems};
  NsysMachine machine_;
  std::unordered_map<std::int64_t, std::string> strings_;
  std::vector<SeenCall> calls_;
  std::map<Launch, int> launches_;  // index into calls_
  std::vector<std::string> problems_;
  std::int64_t rows_ = 0, whole_graphs_ = 0, open_ranges_ = 0;
  double step_share_ = 0;
  bool stopped_ = false;
};

Result<Profile> import_database(sqlite3* database, const ImportOptions& options) {
  sqlite::Rows tables(database, "sqlite_schema", "SELECT count(*) FROM sqlite_schema");
  if (!tables.next()) return fail(tables.error());
  return NsysImporter(database, options).run();
}

}  // namespace

Result<Profile> import_nsys(const std::string& path, const ImportOptions& options) {
  const auto database = sqlite::open_read_only(path);
  auto profile = database ? import_database(database->get(), options)
                          : Result<Profile>(fail(database.error()));
  if (!profile) profile.error().message = fmt::format("'{}': {}", path, profile.error().message);
  return profile;
}

Result<Profile> import_nsys_bytes(std::string_view bytes, const ImportOptions& options) {
  const auto database = sqlite::open_bytes(bytes);
  if (!database) return fail(database.error());
  return import_database(database->get(), options);
}

}  // namespace rnnadvisor::import_trace
