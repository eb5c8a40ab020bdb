#include "profiler/import/imported_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/cudnn/driver.h"
#include "profiler/classify/framework_signs.h"
#include "profiler/classify/inferred_calls.h"
#include "profiler/classify/native_cells.h"
#include "profiler/profile/devices.h"
#include "profiler/profile/environment.h"

namespace rnnadvisor::import_trace {

namespace {

// When the recording began, in ns since 1970; 0: its clock has another zero, as when the machine
// was started.
std::int64_t beginning(const Profile& profile) {
  constexpr std::int64_t wall_clock = 1'000'000'000'000'000'000;  // 2001
  std::int64_t first = latest_time_ns;
  const auto see = [&](std::int64_t start) { first = std::min(first, start); };
  for (const auto& call : profile.calls) see(call.host_start_ns);
  for (const auto& setup : profile.setup_calls) see(setup.host_start_ns);
  for (const auto* starts : {&profile.kernels.start_ns, &profile.transfers.start_ns,
                             &profile.api.start_ns, &profile.nvtx.start_ns})
    if (!starts->empty()) see(starts->front());
  return first >= wall_clock && first < latest_time_ns ? first : 0;
}

}  // namespace

std::size_t ImportedProfile::KeyHash::operator()(const Key& key) const {
  // What layers of one program differ in; equality decides.
  std::size_t hash = 0;
  const auto mix = [&](auto value) {
    hash ^= std::hash<std::int64_t>{}(static_cast<std::int64_t>(value)) + 0x9e3779b97f4a7c15U +
            (hash << 6U) + (hash >> 2U);
  };
  const auto& c = key.config;
  for (const int value : {c.input_size, c.hidden_size, c.proj_size, c.num_layers, c.seq_length,
                          c.batch_size, key.device})
    mix(value);
  mix(c.cell);
  mix(c.algo);
  mix(c.data_type);
  mix(c.mode);
  return hash;
}

int ImportedProfile::add_device(const std::string& key, DeviceSpec known) {
  auto& devices = builder_.profile().devices;
  const auto [entry, fresh] = devices_.try_emplace(key, static_cast<int>(devices.size()));
  if (fresh) {
    known.live = true;  // a GPU that there is, and not the description of its kind
    devices.push_back(with_shipped_values(std::move(known)));
  }
  return entry->second;
}

int ImportedProfile::add_process(Process process) {
  process.mode = to_string(recorder_);
  return builder_.add_process(process);
}

int ImportedProfile::configuration_of(const RnnConfig& config, const ProgramContext& program,
                                      int device) {
  const int first = first_of_kind(builder_.profile(), device);
  Key key{config, program, first};
  key.config.seq_lengths.clear();
  const auto [entry, fresh] = known_.try_emplace(std::move(key), -1);
  if (fresh && can_be_held(config)) {
    entry->second = configurations_.find(config, program, first);
  } else if (fresh) {
    note(NoteSeverity::warning, "configuration-unknown",
         "RNN calls whose configuration cannot be: it is not known what they ran");
  }
  return entry->second;
}

int ImportedProfile::configuration_behind(int forward, const RnnConfig& config,
                                          const ProgramContext& program, int device) {
  auto& before = builder_.profile().calls[static_cast<std::size_t>(forward)].configuration;
  if (before < 0) return configuration_of(config, program, device);
  if (const auto joined = configurations_.join(before, config)) return before = *joined;
  const int own = configuration_of(config, program, device);
  if (own >= 0) configurations_.join_others(before, own);
  return own;
}

int ImportedProfile::add_call(Call call) {
  RnnCall& c = call.record.call;
  if (!plausible_.interval(Plausible::Sum::calls, c.host_start_ns, c.host_end_ns)) return -1;
  c.source = CallSource::hook;
  if (c.forward >= static_cast<int>(builder_.profile().calls.size())) c.forward = -1;
  if (call.config != nullptr) {
    c.configuration = c.forward >= 0
                          ? configuration_behind(c.forward, *call.config, call.program, c.device)
                          : configuration_of(*call.config, call.program, c.device);
  }
  if (c.configuration >= 0) {
    auto lengths = configurations_.own_lengths(c.configuration, *call.config);
    if (!lengths.empty() && !call.record.arguments) call.record.arguments.emplace();
    if (call.record.arguments) call.record.arguments->seq_lengths = std::move(lengths);
  }
  const int index = builder_.add_call(call.record);
  if (c.process >= 0) {
    calls_of_process_.resize(builder_.profile().processes.size(), 0);
    ++calls_of_process_[static_cast<std::size_t>(c.process)];
  }
  if (c.configuration >= 0) {
    ConfigurationTable::Execution execution;
    execution.call = index;
    if (call.record.arguments) execution.least_alignment = call.record.arguments->least_alignment();
    execution.device_lengths = call.device_lengths;
    configurations_.add(execution);
  }
  return index;
}

int ImportedProfile::refuse(const RnnConfig& config, const ProgramContext& program, int device,
                            model::Stage stage, int status, const std::string& reason) {
  const int index = configuration_of(config, program, device);
  configurations_.refuse(index, stage, status, reason);
  return index;
}

void ImportedProfile::add_setup(const SetupRecord& record) {
  if (plausible_.interval(Plausible::Sum::setup, record.call.host_start_ns,
                          record.call.host_end_ns))
    builder_.add_setup(record);
}

void ImportedProfile::add(const KernelRecord& record) {
  if (!plausible_.interval(Plausible::Sum::kernels, record.start_ns, record.end_ns)) return;
  kernels_ = true;
  builder_.add_kernel(record);
}

void ImportedProfile::add(const TransferRecord& record) {
  if (plausible_.interval(Plausible::Sum::transfers, record.start_ns, record.end_ns) &&
      plausible_.amount(Plausible::Sum::transfer_bytes, record.bytes))
    builder_.add_transfer(record);
}

void ImportedProfile::add(const ApiRecord& record) {
  if (plausible_.interval(Plausible::Sum::api, record.start_ns, record.end_ns))
    builder_.add_api(record);
}

void ImportedProfile::add(const NvtxRecord& record) {
  if (plausible_.interval(Plausible::Sum::nvtx, record.start_ns, record.end_ns))
    builder_.add_nvtx(record);
}

void ImportedProfile::add(const OverheadRecord& record) {
  if (plausible_.interval(Plausible::Sum::overhead, record.start_ns, record.end_ns))
    builder_.add_overhead(record);
}

void ImportedProfile::add(const AllocationRecord& record) {
  if (!Plausible::time(record.time_ns)) {
    plausible_.refuse();
  } else if (plausible_.amount(Plausible::Sum::allocation_bytes, record.bytes)) {
    builder_.add_allocation(record);
  }
}

void ImportedProfile::note(NoteSeverity severity, std::string code, std::string text,
                           std::int64_t count) {
  if (count > 0) builder_.add_note({severity, std::move(code), std::move(text), count});
}

Profile ImportedProfile::finish(std::string_view how_to_know) {
  configurations_.finish();
  note(NoteSeverity::warning, "records-implausible",
       "records were left out because their times or sizes cannot be", plausible_.refused());
  const bool any_call = !builder_.profile().calls.empty();
  calls_of_process_.resize(builder_.profile().processes.size(), 0);
  std::set<int> without_calls;
  for (std::size_t i = 0; i < calls_of_process_.size(); ++i)
    if (calls_of_process_[i] == 0) without_calls.insert(static_cast<int>(i));
  const Environment now = describe_process({});
  environment().rnnadvisor_version = now.rnnadvisor_version;
  environment().tracing = kernels_;
  Profile profile = builder_.finish();
  const auto began = beginning(profile);
  profile.environment.created = began > 0 ? time_text(began) : now.created;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    if (profile.kernels.call[i] < 0) continue;
    auto& call = profile.calls[static_cast<std::size_t>(profile.kernels.call[i])];
    if (call.stream < 0) call.stream = profile.kernels.stream[i];
  }
  add_native_recurrences(profile);
  infer_autocast(profile);
  if (recorder_ == Recorder::torch_profiler) infer_tf32(profile);
  const auto inferred = infer_calls(profile, without_calls);
  if (inferred.kernels > 0) {
    profile.notes.push_back(
        {NoteSeverity::warning, "rnn-kernels-without-calls",
         fmt::format("kernels of cuDNN's recurrent layers ran, but the file does not tell what "
                     "their calls were given: calls are inferred from the kernels. {}",
                     how_to_know),
         inferred.kernels});
  } else if (!any_call) {
    std::string text = "the file has no call of a cuDNN RNN function";
    if (profile.configurations.empty())
      text += ": record steps in which recurrent layers run on a GPU, with cuDNN";
    profile.notes.push_back({NoteSeverity::warning, "no-rnn-calls", std::move(text), 1});
  }
  return profile;
}

}  // namespace rnnadvisor::import_trace
