#include "gui/recurrence/unroll.h"

#include <algorithm>
#include <map>

namespace rnnadvisor::gui::recurrence {
namespace {

// More pointwise kernels than this for one step have not been seen (a projection has two).
constexpr int most_pointwise = 4;

bool is_product(KernelRole role) {
  return role == KernelRole::recurrent_gemm || role == KernelRole::gemm;
}
// What a step consists of. Products of whole layers are not: they are for many steps at once.
bool is_of_a_step(KernelRole role) {
  return is_product(role) || role == KernelRole::pointwise || role == KernelRole::reduction;
}

class Unroller {
 public:
  Unroller(const Profile& profile, int call, std::span<const int> kernels)
      : p_(profile), kernels_(kernels) {
    u_.call = call;
    const auto& c = p_.calls[static_cast<std::size_t>(call)];
    u_.phase = c.phase;
    if (c.configuration < 0) return;
    const auto& configuration = p_.configurations[static_cast<std::size_t>(c.configuration)];
    if (!configuration.described()) return;
    u_.layers = configuration.config.num_layers;
    u_.directions = configuration.config.directions();
    u_.time_steps = configuration.config.seq_length;
  }

  Unrolled unroll() {
    if (kernels_.empty()) return say(Told::nothing, Why::no_kernels);
    u_.begin_ns = k().start_ns[at(0)];
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      u_.end_ns = std::max(u_.end_ns, k().end_ns[at(i)]);
    if (u_.phase == Phase::backward_weights) {
      all_are_others();
      return say(Told::nothing, Why::weights);
    }
    if (persistent()) return std::move(u_);
    by_stream();
    if (u_.rows.empty()) {
      all_are_others();
      return say(Told::nothing, Why::no_steps);
    }
    if (u_.time_steps == 0) return say(Told::order_only, Why::no_description);
    // One row, one layer and direction: then the order of the kernels is the order of the steps.
    const bool a_row_each = static_cast<int>(u_.rows.size()) == u_.layers * u_.directions;
    std::int64_t steps = 0;
    bool multiples = true;
    for (auto& row : u_.rows) {
      steps += static_cast<std::int64_t>(row.steps.size());
      if (a_row_each) multiples = join_pointwise(row) && multiples;
    }
    if (a_row_each && multiples) {
      name_rows();
      return say(Told::steps, Why::told);
    }
    const bool whole = steps % (std::int64_t{u_.layers} * u_.directions * u_.time_steps) == 0;
    return say(Told::order_only, whole && !a_row_each ? Why::shared_streams : Why::counts_differ);
  }

 private:
  const KernelTable& k() const { return p_.kernels; }
  std::size_t at(std::size_t i) const { return static_cast<std::size_t>(kernels_[i]); }

  Unrolled say(Told told, Why why) {
    u_.told = told;
    u_.why = why;
    return std::move(u_);
  }

  void add_other(int kernel) {
    const auto i = static_cast<std::size_t>(kernel);
    u_.others.push_back({k().start_ns[i], k().end_ns[i], k().role[i], kernel});
  }
  void all_are_others() {
    u_.others.clear();
    for (const int kernel : kernels_) add_other(kernel);
  }

  static void add(Step& step, const KernelTable& k, int kernel) {
    const auto i = static_cast<std::size_t>(kernel);
    if (step.kernels == 0) {
      step.first_kernel = kernel;
      step.begin_ns = k.start_ns[i];
    }
    step.end_ns = std::max(step.end_ns, k.end_ns[i]);
    ++step.kernels;
    (is_product(k.role[i]) ? step.gemm_ns : step.pointwise_ns) += k.end_ns[i] - k.start_ns[i];
  }

  // One kernel for all steps of a layer and direction.
  bool persistent() {
    std::vector<int> found;
    for (const int kernel : kernels_) {
      if (k().role[static_cast<std::size_t>(kernel)] == KernelRole::persistent)
        found.push_back(kernel);
    }
    if (found.empty()) return false;
    for (const int kernel : kernels_) {
      if (k().role[static_cast<std::size_t>(kernel)] != KernelRole::persistent) add_other(kernel);
    }
    for (const int kernel : found) {
      UnrolledRow row;
      row.stream = k().stream[static_cast<std::size_t>(kernel)];
      Step step;
      add(step, k(), kernel);
      // What it does inside is not told: all of it counts as the recurrence.
      step.gemm_ns = step.pointwise_ns;
      step.pointwise_ns = 0;
      row.steps.push_back(step);
      u_.rows.push_back(std::move(row));
    }
    const bool as_many = static_cast<int>(found.size()) == u_.layers * u_.directions;
    u_.told = as_many ? Told::one_kernel : Told::order_only;
    u_.why = as_many ? Why::told : u_.time_steps == 0 ? Why::no_description : Why::counts_differ;
    if (as_many) name_rows();
    return true;
  }

  // Steps are bounded by their pointwise kernels: going forward it ends a step, going back it
  // begins one.
  void by_stream() {
    std::map<int, std::vector<int>> streams;
    for (const int kernel : kernels_) {
      const auto i = static_cast<std::size_t>(kernel);
      if (is_of_a_step(k().role[i])) {
        streams[k().stream[i]].push_back(kernel);
      } else {
        add_other(kernel);
      }
    }
    for (const auto& [stream, kernels] : streams) {
      const bool steps = std::any_of(kernels.begin(), kernels.end(), [&](int kernel) {
        return k().role[static_cast<std::size_t>(kernel)] == KernelRole::pointwise;
      });
      if (steps) {
        u_.rows.push_back(row_of(stream, kernels));
      } else {
        for (const int kernel : kernels) add_other(kernel);
      }
    }
    std::sort(u_.rows.begin(), u_.rows.end(), [](const auto& a, const auto& b) {
      return a.steps.front().begin_ns < b.steps.front().begin_ns;
    });
    std::sort(u_.others.begin(), u_.others.end(),
              [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  }

  UnrolledRow row_of(int stream, const std::vector<int>& kernels) {
    UnrolledRow row;
    row.stream = stream;
    const bool backward = u_.phase == Phase::backward_data;
    Step step;
    for (const int kernel : kernels) {
      const bool pointwise = k().role[static_cast<std::size_t>(kernel)] == KernelRole::pointwise;
      if (backward && pointwise && step.kernels > 0) {
        row.steps.push_back(step);
        step = {};
      }
      add(step, k(), kernel);
      if (!backward && pointwise) {
        row.steps.push_back(step);
        step = {};
      }
    }
    // What follows the last step of a forward pass is not part of one more.
    if (step.kernels > 0 && !backward) {
      for (int i = 0; i < step.kernels; ++i)
        add_other(kernels[kernels.size() - static_cast<std::size_t>(step.kernels - i)]);
    } else if (step.kernels > 0) {
      row.steps.push_back(step);
    }
    return row;
  }

  // A step may have several pointwise kernels: where there are a whole number for each of the time
  // steps, that many are one step. False where they do not come out even.
  bool join_pointwise(UnrolledRow& row) const {
    const auto count = static_cast<int>(row.steps.size());
    if (count == u_.time_steps) return true;
    const int each = count / u_.time_steps;
    if (each < 1 || each > most_pointwise || count % u_.time_steps != 0) return false;
    std::vector<Step> joined;
    for (std::size_t i = 0; i < row.steps.size(); ++i) {
      if (i % static_cast<std::size_t>(each) == 0) {
        joined.push_back(row.steps[i]);
        continue;
      }
      Step& step = joined.back();
      step.end_ns = std::max(step.end_ns, row.steps[i].end_ns);
      step.gemm_ns += row.steps[i].gemm_ns;
      step.pointwise_ns += row.steps[i].pointwise_ns;
      step.kernels += row.steps[i].kernels;
    }
    row.steps = std::move(joined);
    return true;
  }

  // A layer needs the first step of the one below it, or going back of the one above: the order in
  // which rows begin is the order of the layers. Of the two directions of a layer that says
  // nothing.
  void name_rows() {
    const bool backward = u_.phase == Phase::backward_data;
    std::stable_sort(u_.rows.begin(), u_.rows.end(), [](const auto& a, const auto& b) {
      return a.steps.front().begin_ns < b.steps.front().begin_ns;
    });
    for (std::size_t i = 0; i < u_.rows.size(); ++i) {
      const int from_first = static_cast<int>(i) / u_.directions;
      u_.rows[i].layer = backward ? u_.layers - 1 - from_first : from_first;
      u_.rows[i].direction = static_cast<int>(i) % u_.directions;
    }
    std::stable_sort(u_.rows.begin(), u_.rows.end(), [](const auto& a, const auto& b) {
      return std::pair(a.layer, a.direction) < std::pair(b.layer, b.direction);
    });
  }

  const Profile& p_;
  std::span<const int> kernels_;
  Unrolled u_;
};

}  // namespace

Unrolled unroll(const Profile& profile, int call, std::span<const int> kernels) {
  return Unroller(profile, call, kernels).unroll();
}

Unrolled unroll(const Profile& profile, int call) {
  std::vector<int> kernels;
  const auto& of = profile.kernels.call;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i] == call) kernels.push_back(static_cast<int>(i));
  }
  return unroll(profile, call, kernels);
}

StepTimes step_times(const UnrolledRow& row) {
  StepTimes times;
  times.steps = static_cast<int>(row.steps.size());
  if (row.steps.empty()) return times;
  std::vector<std::int64_t> each;
  std::int64_t gemm = 0, pointwise = 0, end = 0;
  for (std::size_t i = 0; i < row.steps.size(); ++i) {
    const Step& step = row.steps[i];
    const bool last = i + 1 == row.steps.size();
    each.push_back((last ? step.end_ns : row.steps[i + 1].begin_ns) - step.begin_ns);
    gemm += step.gemm_ns;
    pointwise += step.pointwise_ns;
    end = std::max(end, step.end_ns);
  }
  std::sort(each.begin(), each.end());
  times.median_ns = each[each.size() / 2];
  times.shortest_ns = each.front();
  times.longest_ns = each.back();
  const auto whole = static_cast<double>(
      std::max<std::int64_t>({1, end - row.steps.front().begin_ns, gemm + pointwise}));
  times.gemm_share = static_cast<double>(gemm) / whole;
  times.pointwise_share = static_cast<double>(pointwise) / whole;
  times.gap_share = 1 - times.gemm_share - times.pointwise_share;
  return times;
}

double side_by_side(const Unrolled& unrolled) {
  // Begins and ends of steps in the order of time; ends first, so that touching is not overlapping.
  std::vector<std::pair<std::int64_t, int>> edges;
  for (const auto& row : unrolled.rows) {
    for (const auto& step : row.steps) {
      edges.emplace_back(step.begin_ns, 1);
      edges.emplace_back(step.end_ns, -1);
    }
  }
  std::sort(edges.begin(), edges.end());
  std::int64_t any = 0, several = 0;
  int open = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    open += edges[i].second;
    const std::int64_t length = edges[i + 1].first - edges[i].first;
    if (open > 0) any += length;
    if (open > 1) several += length;
  }
  return any > 0 ? static_cast<double>(several) / static_cast<double>(any) : 0;
}

}  // namespace rnnadvisor::gui::recurrence
