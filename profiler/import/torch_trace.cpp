#include "profiler/import/torch_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "profiler/import/byte_source.h"
#include "profiler/import/chrome_trace.h"
#include "profiler/import/kineto.h"

namespace rnnadvisor::import_trace {
namespace {

constexpr std::string_view how_to_know =
    "Record with torch.profiler.profile(record_shapes=True), which keeps the arguments";

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// TensorBoard's handler names its files "HOST_PID.TIME.pt.trace.json": torch/profiler/profiler.py,
// tensorboard_trace_handler(). Empty: another name.
std::string host_of(const std::string& path) {
  const std::string name = file_name(path);
  const auto end = name.find(".pt.trace.json");
  if (end == std::string::npos) return {};
  const auto pid = name.rfind('_', end);
  if (pid == std::string::npos || pid + 1 >= end || name[pid + 1] < '0' || name[pid + 1] > '9')
    return {};
  return to_valid_utf8(name.substr(0, pid));
}

// What Kineto writes first, in every trace (libkineto/src/output_json.cpp).
bool begins_as_kineto(const std::string& path) {
  const std::string head = first_bytes(path, 512);
  return head.find("\"schemaVersion\"") != std::string::npos;
}

// "13.0" of 13000.
std::string cuda_version(std::int64_t version) {
  return version <= 0 ? std::string() : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

void describe_environment(Environment& environment, const TraceHeader& header) {
  environment.framework = "pytorch";
  const auto take = [](std::string& into, std::string value) {
    if (into.empty()) into = std::move(value);
  };
  take(environment.cuda_driver_version, cuda_version(header.driver_version));
  take(environment.cuda_runtime_version, cuda_version(header.runtime_version));
  if (header.cupti_version > 0)
    take(environment.cupti_version, std::to_string(header.cupti_version));
}

Error refusal(const std::string& path, const TraceRead& read, const std::string& problem) {
  if (read.events == 0) {
    const auto& why = problem.empty() ? read.cut_off : problem;
    return {ErrorCode::damaged,
            fmt::format("'{}' has no trace events{}{}", path, why.empty() ? "" : ": ", why),
            "give a trace that torch.profiler exported, or a .rnnprof file",
            std::nullopt,
            {}};
  }
  return {ErrorCode::invalid_argument,
          fmt::format("'{}' is a trace in Chrome's format, but not of torch.profiler or XLA", path),
          "give a file that torch.profiler or jax.profiler wrote, or record the program with "
          "`rnnadvisor profile`, or with cuDNN's log "
          "(CUDNN_LOGLEVEL_DBG=3, CUDNN_LOGDEST_DBG=FILE)",
          std::nullopt,
          {}};
}

}  // namespace

std::vector<std::string> trace_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> of_tensorboard, of_kineto;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const auto name = it->path().filename().string();
    if (!name.ends_with(".json") && !name.ends_with(".json.gz")) continue;
    const auto path = it->path().string();
    if (name.ends_with(".pt.trace.json") || name.ends_with(".pt.trace.json.gz")) {
      of_tensorboard.push_back(path);
    } else if (of_tensorboard.empty() && begins_as_kineto(path)) {
      of_kineto.push_back(path);
    }
  }
  auto& found = of_tensorboard.empty() ? of_kineto : of_tensorboard;
  std::sort(found.begin(), found.end());
  return found;
}

Result<Profile> import_torch_traces(const std::vector<std::string>& paths,
                                    const ImportOptions& options) {
  ImportedProfile profile(Recorder::torch_profiler);
  std::int64_t unknown = 0;
  bool shapes = true, recognized = false;
  std::string cut_off;  // why the last file that was not read to its end was not
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto source = ByteSource::open(paths[i]);
    if (!source) return fail(std::move(source.error()));
    Kineto kineto(profile, host_of(paths[i]));
    TraceReading reading;
    bool cancelled = false;
    reading.read = [&](char* into, std::size_t bytes) -> std::size_t {
      const auto share = static_cast<double>(i) + source->share();
      cancelled = cancelled || (options.keep_going &&
                                !options.keep_going(share / static_cast<double>(paths.size())));
      return cancelled ? 0 : source->read(into, bytes);
    };
    reading.wanted = Kineto::wanted;
    reading.event = [&](const TraceEvent& event, const TraceHeader& header) {
      kineto.take(event, header);
      return true;
    };
    const TraceRead read = read_chrome_trace(reading);
    if (cancelled)
      return fail(ErrorCode::interrupted, fmt::format("reading '{}' was cancelled", paths[i]));
    if (read.events == 0 || (!read.header.by_kineto && !kineto.recognized()))
      return fail(refusal(paths[i], read, source->problem()));
    recognized = true;
    const auto& why = source->problem().empty() ? read.cut_off : source->problem();
    if (!why.empty()) {
      cut_off = fmt::format("'{}' was not read to its end ({})", paths[i], printable(why));
      profile.note(NoteSeverity::warning, "trace-cut-off",
                   fmt::format("'{}' was not read to its end ({}); what came before is there",
                               printable(file_name(paths[i])), printable(why)));
    }
    kineto.finish(read.header);
    unknown += kineto.unknown_operators();
    shapes = shapes && read.header.record_shapes;
    describe_environment(profile.environment(), read.header);
  }
  if (!recognized) return fail(ErrorCode::not_found, "there is no trace to read");
  profile.note(
      NoteSeverity::warning, "configuration-unknown",
      fmt::format("calls of cuDNN's RNN functions whose arguments the trace does not have{}",
                  shapes ? "" : fmt::format(". {}", how_to_know)),
      unknown);
  Profile made = profile.finish(how_to_know);
  if (!cut_off.empty() && made.calls.empty() && unknown == 0) {
    return fail(Error{ErrorCode::damaged,
                      cut_off + ", before the first kernel of a recurrent layer",
                      "export or copy the trace again, as a whole",
                      std::nullopt,
                      {}});
  }
  return made;
}

}  // namespace rnnadvisor::import_trace
