#include "profiler/import/xla_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>

#include "core/base/text.h"
#include "profiler/classify/inferred_calls.h"
#include "profiler/import/byte_source.h"
#include "profiler/import/chrome_trace.h"
#include "profiler/import/xla_timeline.h"
#include "profiler/import/xplane.h"

namespace rnnadvisor::import_trace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view xplane_ending = ".xplane.pb", trace_ending = ".trace.json";
constexpr std::string_view how_xla_tells =
    "Give the .xplane.pb that XLA writes beside its trace.json.gz: it has what "
    "jax.experimental.rnn "
    "was given; or record the program with rnnadvisor profile";
constexpr std::string_view what_to_record =
    "run it on a GPU, and have a step between jax.profiler.start_trace() and stop_trace(); or "
    "record the program with `rnnadvisor profile`";

std::string name_of_file(const std::string& path) { return fs::path(path).filename().string(); }

// "node7" of "node7.xplane.pb.gz"; empty: another name.
std::string host_of_profile(const std::string& path) {
  const std::string name = name_of_file(path);
  for (const auto ending : {xplane_ending, trace_ending})
    if (const auto at = name.find(ending); at != std::string::npos)
      return to_valid_utf8(name.substr(0, at));
  return {};
}

bool ends_with(std::string name, std::string_view ending) {
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name.ends_with(ending);
}

std::vector<std::string> files_in(const fs::path& folder, std::string_view ending) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (ends_with(it->path().filename().string(), ending) && it->is_regular_file(error))
      found.push_back(it->path().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> recording_in(const fs::path& folder) {
  auto found = files_in(folder, xplane_ending);
  return found.empty() ? files_in(folder, trace_ending) : found;
}

// The .xplane.pb beside a trace in JSON; empty: there is none.
std::string xplane_beside(const std::string& path) {
  const fs::path of(path);
  const std::string name = of.filename().string();
  const auto at = name.rfind(trace_ending);
  if (at == std::string::npos) return {};
  for (const std::string_view packed : {"", ".gz"}) {
    const auto beside =
        of.parent_path() / fmt::format("{}{}{}", name.substr(0, at), xplane_ending, packed);
    std::error_code error;
    if (fs::is_regular_file(beside, error)) return beside.string();
  }
  return {};
}

// What one file gave.
struct FileRead {
  std::int64_t gpu_records = 0, unknown_calls = 0;
  bool any = false;
  std::string cut_off;  // why the rest was not read
};

// Events of a trace in JSON: processes are planes, threads lines.
class TraceFeed {
 public:
  TraceFeed(ImportedProfile& profile, const std::string& host, const ImportOptions& options)
      : timeline_(profile, host), options_(options) {}

  void take(const TraceEvent& event) {
    constexpr std::string_view gpu_prefix = "/device:GPU:";
    if (event.phase == 'M' && event.name == "process_name" &&
        event.argument_name.starts_with(gpu_prefix)) {
      const auto text = std::string_view(event.argument_name).substr(gpu_prefix.size());
      std::int64_t number = -1;
      std::from_chars(text.data(), text.data() + text.size(), number);
      DeviceSpec spec = options_.device.value_or(DeviceSpec{});
      if (!options_.device) spec.name = "unknown GPU";
      devices_[event.process] = timeline_.add_device(number, std::move(spec));
    }
    if (event.phase == 'M' && event.name == "thread_name")
      streams_[{event.process, event.thread}] = event.argument_name.starts_with("Stream #");
    if (event.phase != 'X') return;
    XlaEvent read;
    read.name = event.name;
    read.start_ns = event.start_ns;
    read.end_ns = event.start_ns + std::clamp<std::int64_t>(event.duration_ns, 0, longest);
    read.correlation = event.correlation;
    const auto device = devices_.find(event.process);
    if (device == devices_.end()) {
      read.thread = event.thread;
      timeline_.take_host(read);
      return;
    }
    const auto stream = streams_.find({event.process, event.thread});
    if (stream == streams_.end() || !stream->second) return;
    read.device = device->second;
    read.stream = event.thread;
    const std::string_view details = event.details;
    if (details.find("grid:") != std::string_view::npos) read.kernel = details;
    if (details.find("kind_src:") != std::string_view::npos) read.copy = details;
    if (read.copy.empty() && details.find("num_bytes:") != std::string_view::npos)
      read.set = details;
    read.module = event.module;
    timeline_.take_gpu(read);
  }

  XlaTimeline& timeline() { return timeline_; }

 private:
  static constexpr std::int64_t longest = std::int64_t{1} << 60U;
  XlaTimeline timeline_;
  const ImportOptions& options_;
  std::map<std::int64_t, int> devices_;                            // by process
  std::map<std::pair<std::int64_t, std::int64_t>, bool> streams_;  // by process and thread
};

// `goes_on`: asked before more is read, with the number of the pass, 0 or 1.
using GoesOn = std::function<bool(int pass)>;

FileRead read_trace(ByteSource& source, const std::string& host, ImportedProfile& profile,
                    const ImportOptions& options, const GoesOn& goes_on) {
  TraceFeed feed(profile, host, options);
  TraceReading reading;
  reading.read = [&](char* into, std::size_t bytes) -> std::size_t {
    return goes_on(0) ? source.read(into, bytes) : 0;
  };
  reading.wanted = [](const TraceEvent& event) {
    return event.name.starts_with('$') ? Wanted::no : Wanted::all;  // a function of Python
  };
  reading.event = [&](const TraceEvent& event, const TraceHeader&) {
    feed.take(event);
    return true;
  };
  const TraceRead read = read_chrome_trace(reading);
  feed.timeline().finish();
  return {feed.timeline().gpu_records(), 0, read.events > 0, read.cut_off};
}

FileRead read_planes(ByteSource& source, const std::string& host, ImportedProfile& profile,
                     const GoesOn& goes_on) {
  std::uint64_t last = 0;
  int pass = 0;
  FileBytes bytes(
      [&](std::uint64_t at, char* into, std::size_t count) -> std::size_t {
        if (at < last) pass = 1;
        last = at;
        return goes_on(pass) ? source.read_at(at, into, count) : 0;
      },
      std::numeric_limits<std::int64_t>::max());
  const XplaneRead read = read_xplane(bytes, host, profile);
  return {read.gpu_records, read.unknown_calls, read.any_plane,
          read.whole ? "" : "it ends in the middle, or is damaged"};
}

}  // namespace

std::vector<std::string> xla_profile_files(const std::string& folder) {
  if (auto found = recording_in(folder); !found.empty()) return found;
  for (const auto* below : {"plugins/profile", "profile", "."}) {
    std::vector<fs::path> dates;
    std::error_code error;
    for (fs::directory_iterator it(fs::path(folder) / below, error), end; !error && it != end;
         it.increment(error))
      if (it->is_directory(error)) dates.push_back(it->path());
    std::sort(dates.begin(), dates.end());
    for (auto date = dates.rbegin(); date != dates.rend(); ++date)
      if (auto found = recording_in(*date); !found.empty()) return found;
  }
  return {};
}

bool is_xla_trace(std::string_view head) {
  return head.find(R"("highres-ticks")") != std::string_view::npos &&
         (head.find("/host:CPU") != std::string_view::npos ||
          head.find("/device:") != std::string_view::npos);
}

Result<Profile> import_xla_profiles(const std::vector<std::string>& paths,
                                    const ImportOptions& options) {
  ImportedProfile profile(Recorder::xla_profiler);
  std::int64_t gpu_records = 0, unknown_calls = 0;
  std::string cut_off;  // why the last file that was not read to its end was not
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string beside = xplane_beside(paths[i]);
    const std::string& path = beside.empty() ? paths[i] : beside;
    if (!beside.empty())
      profile.note(NoteSeverity::info, "read-instead",
                   fmt::format("'{}' was read in place of '{}': it tells what RNN calls were given",
                               printable(name_of_file(beside)), printable(name_of_file(paths[i]))));
    auto source = ByteSource::open(path);
    if (!source) return fail(std::move(source.error()));
    const bool planes = is_xplane(first_bytes(path, 512));
    bool cancelled = false;
    const GoesOn goes_on = [&](int pass) {
      const double of_file = planes ? (pass + source->share()) / 2 : source->share();
      const double share = (static_cast<double>(i) + of_file) / static_cast<double>(paths.size());
      cancelled = cancelled || (options.keep_going && !options.keep_going(share));
      return !cancelled;
    };
    const std::string host = host_of_profile(path);
    const FileRead read = planes ? read_planes(*source, host, profile, goes_on)
                                 : read_trace(*source, host, profile, options, goes_on);
    if (cancelled)
      return fail(ErrorCode::interrupted, fmt::format("reading '{}' was cancelled", path));
    const auto& why = source->problem().empty() ? read.cut_off : source->problem();
    if (!read.any)
      return fail(ErrorCode::damaged,
                  fmt::format("'{}' is no profile of XLA that can be read: {}", path, why),
                  "give a .xplane.pb or a .trace.json.gz that jax.profiler wrote");
    if (!why.empty()) {
      cut_off = fmt::format("'{}' was not read to its end ({})", path, printable(why));
      profile.note(NoteSeverity::warning, "trace-cut-off",
                   fmt::format("'{}' was not read to its end ({}); what came before is there",
                               printable(name_of_file(path)), printable(why)));
    }
    gpu_records += read.gpu_records;
    unknown_calls += read.unknown_calls;
  }
  if (paths.empty()) return fail(ErrorCode::not_found, "there is no profile to read");
  if (gpu_records == 0 && cut_off.empty())
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is a profile of XLA without kernels of a GPU", paths.front()),
                std::string(what_to_record));
  profile.note(NoteSeverity::warning, "configuration-unknown",
               "calls of cuDNN's RNN functions whose descriptor the profile does not have, or that "
               "is none that rnnadvisor knows",
               unknown_calls);
  Profile result = profile.finish(how_xla_tells);
  describe_calls_by_kernels(result);
  if (!cut_off.empty() && result.calls.empty())
    return fail(ErrorCode::damaged, cut_off + ", before the first kernel of a recurrent layer",
                "copy the profile again, as a whole");
  return result;
}

}  // namespace rnnadvisor::import_trace
