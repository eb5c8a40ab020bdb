#include "advisor/sweep/run.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>

#include "profiler/merge/merge.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::advisor {

Resumption plan_resumption(const SweepPlan& plan, const Profile* earlier) {
  Resumption resumption;
  std::multimap<std::string, int> available;
  if (earlier != nullptr) {
    for (std::size_t i = 0; i < earlier->configurations.size(); ++i) {
      const auto& configuration = earlier->configurations[i];
      if (is_final(configuration.outcome)) {
        available.emplace(configuration_key(configuration), static_cast<int>(i));
      }
    }
  }
  std::set<std::string> wanted;
  std::vector<bool> kept(earlier != nullptr ? earlier->configurations.size() : 0, false);
  for (std::size_t i = 0; i < plan.configurations.size(); ++i) {
    const auto key = configuration_key(plan.configurations[i]);
    wanted.insert(key);
    if (const auto found = available.find(key); found != available.end()) {
      kept[static_cast<std::size_t>(found->second)] = true;
      available.erase(found);
      ++resumption.in_plan;
    } else {
      resumption.to_run.push_back(static_cast<int>(i));
    }
  }
  // Results of other plans in the same file are not ours to drop, whatever became of them.
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) kept[i] = !wanted.contains(configuration_key(earlier->configurations[i]));
    if (kept[i]) resumption.kept.push_back(static_cast<int>(i));
  }
  return resumption;
}

Profile arrange(const SweepPlan& plan, const Profile& results) {
  std::map<std::string, std::vector<int>> places;  // by key, in the order of the plan
  for (std::size_t i = 0; i < plan.configurations.size(); ++i) {
    places[configuration_key(plan.configurations[i])].push_back(static_cast<int>(i));
  }
  const auto count = results.configurations.size();
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> rank(count, static_cast<int>(plan.configurations.size()));
  std::map<std::string, std::size_t> used;
  for (std::size_t i = 0; i < count; ++i) {
    const auto key = configuration_key(results.configurations[i]);
    const auto place = places.find(key);
    if (place == places.end()) continue;
    const auto nth = std::min(used[key]++, place->second.size() - 1);
    rank[i] = place->second[nth];
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return rank[static_cast<std::size_t>(a)] < rank[static_cast<std::size_t>(b)];
  });
  Profile arranged = select_configurations(results, order);
  for (const auto& figure : plan.figures) {
    std::erase_if(arranged.figures, [&](const Figure& other) { return other.id == figure.id; });
  }
  arranged.figures.insert(arranged.figures.begin(), plan.figures.begin(), plan.figures.end());
  return arranged;
}

Result<Profile> run_sweep(const SweepRun& sweep, const RunConfigurations& run) {
  using Clock = std::chrono::steady_clock;
  const auto resumption = plan_resumption(sweep.plan, sweep.earlier);
  Profile kept;
  if (sweep.earlier != nullptr) kept = select_configurations(*sweep.earlier, resumption.kept);

  const auto assemble = [&](const std::vector<Profile>& parts) {
    std::vector<const Profile*> all;
    if (!parts.empty()) {
      for (const auto& part : parts) all.push_back(&part);
    }
    // The environment of the newest run comes first: it is the one the file describes.
    if (sweep.earlier != nullptr) all.push_back(&kept);
    return arrange(sweep.plan, join_profiles(all));
  };
  if (resumption.to_run.empty()) {
    Profile whole = assemble({});
    if (auto written = write_profile(whole, sweep.path, true); !written) {
      return fail(std::move(written.error()));
    }
    return whole;
  }

  RunRequest request = sweep.request;
  for (const int index : resumption.to_run) {
    request.configurations.push_back(sweep.plan.configurations[static_cast<std::size_t>(index)]);
  }
  std::vector<Profile> finished;
  auto last_save = Clock::now();
  double save_cost = 0;
  std::optional<Error> save_error;
  request.on_progress = [&](const RunProgress& progress) {
    if (progress.newest == nullptr) return;
    finished.push_back(*progress.newest);
    if (sweep.on_progress && !progress.newest->configurations.empty()) {
      sweep.on_progress(resumption.in_plan + progress.finished, resumption.in_plan + progress.total,
                        progress.newest->configurations.front());
    }
    // Saving a long sweep takes a while: at most a tenth of the time goes into it.
    const std::chrono::duration<double> since = Clock::now() - last_save;
    if (since.count() < std::max(sweep.save_every_seconds, 10 * save_cost)) return;
    const auto start = Clock::now();
    if (auto written = write_profile(assemble(finished), sweep.path, true); !written) {
      save_error = std::move(written.error());
    }
    last_save = Clock::now();
    save_cost = std::chrono::duration<double>(last_save - start).count();
  };
  auto result = run(request);
  if (!result) {
    if (!finished.empty()) {
      // What was measured before the failure is worth keeping; the failure itself is what is
      // reported.
      if (auto written = write_profile(assemble(finished), sweep.path, true); !written) {
        result.error().notes.push_back(to_text(written.error()));
      }
    }
    return fail(std::move(result.error()));
  }
  std::vector<Profile> parts;
  parts.push_back(std::move(*result));
  Profile whole = assemble(parts);
  if (auto written = write_profile(whole, sweep.path, true); !written) {
    Error error = std::move(written.error());
    if (save_error) error.notes.push_back("an earlier attempt failed too: " + to_text(*save_error));
    return fail(std::move(error));
  }
  return whole;
}

}  // namespace rnnadvisor::advisor
