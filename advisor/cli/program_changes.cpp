#include "advisor/cli/program_changes.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>

#include "advisor/change/in_words.h"
#include "advisor/cli/configurations.h"
#include "advisor/cli/program_python.h"
#include "advisor/cli/verifying.h"
#include "advisor/cli/whole_step_report.h"
#include "advisor/facts/experiments.h"
#include "advisor/judge/judge.h"
#include "advisor/whatif/estimate.h"
#include "advisor/whatif/predicted_change.h"
#include "advisor/whatif/torch/torch_candidates.h"
#include "core/base/out_of_memory.h"
#include "core/base/output_file.h"
#include "core/model/autocast.h"
#include "profiler/spool/settings.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view question_end = ".layer.json", answer_end = ".answer.json",
                           result_end = ".result.json";
constexpr std::size_t most_candidates = 8;
constexpr auto between_looks = std::chrono::milliseconds(20);

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Nothing of the files is trusted: they come from the user's process.
Json parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json::object();
}
std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}
double number_of(const Json& json, const char* key, double otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::vector<std::string> names_with(const std::string& folder, std::string_view end) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), last; !error && at != last; at.increment(error)) {
    const auto name = at->path().filename().string();
    if (name.ends_with(end)) names.push_back(name.substr(0, name.size() - end.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string refusal(std::string reason) { return Json{{"none", std::move(reason)}}.dump(); }

// A layer of another data type than its program casts inputs, outputs, weights and gradients in
// every step, as autocast does. False: what is gained does not pay for it.
bool pays_for_casts(const Profile& profile, const DeviceSpec& device,
                    const model::PredictTime& predict, const advisor::TorchCandidate& candidate) {
  const bool casts =
      std::any_of(candidate.transforms.begin(), candidate.transforms.end(),
                  [](const advisor::Transform& change) { return change.kind == "data_type"; });
  if (!casts) return true;
  const double added_ms = model::autocast_ms(profile.configurations.front().config);
  const auto before = advisor::predict_seconds(profile, 0, device, predict, {});
  const auto after = advisor::predict_seconds(profile, 0, device, predict, candidate.transforms);
  if (before && after) return (*before - *after) * 1e3 > added_ms;
  ExperimentVariant own, changed;
  own.calls = {profile.configurations.front().config};
  changed.calls = candidate.calls;
  return advisor::bound_ms(own, device) - advisor::bound_ms(changed, device) > added_ms;
}

// Whether a candidate that no rule suggests is expected to gain: by predicted times, or by lower
// bounds where the call stays one. Bounds leave out what more calls and time steps cost: buckets of
// unequal lengths took four times as long on an H200.
bool gains_by_model(const Profile& profile, const DeviceSpec& device,
                    const model::PredictTime& predict, const advisor::TorchCandidate& candidate) {
  const auto before = advisor::predict_seconds(profile, 0, device, predict, {});
  const auto after = advisor::predict_seconds(profile, 0, device, predict, candidate.transforms);
  if (before && after) return *before / *after >= advisor::least_told_gain;
  if (candidate.calls.size() > 1) return false;
  return candidate.expected <= 0 || candidate.expected >= advisor::least_told_gain;
}

// For people.
std::string words_of(const Json& transforms) {
  return transforms.is_array() ? advisor::change_in_words(transforms.dump()) : std::string();
}

}  // namespace

ProgramChanges::ProgramChanges(const Context& context, const std::string& folder, Judging judging,
                               Options options)
    : context_(context),
      questions_(folder + "/changes"),
      judging_(std::move(judging)),
      options_(std::move(options)) {}

Result<std::unique_ptr<ProgramChanges>> ProgramChanges::start(const Context& context,
                                                              const std::string& folder,
                                                              const std::string& python_path,
                                                              Judging judging, Options options) {
  std::unique_ptr<ProgramChanges> made(
      new ProgramChanges(context, folder, std::move(judging), std::move(options)));
  std::error_code error;
  fs::create_directories(made->questions_, error);
  if (error) {
    return fail(ErrorCode::io,
                fmt::format("cannot make the folder '{}': {}", made->questions_, error.message()),
                "set TMPDIR to a folder that can be written to");
  }
  auto variable = write_program_python(folder + "/python", python_path);
  if (!variable) return fail(std::move(variable.error()));
  made->variables_ = {std::move(*variable),
                      fmt::format("{}={}", spool::variable::changes, made->questions_)};
  // Signals are run_program()'s.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  made->thread_ = std::jthread([changes = made.get()](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      try {
        changes->answer_all();
      } catch (const std::bad_alloc&) {
        missing_memory_is_dealt_with();  // as what cannot be written
      }
      woken.wait_for(lock, stop, between_looks, [] { return false; });
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

ProgramChanges::~ProgramChanges() = default;

void ProgramChanges::answer_all() {
  for (const auto& name : names_with(questions_, question_end)) {
    const auto answer = fmt::format("{}/{}{}", questions_, name, answer_end);
    std::error_code ignored;
    if (fs::exists(answer, ignored)) continue;
    // What cannot be written is asked for again, and the layer keeps its own forward() until then.
    (void)write_file(answer,
                     answer_to(content(fmt::format("{}/{}{}", questions_, name, question_end))));
  }
}

std::string ProgramChanges::answer_to(const std::string& question) const {
  const Json asked = parse(question);
  const auto call = asked.find("call");
  if (call == asked.end()) return refusal("its call cannot be read");
  auto input = read_json_line(call->dump(), "the program", 1);
  if (!input) return refusal(input.error().message);
  DeviceSpec device = options_.device;
  for (const auto& one : shipped_devices())
    if (one.name == text_of(asked, "gpu")) device = one;
  const Profile profile = static_profile({*input}, device, context_.command_line);
  auto findings = advisor::judge(profile, judging_.rules, judging_.options).findings;
  const bool advised = options_.propose.only.empty();
  // What measuring refuted is no advice.
  if (advised) std::erase_if(findings, advisor::is_remark);
  auto propose = options_.propose;
  propose.most = most_candidates;
  if (context_.services.predict_for)
    propose.predict = advisor::predict_with(context_.services.predict_for(device), std::nullopt);
  auto proposal = advisor::propose_for_torch(profile, 0, findings, device, propose);
  std::erase_if(proposal.candidates, [&](const advisor::TorchCandidate& candidate) {
    if (!advised) return false;
    const bool gains =
        candidate.rule.empty()
            ? gains_by_model(profile, device, propose.predict, candidate)
            : candidate.expected <= 0 || candidate.expected >= advisor::least_told_gain;
    return !gains || !pays_for_casts(profile, device, propose.predict, candidate);
  });
  if (proposal.candidates.empty()) {
    return refusal(advised || proposal.dropped.empty()
                       ? "no rule and no model proposes a change of it that gains"
                       : proposal.dropped.front().reason);
  }
  Json candidates = Json::array();
  for (const auto& candidate : proposal.candidates)
    candidates.push_back(
        {{"transforms", Json::parse(advisor::to_json(candidate.transforms), nullptr, false)}});
  return Json{{"candidates", std::move(candidates)}}.dump();
}

std::vector<ChangedLayer> ProgramChanges::finish() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  std::vector<ChangedLayer> layers;
  for (const auto& name : names_with(questions_, question_end)) {
    const auto file_of = [&](std::string_view end) {
      return parse(content(fmt::format("{}/{}{}", questions_, name, end)));
    };
    const Json asked = file_of(question_end), came = file_of(result_end);
    ChangedLayer layer;
    const auto call = asked.find("call");
    if (auto input = read_json_line(call == asked.end() ? "{}" : call->dump(), "the program", 1)) {
      layer.config = input->config;
      layer.name = layer_name(input->config);
    }
    const std::string file = text_of(asked, "file");
    const auto line = static_cast<int>(number_of(asked, "line", 0));
    if (!file.empty()) layer.site = fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);
    layer.changed = text_of(came, "status") == "changed";
    layer.reason = text_of(came, "reason");
    if (came.empty()) layer.reason = "the program ended before the change could be compared";
    if (const auto transforms = came.find("transforms"); transforms != came.end()) {
      layer.change = words_of(*transforms);
      layer.transforms = transforms->dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    layer.error = number_of(came, "error", -1);
    layer.limit = number_of(came, "limit", 0);
    layer.tensor = text_of(came, "tensor");
    layer.file = text_of(came, "file");
    layer.code = text_of(came, "module");
    const auto same = std::find_if(layers.begin(), layers.end(), [&](const ChangedLayer& other) {
      return other.name == layer.name && other.site == layer.site && other.change == layer.change &&
             other.changed == layer.changed && other.reason == layer.reason;
    });
    if (same == layers.end()) {
      layers.push_back(std::move(layer));
    } else {
      ++same->layers;
      same->error = std::max(same->error, layer.error);
    }
  }
  return layers;
}

Result<ProgramChanges::Options> change_options(const Context& context, const std::string& change,
                                               bool numerics) {
  VerifyOptions words;
  words.change = change;
  words.allow = numerics ? "padded,numerics" : "padded";
  auto propose = propose_options(words);
  if (!propose) return fail(std::move(propose.error()));
  if (advisor::widest_meaning(propose->only) == advisor::Meaning::numerics && !propose->numerics) {
    return fail(usage(fmt::format("--change {} computes with other rounding", change),
                      "allow it with --allow numerics"));
  }
  auto device = choose_device(context, "nvidia-h200");
  if (!device) return fail(std::move(device.error()));
  return ProgramChanges::Options{std::move(*propose), std::move(*device)};
}

Result<int> write_changed_modules(const std::vector<ChangedLayer>& layers,
                                  const std::string& folder, bool force) {
  std::map<std::string, std::string> files;
  for (const auto& layer : layers) {
    // A name of ours, but from a file that the program could write.
    const bool plain = std::all_of(layer.file.begin(), layer.file.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
    if (!layer.changed || layer.file.empty() || layer.file.front() == '.' || !plain) continue;
    auto name = layer.file;
    for (int number = 2; files.contains(name) && files[name] != layer.code; ++number)
      name = fmt::format("{}_{}.py", layer.file.substr(0, layer.file.rfind('.')), number);
    files[name] = layer.code;
  }
  for (const auto& [name, code] : files) {
    const auto path = (fs::path(folder) / name).string();
    std::error_code ignored;
    if (!force && fs::exists(path, ignored) && content(path) != code) {
      return fail(ErrorCode::io, fmt::format("{} exists and has another text", path),
                  "choose another folder, or replace it with --force");
    }
  }
  for (const auto& [name, code] : files) {
    if (auto written = write_file((fs::path(folder) / name).string(), code, {.make_folders = true});
        !written)
      return fail(written.error());
  }
  return static_cast<int>(files.size());
}

}  // namespace rnnadvisor::cli
