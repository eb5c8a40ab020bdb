#include "profiler/classify/native_cells.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "profiler/kernels/classify.h"

namespace rnnadvisor {
namespace {

constexpr const char* recurrence_id = "recurrence without cuDNN";

constexpr std::array<std::string_view, 3> cell_words = {"framework_lstm", "framework_gru",
                                                        "handwritten"};
constexpr int least_framework_steps = 8, least_handwritten_steps = 16;
constexpr int most_kernels_between = 64;  // two steps further apart belong to different runs
constexpr double nearly_all_steps = 0.8;
// Of loops that XLA compiled. A network of equal layers may look like a short loop, and a layer of
// a transformer has at least four products.
constexpr int least_compiled_steps = 32, most_kernels_in_compiled_step = 12,
              most_products_in_compiled_step = 3;

// What a kernel is to this question, by its name.
struct Kind {
  std::optional<NativeCell> step;
  bool product = false, sigmoid = false;
  bool fusion = false;  // XLA's, whose name tells where it is written and not what it computes
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return contains(text, part); });
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// XLA calls a fusion after the instructions that it ends with: "fusion_12",
// "loop_add_multiply_fusion_3", "input_reduce_fusion". Products of Triton are "gemm_fusion_dot_1".
// openxla/xla xla/service/gpu/transforms/rename_fusions.cc, fusion_wrapper.cc; read from the
// sources, in no recording of ours.
bool is_xla_fusion(std::string_view lower) {
  const auto name = lower.substr(0, lower.find('('));
  if (name.find_first_of("<: ") != std::string_view::npos || name.starts_with("triton_"))
    return false;
  return name.starts_with("wrapped_") || name.starts_with("fusion") || contains(name, "_fusion");
}

// Names of PyTorch (recordings), TorchInductor's Triton kernels, TensorFlow's Eigen and MLIR
// kernels (EigenMetaKernel<… scalar_logistic_op …>, Tanh_GPU_DT_HALF_DT_HALF_kernel) and XLA's:
// pytorch/pytorch torch/_inductor/utils.py (get_fused_kernel_name), tensorflow/tensorflow
// tensorflow/core/kernels/mlir_generated and tensorflow/core/kernels/cwise_ops.h, openxla/xla. What
// is not PyTorch's own was read from these sources and not from a recording.
Kind kind_of(const std::string& name) {
  Kind kind;
  const auto known = classify_kernel(name);
  const auto lower = lower_case(name);
  if (known.family_id == "pytorch_native_cell") {
    kind.step = contains(lower, "gru") ? NativeCell::framework_gru : NativeCell::framework_lstm;
  } else if (contains(lower, "tanh")) {
    kind.step = NativeCell::handwritten;
  }
  kind.sigmoid = contains_any(lower, {"sigmoid", "logistic"});
  kind.product = known.role == KernelRole::gemm || known.role == KernelRole::recurrent_gemm ||
                 known.role == KernelRole::layer_gemm || known.role == KernelRole::weight_gemm ||
                 contains_any(lower, {"gemm", "gemv", "nvjet", "triton_mm", "triton_bmm",
                                      "fused_mm", "fused_addmm", "fused_bmm", "dot_fusion"});
  kind.fusion = !kind.product && is_xla_fusion(lower);
  return kind;
}

// A run of steps on one stream, as it grows.
struct Run {
  std::optional<NativeCell> cell;
  std::int64_t steps = 0, with_product = 0, with_sigmoid = 0;
  std::int64_t first_ns = 0, last_ns = 0, kernels = 0, kernel_ns = 0;
  // Since the last step: they belong to the run once another step follows.
  std::int64_t between = 0, between_ns = 0;
  bool product = false, sigmoid = false;
};

bool counts(const Run& run) {
  if (!run.cell) return false;
  const bool by_hand = *run.cell == NativeCell::handwritten;
  if (run.steps < (by_hand ? least_handwritten_steps : least_framework_steps)) return false;
  const auto enough = nearly_all_steps * static_cast<double>(run.steps - 1);
  if (static_cast<double>(run.with_product) < enough) return false;
  return !by_hand || static_cast<double>(run.with_sigmoid) >= enough;
}

class Search {
 public:
  explicit Search(const Profile& profile) : profile_(profile) {}

  std::vector<NativeRecurrence> run() {
    const auto& k = profile_.kernels;
    std::vector<std::optional<Kind>> kinds(profile_.strings.size());
    for (std::size_t i = 0; i < k.size(); ++i) {
      if (k.call[i] >= 0 || k.role[i] == KernelRole::algorithm_search) continue;
      auto& kind = kinds[static_cast<std::size_t>(k.name[i])];
      if (!kind) kind = kind_of(profile_.text(k.name[i]));
      add(runs_[{k.process[i], k.device[i], k.stream[i]}], i, *kind);
    }
    for (auto& [where, run] : runs_) close(where, run);
    find_compiled(kinds);
    std::vector<NativeRecurrence> out;
    for (auto& [key, found] : found_) out.push_back(found);
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.kernel_ns > b.kernel_ns; });
    return out;
  }

 private:
  using Where = std::tuple<int, int, int>;  // process, device, stream

  void add(Run& run, std::size_t kernel, const Kind& kind) {
    const auto& k = profile_.kernels;
    const Where where{k.process[kernel], k.device[kernel], k.stream[kernel]};
    const std::int64_t ns = k.end_ns[kernel] - k.start_ns[kernel];
    if (kind.step && run.cell && *kind.step != *run.cell) close(where, run);
    if (!kind.step) {
      if (!run.cell) {
        // What leads to a first step is not known to belong to it.
        run.product = run.product || kind.product;
        return;
      }
      ++run.between;
      run.between_ns += ns;
      run.product = run.product || kind.product;
      run.sigmoid = run.sigmoid || kind.sigmoid;
      if (run.between > most_kernels_between) close(where, run);
      return;
    }
    if (!run.cell) {
      run = Run{};
      run.cell = kind.step;
      run.first_ns = k.start_ns[kernel];
    }
    // Two tanh of one cell have no product between them, and are one step.
    const bool new_step = run.steps == 0 || *run.cell != NativeCell::handwritten || run.product;
    if (new_step && run.steps > 0) {
      run.with_product += run.product ? 1 : 0;
      run.with_sigmoid += run.sigmoid ? 1 : 0;
    }
    run.steps += new_step ? 1 : 0;
    run.kernels += 1 + run.between;
    run.kernel_ns += ns + run.between_ns;
    run.between = run.between_ns = 0;
    if (new_step) run.product = run.sigmoid = false;
    // One kernel may compute the whole cell: its sigmoid belongs to what follows as well as one
    // that stands between.
    run.sigmoid = run.sigmoid || kind.sigmoid;
    run.last_ns = k.end_ns[kernel];
  }

  // A step of a loop that XLA compiled: one fusion again and again, a product or two between.
  struct Loop {
    int name = -1;
    std::int64_t steps = 0, first_ns = 0, last_ns = 0, kernels = 0, kernel_ns = 0;
    std::int64_t between = 0, between_ns = 0;
    int products = 0;
  };

  void find_compiled(const std::vector<std::optional<Kind>>& kinds) {
    const auto& k = profile_.kernels;
    std::map<Where, std::map<int, Loop>> loops;  // by the name of the fusion
    const auto close_loop = [&](const Where& where, const Loop& loop) {
      if (loop.steps < least_compiled_steps) return;
      auto& best = compiled_[where];
      if (loop.kernels > best.kernels) best = loop;
    };
    for (std::size_t i = 0; i < k.size(); ++i) {
      const auto& kind = kinds[static_cast<std::size_t>(k.name[i])];
      if (k.call[i] >= 0 || !kind) continue;
      const Where where{k.process[i], k.device[i], k.stream[i]};
      auto& own = loops[where];
      const std::int64_t ns = k.end_ns[i] - k.start_ns[i];
      if (kind->fusion) own.try_emplace(k.name[i]);
      for (auto at = own.begin(); at != own.end();) {
        auto& loop = at->second;
        if (at->first == k.name[i] && kind->fusion) {
          const bool goes_on = loop.steps > 0 && loop.products > 0 &&
                               loop.products <= most_products_in_compiled_step;
          if (loop.steps == 0 || goes_on) {
            if (loop.steps == 0) loop.first_ns = k.start_ns[i];
            ++loop.steps;
            loop.kernels += 1 + loop.between;
            loop.kernel_ns += ns + loop.between_ns;
            loop.last_ns = k.end_ns[i];
            loop.between = loop.between_ns = 0;
            loop.products = 0;
            ++at;
            continue;
          }
        }
        loop.products += kind->product ? 1 : 0;
        loop.between_ns += ns;
        if (++loop.between < most_kernels_in_compiled_step) {
          ++at;
          continue;
        }
        close_loop(where, loop);
        at = own.erase(at);
      }
    }
    for (const auto& [where, own] : loops)
      for (const auto& [name, loop] : own) close_loop(where, loop);
    for (const auto& [where, loop] : compiled_) {
      const auto [process, device, stream] = where;
      const auto [entry, fresh] = found_.try_emplace({process, device, NativeCell::handwritten});
      if (!fresh) continue;  // known by what its kernels are called
      auto& found = entry->second;
      found.process = process;
      found.device = device;
      found.cell = NativeCell::handwritten;
      found.steps = loop.steps;
      found.kernels = loop.kernels;
      found.kernel_ns = loop.kernel_ns;
      found.span_ns = loop.last_ns - loop.first_ns;
      found.runs = {{loop.first_ns, loop.last_ns}};
    }
  }

  void close(const Where& where, Run& run) {
    if (counts(run)) {
      auto& found = found_[{std::get<0>(where), std::get<1>(where), *run.cell}];
      found.process = std::get<0>(where);
      found.device = std::get<1>(where);
      found.cell = *run.cell;
      found.steps += run.steps;
      found.kernels += run.kernels;
      found.kernel_ns += run.kernel_ns;
      found.span_ns += run.last_ns - run.first_ns;
      found.runs.emplace_back(run.first_ns, run.last_ns);
    }
    run = Run{};
  }

  const Profile& profile_;
  std::map<Where, Run> runs_;
  std::map<Where, Loop> compiled_;  // the one with the most kernels on each stream
  std::map<std::tuple<int, int, NativeCell>, NativeRecurrence> found_;
};

}  // namespace

std::string_view to_string(NativeCell cell) { return cell_words[static_cast<std::size_t>(cell)]; }

std::vector<NativeRecurrence> native_recurrences(const Profile& profile) {
  return Search(profile).run();
}

void add_native_recurrences(Profile& profile) {
  for (const auto& configuration : profile.configurations)
    if (configuration.origin == Origin::kernels && configuration.config.id == recurrence_id) return;
  std::set<int> devices;
  for (const auto& found : native_recurrences(profile)) {
    if (found.device < 0 || !devices.insert(found.device).second) continue;
    Configuration configuration;
    configuration.origin = Origin::kernels;
    configuration.outcome = Outcome::completed;
    configuration.device = found.device;
    configuration.config.id = recurrence_id;
    if (found.process >= 0)
      configuration.program.name = parse_enum<Framework>(
          profile.processes[static_cast<std::size_t>(found.process)].framework);
    profile.configurations.push_back(std::move(configuration));
  }
}

}  // namespace rnnadvisor
