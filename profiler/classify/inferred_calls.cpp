#include "profiler/classify/inferred_calls.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "profiler/kernels/classify.h"

namespace rnnadvisor {
namespace {

enum class RunDirection : char { unknown, forward, backward_data, backward_weights };

// What cuDNN's own names say: fp, bp, bp1 and bp2 stand for forward propagation, backward data and
// backward weights (profiler/kernels/families.toml has the families and where they were seen). The
// fast LSTM kernel says so only backwards: ampere_lstm_tile16 ran in forward calls alone,
// ampere_lstm_bp_largeB and what copies and clears for it in backward data calls alone (16 and 8
// calls of tests/data/h200/kernels.jsonl).
RunDirection direction_of(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("elementWise_bp2") || has("handleInEdge_bp2")) return RunDirection::backward_weights;
  if (has("elementWise_bp1") || has("dgrad_combine") || has("Persist_bp_") || has("persist_bp") ||
      has("ampere_lstm_bp_") || has("RNN_copy_dh") || has("RNN_init_128x4") ||
      has("handleInEdge_bp"))
    return RunDirection::backward_data;
  if (has("elementWise_fp") || has("elemWiseRNNcell") || has("Persist_fp_") || has("persist_fp") ||
      has("ampere_lstm_tile") || has("handleInEdge_fp") || has("handleOutEdge_fp"))
    return RunDirection::forward;
  return RunDirection::unknown;
}

struct Name {
  bool recurrent = false;  // cuDNN's RNN code
  bool product = false;    // may stand between such kernels
  RunDirection direction = RunDirection::unknown;
};

// Kernels [first, last] of `order` that run in one direction.
struct Stretch {
  RunDirection direction = RunDirection::unknown;
  std::vector<std::size_t> kernels;
};

using Place = std::pair<int, int>;  // process, device

std::vector<Name> read_names(const Profile& profile) {
  std::vector<Name> names(profile.strings.size());
  std::vector<char> used(profile.strings.size(), 0);
  for (const int name : profile.kernels.name) used[static_cast<std::size_t>(name)] = 1;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (used[i] == 0) continue;
    const auto kind = classify_kernel(profile.strings[i]);
    const bool cudnn =
        kind.family ? *kind.family != model::Implementation::none : !kind.family_id.empty();
    names[i].recurrent = cudnn;
    names[i].product = !cudnn && (kind.role == KernelRole::gemm || kind.serves_gemm);
    if (cudnn) names[i].direction = direction_of(profile.strings[i]);
  }
  return names;
}

std::vector<Stretch> stretches(const Profile& profile, const std::vector<Name>& names,
                               const std::vector<std::size_t>& kernels) {
  std::vector<Stretch> found;
  Stretch open;
  std::vector<std::size_t> waiting;  // belong to the stretch only if it goes on
  const auto close = [&] {
    if (open.direction != RunDirection::unknown) found.push_back(std::move(open));
    open = {};
    waiting.clear();
  };
  for (const std::size_t k : kernels) {
    const auto& name = names[static_cast<std::size_t>(profile.kernels.name[k])];
    if (!name.recurrent && !name.product) {
      close();
      continue;
    }
    if (name.direction == RunDirection::unknown) {
      waiting.push_back(k);
      continue;
    }
    if (open.direction != name.direction && open.direction != RunDirection::unknown) close();
    open.direction = name.direction;
    open.kernels.insert(open.kernels.end(), waiting.begin(), waiting.end());
    waiting.clear();
    open.kernels.push_back(k);
  }
  close();
  return found;
}

Phase phase_of(RunDirection direction, bool training) {
  if (direction == RunDirection::backward_data) return Phase::backward_data;
  if (direction == RunDirection::backward_weights) return Phase::backward_weights;
  return training ? Phase::forward_training : Phase::forward_inference;
}

class Adder {
 public:
  explicit Adder(Profile& profile) : profile_(profile) {}

  void add(const Place& place, const std::vector<Stretch>& found) {
    const bool training = std::any_of(found.begin(), found.end(), [](const Stretch& stretch) {
      return stretch.direction != RunDirection::forward;
    });
    // Kernels of backward weights do not show the implementation: that of the stretch before them
    // counts.
    auto last = model::Implementation::none;
    for (const auto& stretch : found) {
      const Phase phase = phase_of(stretch.direction, training);
      std::vector<std::string_view> texts;
      for (const std::size_t k : stretch.kernels)
        texts.push_back(profile_.text(profile_.kernels.name[k]));
      last = implementation_of(texts, phase).value_or(last);
      call(place, stretch, phase, configuration(place, last));
    }
  }

  // `kernels` of a call that was seen; in the order of calls, as add() is of stretches.
  void describe(RnnCall& call, const std::vector<std::size_t>& kernels) {
    std::vector<std::string_view> texts;
    for (const std::size_t k : kernels) texts.push_back(profile_.text(profile_.kernels.name[k]));
    const Place place = {call.process, call.device};
    auto& last = last_[place];
    last = implementation_of(texts, call.phase).value_or(last);
    call.configuration = configuration(place, last);
  }

  // Calls are sorted by their start: puts the new ones where they belong.
  void sort() {
    auto& calls = profile_.calls;
    std::vector<int> order(calls.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return calls[static_cast<std::size_t>(a)].host_start_ns <
             calls[static_cast<std::size_t>(b)].host_start_ns;
    });
    std::vector<int> place(calls.size());
    std::vector<RnnCall> sorted;
    sorted.reserve(calls.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
      sorted.push_back(calls[static_cast<std::size_t>(order[i])]);
    }
    const auto move = [&](int& call) {
      if (call >= 0) call = place[static_cast<std::size_t>(call)];
    };
    for (auto& call : sorted) move(call.forward);
    calls = std::move(sorted);
    for (auto* column : {&profile_.kernels.call, &profile_.transfers.call, &profile_.api.call,
                         &profile_.allocations.call})
      for (int& call : *column) move(call);
  }

 private:
  int configuration(const Place& place, model::Implementation implementation) {
    const auto [at, added] = configurations_.try_emplace(
        {place.second, implementation}, static_cast<int>(profile_.configurations.size()));
    if (added) {
      Configuration configuration;
      configuration.origin = Origin::kernels;
      configuration.outcome = Outcome::completed;
      configuration.device = place.second;
      configuration.config.id = "cuDNN RNN calls known by their kernels";
      if (implementation != model::Implementation::none)
        configuration.config.id += ", " + std::string(to_string(implementation));
      configuration.program.name = parse_enum<Framework>(
          profile_.processes[static_cast<std::size_t>(place.first)].framework);
      profile_.configurations.push_back(std::move(configuration));
    }
    return at->second;
  }

  void call(const Place& place, const Stretch& stretch, Phase phase, int configuration) {
    auto& kernels = profile_.kernels;
    RnnCall call;
    call.configuration = configuration;
    call.phase = phase;
    call.process = place.first;
    call.device = place.second;
    call.source = CallSource::kernels;
    call.stream = kernels.stream[stretch.kernels.front()];
    call.host_start_ns = call.host_end_ns = kernels.start_ns[stretch.kernels.front()];
    const int index = static_cast<int>(profile_.calls.size());
    for (const std::size_t k : stretch.kernels) kernels.call[k] = index;
    profile_.calls.push_back(call);
  }

  Profile& profile_;
  std::map<std::pair<int, model::Implementation>, int> configurations_;
  std::map<Place, model::Implementation> last_;  // of the calls described
};

}  // namespace

void describe_calls_by_kernels(Profile& profile) {
  std::vector<std::vector<std::size_t>> kernels(profile.calls.size());
  for (std::size_t k = 0; k < profile.kernels.size(); ++k)
    if (const int call = profile.kernels.call[k]; call >= 0)
      kernels[static_cast<std::size_t>(call)].push_back(k);
  Adder adder(profile);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    RnnCall& call = profile.calls[i];
    if (call.configuration < 0 && call.process >= 0 && call.device >= 0 && !kernels[i].empty())
      adder.describe(call, kernels[i]);
  }
}

InferredCalls infer_calls(Profile& profile, const std::set<int>& processes) {
  InferredCalls result;
  if (processes.empty()) return result;
  const auto names = read_names(profile);
  std::map<Place, std::vector<std::size_t>> places;
  for (std::size_t k = 0; k < profile.kernels.size(); ++k) {
    if (profile.kernels.call[k] >= 0 || !processes.contains(profile.kernels.process[k])) continue;
    if (profile.kernels.role[k] == KernelRole::algorithm_search)
      continue;  // of a call that was seen
    places[{profile.kernels.process[k], profile.kernels.device[k]}].push_back(k);
    if (names[static_cast<std::size_t>(profile.kernels.name[k])].recurrent) ++result.kernels;
  }
  if (result.kernels == 0) return result;
  const auto before = profile.calls.size();
  Adder adder(profile);
  for (const auto& [place, kernels] : places) {
    // A configuration needs a device to stand for.
    if (place.second >= 0) adder.add(place, stretches(profile, names, kernels));
  }
  result.calls = static_cast<std::int64_t>(profile.calls.size() - before);
  if (result.calls > 0) adder.sort();
  return result;
}

}  // namespace rnnadvisor
