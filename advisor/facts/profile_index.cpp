#include "advisor/facts/profile_index.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <type_traits>
#include <unordered_map>

#include "advisor/facts/experiments.h"
#include "core/config/fields.h"
#include "profiler/kernels/classify.h"

namespace rnnadvisor::advisor {
namespace {

std::uint64_t mix(
    std::uint64_t value) {  // splitmix64's finaliser: spreads small integers over 64 bits
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9ULL;
  value ^= value >> 27;
  value *= 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

template <class T>
std::uint64_t hash_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, std::vector<int>>) {
    std::uint64_t hash = value.size();
    for (const int item : value) hash = mix(hash + static_cast<std::uint64_t>(item) + 1);
    return hash;
  } else {
    return std::hash<T>{}(value);
  }
}

constexpr std::string_view width = "width";

bool is_width(std::string_view field) {
  return field == "hidden_size" || field == "input_size" || field == "proj_size";
}

// Another algorithm is another one in every phase that had its own.
constexpr std::string_view algorithm_field = "algo";

bool is_algorithm(std::string_view field) {
  return field == algorithm_field || field == "backward_algo";
}

// One hash per field; a configuration without some fields is the xor of the others.
struct FieldHashes {
  std::vector<std::string_view> names;
  std::vector<std::uint64_t> hashes;
  std::uint64_t all = 0;

  explicit FieldHashes(const RnnConfig& config) {
    visit_config_fields([&](std::string_view name, auto member, std::string_view) {
      if (name == "id") return;  // a name, not a property
      const auto hash =
          mix(hash_value(config.*member) + 0x9e3779b97f4a7c15ULL * (names.size() + 1));
      names.push_back(name);
      hashes.push_back(hash);
      all ^= hash;
    });
  }
};

// Whether two configurations are equal but for `field` and differ in it: the proof behind equal
// hashes.
bool differ_only_in(const RnnConfig& a, const RnnConfig& b, std::string_view field) {
  bool others_equal = true;
  bool differs = false;
  visit_config_fields([&](std::string_view name, auto member, std::string_view) {
    if (name == "id" || a.*member == b.*member) return;
    if (name == field || (field == width && is_width(name)) ||
        (field == algorithm_field && is_algorithm(name))) {
      differs = true;
    } else {
      others_equal = false;
    }
  });
  return others_equal && differs;
}

// Families of configurations larger than this (a fine sweep of one field) would cost their square.
constexpr std::size_t most_siblings = 512;

}  // namespace

const model::Eligibility* ModelAnswers::eligibility() const {
  if (!eligibility_ && device_) eligibility_ = model::eligibility(*config_, *device_);
  return eligibility_ ? &*eligibility_ : nullptr;
}

const model::WhyNot* ModelAnswers::why_not(Algo algo) const {
  auto& answer = why_not_[static_cast<std::size_t>(algo)];
  if (!answer && device_) answer = model::why_not(*config_, *device_, algo);
  return answer ? &*answer : nullptr;
}

const model::Bound* ModelAnswers::bound(Phase phase) const {
  auto& answer = bound_[static_cast<std::size_t>(phase)];
  if (!answer && device_) answer = model::lower_bound(*config_, phase, *device_);
  return answer ? &*answer : nullptr;
}

const model::SpaceSizes& ModelAnswers::sizes() const {
  if (!sizes_) sizes_ = model::space_sizes(*config_);
  return *sizes_;
}

const model::MemoryNeed& ModelAnswers::memory(Mode mode) const {
  auto& answer = memory_[static_cast<std::size_t>(mode)];
  if (!answer) answer = model::memory_need(*config_, mode);
  return *answer;
}

const model::PhaseCost& ModelAnswers::cost(Phase phase) const {
  auto& answer = cost_[static_cast<std::size_t>(phase)];
  if (!answer) answer = model::phase_cost(*config_, phase);
  return *answer;
}

std::span<const int> ProfileIndex::Groups::of(int group) const {
  const auto at = static_cast<std::size_t>(group);
  if (group < 0 || at + 1 >= begin.size()) return {};
  return std::span(items).subspan(static_cast<std::size_t>(begin[at]),
                                  static_cast<std::size_t>(begin[at + 1] - begin[at]));
}

// Counting sort by key: stable, so that members keep the order of the profile. Keys outside 0 …
// count - 1 belong to no group.
ProfileIndex::Groups ProfileIndex::group(std::span<const int> keys, std::size_t count) {
  Groups groups;
  groups.begin.assign(count + 1, 0);
  const auto belongs = [&](int key) { return key >= 0 && static_cast<std::size_t>(key) < count; };
  for (const int key : keys) {
    if (belongs(key)) ++groups.begin[static_cast<std::size_t>(key) + 1];
  }
  std::partial_sum(groups.begin.begin(), groups.begin.end(), groups.begin.begin());
  groups.items.resize(static_cast<std::size_t>(groups.begin.back()));
  auto next = groups.begin;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (belongs(keys[i]))
      groups.items[static_cast<std::size_t>(next[static_cast<std::size_t>(keys[i])]++)] =
          static_cast<int>(i);
  }
  return groups;
}

ProfileIndex::ProfileIndex(const Profile& profile) : profile_(&profile) {
  if (!profile.calls.empty()) {
    std::vector<int> keys;
    keys.reserve(profile.calls.size());
    for (const auto& call : profile.calls) keys.push_back(call.configuration);
    calls_ = group(keys, profile.configurations.size());
    kernels_ = group(profile.kernels.call, profile.calls.size());
    index_kernels();
  }
  if (!profile.experiments.empty()) {
    std::vector<int> keys;
    for (const auto& experiment : profile.experiments) keys.push_back(experiment.configuration);
    experiments_ = group(keys, profile.configurations.size());
  }
  tried_ = tried_configurations(profile);
  index_siblings();
}

// The first call of each process is left out where enough others remain.
void ProfileIndex::leave_out_first_calls() {
  struct Calls {
    std::map<int, int> first;  // by process
    std::size_t all = 0;
  };
  std::map<std::pair<int, Phase>, Calls> found;
  const auto start = [&](int call) {
    return profile_->kernels.start_ns[static_cast<std::size_t>(kernels_.of(call).front())];
  };
  for (std::size_t i = 0; i < profile_->calls.size(); ++i) {
    const auto& call = profile_->calls[i];
    const int index = static_cast<int>(i);
    if (kernels_.of(index).empty() || call.configuration < 0) continue;
    auto& calls = found[{call.configuration, call.phase}];
    ++calls.all;
    const auto [first, fresh] = calls.first.try_emplace(call.process, index);
    if (!fresh && start(index) < start(first->second)) first->second = index;
  }
  for (const auto& [key, calls] : found) {
    if (calls.all < calls.first.size() + enough_calls) continue;
    auto& left_out = phases_[key].left_out;
    for (const auto& [process, call] : calls.first) left_out.push_back(call);
    std::sort(left_out.begin(), left_out.end());
  }
}

void ProfileIndex::index_kernels() {
  leave_out_first_calls();
  const auto& kernels = profile_->kernels;
  std::map<std::pair<int, Phase>, std::set<int>> names;
  for (std::size_t call_index = 0; call_index < profile_->calls.size(); ++call_index) {
    const auto& call = profile_->calls[call_index];
    const auto of_call = kernels_.of(static_cast<int>(call_index));
    if (of_call.empty() || call.configuration < 0) continue;
    const std::pair key{call.configuration, call.phase};
    auto& phase = phases_[key];
    if (std::binary_search(phase.left_out.begin(), phase.left_out.end(),
                           static_cast<int>(call_index)))
      continue;
    auto& phase_names = names[key];
    ++phase.calls;
    phase.host_ns += std::max<std::int64_t>(0, call.host_end_ns - call.host_start_ns);
    std::int64_t covered_until = kernels.start_ns[static_cast<std::size_t>(of_call.front())];
    const std::int64_t first = covered_until;
    for (const int kernel : of_call) {
      const auto at = static_cast<std::size_t>(kernel);
      const auto start = kernels.start_ns[at];
      const auto end = std::max(start, kernels.end_ns[at]);
      ++phase.count;
      phase.kernel_ns += end - start;
      phase.role_ns[kernels.role[at]] += end - start;
      phase.family_ns[kernels.family[at]] += end - start;
      phase_names.insert(kernels.name[at]);
      if (end > covered_until) {
        phase.busy_ns += end - std::max(start, covered_until);
        covered_until = end;
      }
    }
    phase.span_ns += covered_until - first;
  }
  for (auto& [key, phase] : phases_) {
    std::vector<std::string_view> texts;
    for (const int name : names[key]) texts.push_back(profile_->text(name));
    phase.implementation = implementation_of(texts, key.second);
  }
}

void ProfileIndex::index_siblings() {
  const auto& configurations = profile_->configurations;
  std::vector<int> run;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (configurations[i].outcome != Outcome::not_run && !tried_[i])
      run.push_back(static_cast<int>(i));
  }
  if (run.size() < 2) return;
  siblings_.resize(configurations.size());
  for (const int index : run) {
    const auto& configuration = configurations[static_cast<std::size_t>(index)];
    if (configuration.described() && !configuration.timings.empty())
      measured_[FieldHashes(configuration.config).all].push_back(index);
  }
  // What two GPUs of one kind measured can be compared: a sweep may use several.
  std::vector<std::size_t> kinds(profile_->devices.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i] = i;
    for (std::size_t earlier = 0; earlier < i && kinds[i] == i; ++earlier)
      if (profile_->devices[earlier].same_kind(profile_->devices[i])) kinds[i] = earlier;
  }
  const auto kind_of = [&](int device) {
    const auto index = static_cast<std::size_t>(device);
    return index < kinds.size() ? kinds[index] : index;
  };

  struct Key {
    std::uint64_t hash;
    std::size_t field;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return key.hash ^ (key.field * 0x9e3779b97f4a7c15ULL);
    }
  };
  std::unordered_map<Key, std::vector<int>, KeyHash> families;
  std::vector<std::string_view> names;
  for (const int index : run) {
    const FieldHashes hashes(configurations[static_cast<std::size_t>(index)].config);
    if (names.empty()) {
      names = hashes.names;
      names.push_back(width);
      names.push_back(algorithm_field);
    }
    std::uint64_t without_width = hashes.all, without_algorithm = hashes.all;
    for (std::size_t field = 0; field < hashes.hashes.size(); ++field) {
      if (is_algorithm(hashes.names[field])) {
        without_algorithm ^= hashes.hashes[field];
        continue;
      }
      families[{hashes.all ^ hashes.hashes[field], field}].push_back(index);
      if (is_width(hashes.names[field])) without_width ^= hashes.hashes[field];
    }
    families[{without_width, hashes.hashes.size()}].push_back(index);
    families[{without_algorithm, hashes.hashes.size() + 1}].push_back(index);
  }
  for (const auto& [key, members] : families) {
    if (members.size() < 2 || members.size() > most_siblings) continue;
    const auto field = names[key.field];
    for (const int a : members) {
      const auto& left = configurations[static_cast<std::size_t>(a)];
      for (const int b : members) {
        const auto& right = configurations[static_cast<std::size_t>(b)];
        if (a == b || kind_of(left.device) != kind_of(right.device) ||
            !(left.program == right.program))
          continue;
        if (differ_only_in(left.config, right.config, field))
          siblings_[static_cast<std::size_t>(a)].push_back({b, field});
      }
    }
  }
  for (auto& list : siblings_) {
    std::sort(list.begin(), list.end(), [](const Sibling& a, const Sibling& b) {
      return a.configuration != b.configuration ? a.configuration < b.configuration
                                                : a.field < b.field;
    });
    // A change of the hidden size alone is also a change of width: the plain field is the better
    // name.
    std::vector<Sibling> kept;
    for (const auto& sibling : list) {
      const bool named = std::any_of(list.begin(), list.end(), [&](const Sibling& other) {
        return other.configuration == sibling.configuration && other.field != width;
      });
      if (sibling.field != width || !named) kept.push_back(sibling);
    }
    list = std::move(kept);
  }
}

const DeviceSpec* ProfileIndex::device(int configuration) const {
  const auto& configurations = profile_->configurations;
  if (configuration < 0 || static_cast<std::size_t>(configuration) >= configurations.size())
    return nullptr;
  const int device = configurations[static_cast<std::size_t>(configuration)].device;
  if (device < 0 || static_cast<std::size_t>(device) >= profile_->devices.size()) return nullptr;
  return &profile_->devices[static_cast<std::size_t>(device)];
}

std::span<const int> ProfileIndex::calls(int configuration) const {
  return calls_.of(configuration);
}
std::span<const int> ProfileIndex::kernels(int call) const { return kernels_.of(call); }
std::span<const int> ProfileIndex::experiments(int configuration) const {
  return experiments_.of(configuration);
}

bool ProfileIndex::tried(int configuration) const {
  const auto at = static_cast<std::size_t>(configuration);
  return configuration >= 0 && at < tried_.size() && tried_[at];
}

const PhaseKernels* ProfileIndex::phase_kernels(int configuration, Phase phase) const {
  if (phases_.empty()) return nullptr;
  const auto found = phases_.find({configuration, phase});
  return found == phases_.end() ? nullptr : &found->second;
}

bool ProfileIndex::left_out(int call) const {
  const auto& each = profile_->calls[static_cast<std::size_t>(call)];
  const auto* counted = phase_kernels(each.configuration, each.phase);
  return counted != nullptr &&
         std::binary_search(counted->left_out.begin(), counted->left_out.end(), call);
}

bool ProfileIndex::traced(int configuration) const {
  return std::any_of(all_phases.begin(), all_phases.end(),
                     [&](Phase phase) { return phase_kernels(configuration, phase) != nullptr; });
}

std::span<const Sibling> ProfileIndex::siblings(int configuration) const {
  const auto at = static_cast<std::size_t>(configuration);
  if (configuration < 0 || at >= siblings_.size()) return {};
  return siblings_[at];
}

bool ProfileIndex::has_siblings(int configuration) const {
  return configuration >= 0 && measured_.size() > 1;
}

int ProfileIndex::measured_like(int configuration, const RnnConfig& config) const {
  const auto found = measured_.find(FieldHashes(config).all);
  if (found == measured_.end()) return -1;
  const auto& all = profile_->configurations;
  const auto& own = all[static_cast<std::size_t>(configuration)];
  const auto* here = device(configuration);
  RnnConfig wanted = config;
  for (const int index : found->second) {
    const auto& other = all[static_cast<std::size_t>(index)];
    const auto* there = device(index);
    const bool same_gpu = own.device == other.device ||
                          (here != nullptr && there != nullptr && here->same_kind(*there));
    if (!same_gpu || !(own.program == other.program)) continue;
    wanted.id = other.config.id;
    if (wanted == other.config) return index;
  }
  return -1;
}

void ProfileIndex::set_predict_change(PredictChange predict) {
  predict_change_ = std::move(predict);
  predicted_of_ = -1;
}

const PredictedChange* ProfileIndex::predicted_change(int configuration) const {
  if (!predict_change_) return nullptr;
  if (predicted_of_ != configuration) {
    predicted_ = predict_change_(configuration);
    predicted_of_ = configuration;
  }
  return predicted_ ? &*predicted_ : nullptr;
}

const FrameworkCall& ProfileIndex::framework_call(int configuration) const {
  if (!called_ || called_of_ != configuration) {
    called_ = advisor::framework_call(Subject{profile_, configuration});
    called_of_ = configuration;
  }
  return *called_;
}

const ModelAnswers& ProfileIndex::model(int configuration) const {
  if (!model_ || model_of_ != configuration) {
    model_.emplace(profile_->configurations[static_cast<std::size_t>(configuration)].config,
                   device(configuration));
    model_of_ = configuration;
  }
  return *model_;
}

std::optional<BusyShare> busy_share(const ProfileIndex& index, int configuration, Phase phase) {
  const auto* kernels = index.phase_kernels(configuration, phase);
  if (kernels == nullptr || kernels->calls <= 0) return std::nullopt;
  const auto& all = index.profile().configurations;
  const auto ms = phase_ms(all[static_cast<std::size_t>(configuration)], phase);
  if (ms && *ms > 0) {
    const double busy_ms = static_cast<double>(kernels->busy_ns) * 1e-6 / kernels->calls;
    return BusyShare{std::min(1.0, busy_ms / *ms), false};
  }
  if (kernels->span_ns <= 0) return std::nullopt;
  return BusyShare{static_cast<double>(kernels->busy_ns) / static_cast<double>(kernels->span_ns),
                   true};
}

bool ran(const ProfileIndex& index, int configuration, bool backward) {
  const auto& profile = index.profile();
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  if (own.outcome != Outcome::completed ||
      std::any_of(own.stages.begin(), own.stages.end(),
                  [](const StageResult& stage) { return stage.attempted && stage.status != 0; }))
    return false;
  if (own.origin == Origin::run) return !backward || own.config.mode == Mode::training;
  const auto calls = index.calls(configuration);
  return std::any_of(calls.begin(), calls.end(), [&](int at) {
    const RnnCall& call = profile.calls[static_cast<std::size_t>(at)];
    const bool goes_back = call.phase == Phase::backward_data;
    return call.status == 0 && goes_back == backward && call.phase != Phase::backward_weights;
  });
}

bool refused_as_alternative(const ProfileIndex& index, int configuration) {
  const auto& all = index.profile().configurations;
  if (configuration < 0 || static_cast<std::size_t>(configuration) >= all.size()) return false;
  if (all[static_cast<std::size_t>(configuration)].outcome != Outcome::refused) return false;
  const auto siblings = index.siblings(configuration);
  return std::any_of(siblings.begin(), siblings.end(), [&](const Sibling& sibling) {
    return sibling.field == "algo" &&
           all[static_cast<std::size_t>(sibling.configuration)].outcome == Outcome::completed;
  });
}

bool results_trusted(const Configuration& configuration) {
  if (configuration.outcome == Outcome::completed && !configuration.outputs_finite) return false;
  for (const auto& result : configuration.correctness) {
    if (!result.passed) return false;
  }
  return configuration.config.algo != Algo::persist_static_small_h ||
         model::small_h_wrong_results(configuration.config) == model::WrongResults::none;
}

std::optional<double> phase_ms(const Configuration& configuration, Phase phase) {
  const auto* timing = configuration.timing(phase);
  if (!timing || timing->ms.count == 0) return std::nullopt;
  return timing->ms.median;
}

std::span<const Phase> phases_of_scope(std::string_view scope) {
  const std::span<const Phase> all =
      all_phases;  // forward inference, then those of a training step
  if (scope == "forward inference") return all.subspan(0, 1);
  if (scope == "forward training") return all.subspan(1, 1);
  if (scope == "backward data") return all.subspan(2, 1);
  if (scope == "backward weights") return all.subspan(3, 1);
  if (scope == "training step") return all.subspan(1);
  return {};
}

std::optional<double> scope_ms(const Configuration& configuration, std::string_view scope) {
  const auto phases = phases_of_scope(scope);
  if (phases.empty()) return std::nullopt;
  double sum = 0;
  for (const Phase phase : phases) {
    const auto ms = phase_ms(configuration, phase);
    if (!ms) return std::nullopt;
    sum += *ms;
  }
  return sum;
}

std::optional<double> training_step_ms(const Configuration& configuration) {
  return scope_ms(configuration, "training step");
}

std::optional<double> step_ms(const Configuration& configuration) {
  return configuration.config.mode == Mode::training
             ? training_step_ms(configuration)
             : phase_ms(configuration, Phase::forward_inference);
}

}  // namespace rnnadvisor::advisor
