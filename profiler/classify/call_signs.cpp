#include "profiler/classify/call_signs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

namespace rnnadvisor {
namespace {

constexpr std::int64_t device_to_device = 8;  // CUPTI_ACTIVITY_MEMCPY_KIND_DTOD
constexpr int kernels_looked_at = 4;          // zeroed states may stand between copy and call

// The share of calls that must show a sign; some of the first differ, since caches are filled.
bool nearly_all(int shown, int calls) { return shown >= 2 && 5 * shown >= 4 * calls; }

// When a call ran on the device.
struct Span {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = -1;
};

using Place = std::pair<int, int>;  // process, device

struct Count {
  int calls = 0, copied = 0, reordered = 0;
};

// Bytes of every weight matrix, as PyTorch keeps them: the gates of a layer and direction in one.
std::multiset<std::int64_t> matrices(const RnnConfig& config) {
  const std::int64_t element = element_size(config.data_type);
  const std::int64_t rows = std::int64_t{config.gates()} * config.hidden_size;
  const std::int64_t output = config.proj_size;
  std::multiset<std::int64_t> bytes;
  for (int layer = 0; layer < config.num_layers; ++layer) {
    const std::int64_t columns =
        layer == 0 ? std::int64_t{config.input_size} : output * config.directions();
    for (int direction = 0; direction < config.directions(); ++direction) {
      bytes.insert(rows * columns * element);
      bytes.insert(rows * output * element);
    }
  }
  return bytes;
}

bool contains(const std::multiset<std::int64_t>& copied,
              const std::multiset<std::int64_t>& wanted) {
  return std::includes(copied.begin(), copied.end(), wanted.begin(), wanted.end());
}

// A strided copy of PyTorch's: neither vectorized nor one that converts, which have other names.
bool is_strided_copy(std::string_view name) {
  return name.find("at::native::elementwise_kernel<128, 4") != std::string_view::npos &&
         name.find("direct_copy_kernel_cuda") != std::string_view::npos;
}

class SignsReader {
 public:
  explicit SignsReader(const Profile& profile) : profile_(profile), spans_(profile.calls.size()) {
    for (const auto& name : profile.strings) {
      strided_.push_back(is_strided_copy(name) ? 1 : 0);
      prepares_.push_back(strided_.back() != 0 || name.find("FillFunctor") != std::string::npos);
    }
    const auto& kernels = profile.kernels;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (kernels.call[k] < 0) {
        between_[{kernels.process[k], kernels.device[k]}].push_back(k);
        continue;
      }
      auto& span = spans_[static_cast<std::size_t>(kernels.call[k])];
      span.first = std::min(span.first, kernels.start_ns[k]);
      span.last = std::max(span.last, kernels.end_ns[k]);
    }
    const auto& transfers = profile.transfers;
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      if (transfers.operation[t] == MemoryOperation::copy && transfers.call[t] < 0 &&
          transfers.kind[t] == device_to_device)
        copies_[{transfers.process[t], transfers.device[t]}].push_back(t);
    }
  }

  // Goes through the calls of each process and device as they ran.
  void read(std::vector<Count>& counts) const {
    std::map<Place, std::vector<std::size_t>> by_place;
    for (std::size_t i = 0; i < profile_.calls.size(); ++i) {
      if (spans_[i].last >= 0)
        by_place[{profile_.calls[i].process, profile_.calls[i].device}].push_back(i);
    }
    for (auto& [place, calls] : by_place) {
      std::sort(calls.begin(), calls.end(),
                [&](std::size_t a, std::size_t b) { return spans_[a].first < spans_[b].first; });
      // What comes before the first call is setting up, and no sign.
      for (std::size_t n = 1; n < calls.size(); ++n)
        look(place, spans_[calls[n - 1]].last, calls[n], counts);
    }
  }

 private:
  void look(const Place& place, std::int64_t after, std::size_t call_index,
            std::vector<Count>& counts) const {
    const auto& call = profile_.calls[call_index];
    if (!is_forward(call.phase) || call.configuration < 0) return;
    const auto& configuration =
        profile_.configurations[static_cast<std::size_t>(call.configuration)];
    if (!configuration.from_program() || configuration.program.name != Framework::pytorch) return;
    auto& count = counts[static_cast<std::size_t>(call.configuration)];
    ++count.calls;
    const std::int64_t before = spans_[call_index].first;
    const std::int64_t ready = std::max(after, computed_until(place, before));
    if (contains(copied(place, ready, before), matrices(configuration.config))) ++count.copied;
    if (reordered(place, after, before, configuration.config)) ++count.reordered;
  }

  // The start of the last kernel before a call that computes something: neither fills memory nor
  // reorders. Copies of the weights for the call come after it, those of gradients into the buffers
  // of a reduction come before the optimizer's.
  std::int64_t computed_until(const Place& place, std::int64_t before) const {
    const auto found = between_.find(place);
    if (found == between_.end()) return -1;
    const auto& kernels = profile_.kernels;
    auto at = std::lower_bound(
        found->second.begin(), found->second.end(), before,
        [&](std::size_t k, std::int64_t time) { return kernels.start_ns[k] < time; });
    while (at != found->second.begin()) {
      const std::size_t k = *--at;
      if (prepares_[static_cast<std::size_t>(kernels.name[k])] == 0) return kernels.start_ns[k];
    }
    return -1;
  }

  std::multiset<std::int64_t> copied(const Place& place, std::int64_t after,
                                     std::int64_t before) const {
    std::multiset<std::int64_t> bytes;
    const auto found = copies_.find(place);
    if (found == copies_.end()) return bytes;
    const auto& starts = profile_.transfers.start_ns;
    auto at = std::lower_bound(found->second.begin(), found->second.end(), after,
                               [&](std::size_t t, std::int64_t time) { return starts[t] < time; });
    for (; at != found->second.end() && starts[*at] < before; ++at)
      bytes.insert(profile_.transfers.bytes[*at]);
    return bytes;
  }

  bool reordered(const Place& place, std::int64_t after, std::int64_t before,
                 const RnnConfig& config) const {
    if (config.packed()) return false;
    const auto found = between_.find(place);
    if (found == between_.end()) return false;
    const auto& kernels = profile_.kernels;
    const auto end =
        std::lower_bound(found->second.begin(), found->second.end(), before,
                         [&](std::size_t k, std::int64_t t) { return kernels.start_ns[k] < t; });
    const std::int64_t elements =
        std::int64_t{config.seq_length} * config.batch_size * config.input_size;
    int looked = 0;
    for (auto at = end; at != found->second.begin() && looked < kernels_looked_at; ++looked) {
      const std::size_t k = *--at;
      if (kernels.start_ns[k] < after) return false;
      if (strided_[static_cast<std::size_t>(kernels.name[k])] == 0) continue;
      // Four elements a thread, in blocks of 128, as many blocks as that takes.
      const std::int64_t block = std::int64_t{4} * kernels.block[k][0];
      if (std::int64_t{kernels.grid[k][0]} == (elements + block - 1) / block) return true;
    }
    return false;
  }

  const Profile& profile_;
  std::vector<Span> spans_;
  std::vector<char> strided_, prepares_;               // by string
  std::map<Place, std::vector<std::size_t>> between_;  // kernels of no call, by start
  std::map<Place, std::vector<std::size_t>> copies_;   // within the device, by start
};

void read_phases(const Profile& profile, std::vector<CallSigns>& signs) {
  struct Calls {
    int training = 0, backward = 0;
  };
  std::vector<Calls> counts(profile.configurations.size());
  for (const auto& call : profile.calls) {
    if (call.configuration < 0) continue;
    auto& count = counts[static_cast<std::size_t>(call.configuration)];
    if (call.phase == Phase::forward_training) ++count.training;
    if (!is_forward(call.phase)) ++count.backward;
  }
  const bool whole = std::none_of(profile.notes.begin(), profile.notes.end(), [](const Note& n) {
    return n.code == "calls-outside" || n.code == "records-dropped" ||
           n.code == "process-running" || n.code == "trace-cut-off";
  });
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (!profile.configurations[i].from_program()) continue;
    if (counts[i].backward > 0)
      signs[i].backward_follows = true;
    else if (counts[i].training >= 3 && whole)
      signs[i].backward_follows = false;
  }
}

void read_steps(const Profile& profile, std::vector<CallSigns>& signs) {
  constexpr int fewest = 8;
  std::map<std::pair<int, int>, int> in_a_row;  // by configuration and process
  std::vector<std::size_t> order(profile.calls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return profile.calls[a].host_start_ns < profile.calls[b].host_start_ns;
  });
  for (const std::size_t i : order) {
    const auto& call = profile.calls[i];
    if (call.configuration < 0) continue;
    const auto at = static_cast<std::size_t>(call.configuration);
    const auto& configuration = profile.configurations[at];
    // A call that its kernels alone tell of has no length that anybody saw.
    if (!configuration.from_program() || !configuration.described()) continue;
    if (configuration.config.seq_length > 1) {
      signs[at].per_step_calls = false;
      continue;
    }
    int& calls = in_a_row[{call.configuration, call.process}];
    calls = is_forward(call.phase) ? calls + 1 : 0;
    if (calls >= fewest) signs[at].per_step_calls = true;
  }
}

}  // namespace

std::vector<CallSigns> call_signs(const Profile& profile) {
  std::vector<CallSigns> signs(profile.configurations.size());
  read_phases(profile, signs);
  read_steps(profile, signs);
  std::vector<Count> counts(profile.configurations.size());
  SignsReader(profile).read(counts);
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (nearly_all(counts[i].copied, counts[i].calls)) signs[i].weights_copied = true;
    if (nearly_all(counts[i].reordered, counts[i].calls)) signs[i].input_reordered = true;
  }
  return signs;
}

}  // namespace rnnadvisor
