#include "advisor/whatif/size_choice.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "advisor/whatif/estimate.h"
#include "advisor/whatif/framework_fit.h"

namespace rnnadvisor::advisor {
namespace {

using Changes = std::vector<Transform>;

// Batch sizes that people use: GEMM tiles and persistent kernels end at multiples of 8 to 128.
constexpr std::array sizes = {8,   16,  24,  32,  48,  64,   96,   128, 160,
                              192, 256, 384, 512, 768, 1024, 2048, 4096};
// More parts than this are launches and nothing else; a batch more than eightfold is another
// experiment.
constexpr int most_batch_parts = 8;
constexpr int most_growth = 8;
// Predictions are off by more than that half of the time (docs/models.md): less is no promise.
constexpr double least_gain = 1.1;

Transform change(std::string_view kind, std::string_view name, ParameterValue value) {
  const Parameter parameter{std::string(name), std::move(value)};
  auto transform = make_transform(kind, std::span(&parameter, 1));
  return transform ? std::move(*transform) : Transform{};  // of constant kinds and valid values
}

std::vector<Changes> parts_of_batch(const RnnConfig& config) {
  std::vector<Changes> all;
  for (const int most : sizes) {
    if (most >= config.batch_size || (config.batch_size - 1) / most >= most_batch_parts) continue;
    Changes parts = {
        change("lower_batch", "value", std::int64_t{even_piece(config.batch_size, most, 8)})};
    if (all.empty() || all.back() != parts) all.push_back(std::move(parts));
  }
  return all;
}

std::vector<Changes> other_batches(const RnnConfig& config) {
  std::vector<Changes> all;
  if (config.has_varying_lengths()) return all;
  for (const int size : sizes) {
    if (size == config.batch_size) continue;
    if (size > static_cast<std::int64_t>(config.batch_size) * most_growth) continue;
    if (static_cast<std::int64_t>(size) * most_growth < config.batch_size) continue;
    all.push_back({change("set_batch", "value", std::int64_t{size})});
  }
  return all;
}

std::vector<Changes> chunks(const RnnConfig& config) {
  std::vector<Changes> all;
  for (int parts = 2; parts <= most_batch_parts; ++parts) {
    const int length = even_piece(config.seq_length, (config.seq_length - 1) / parts + 1, 1);
    if (length < config.seq_length)
      all.push_back({change("chunk_sequence", "length", std::int64_t{length})});
  }
  return all;
}

std::vector<Changes> with_persistent(std::vector<Changes> all) {
  const auto persistent = change("algo", "value", std::string(to_string(Algo::persist_static)));
  for (auto& changes : all) changes.insert(changes.begin(), persistent);
  return all;
}

}  // namespace

int even_piece(int whole, int most, int multiple) {
  if (most < 1) return 0;
  if (whole <= most) return whole;
  const int pieces = (whole - 1) / most + 1;
  const int even = (whole - 1) / pieces + 1;
  const auto rounded = (static_cast<std::int64_t>(even) + multiple - 1) / multiple * multiple;
  return rounded <= most ? static_cast<int>(rounded) : even;
}

std::vector<std::vector<Transform>> chosen_sizes(const Profile& profile, int configuration,
                                                 const DeviceSpec& device,
                                                 const ProposeOptions& options) {
  std::vector<Changes> chosen;
  if (!options.predict) return chosen;
  const auto& config = profile.configurations[static_cast<std::size_t>(configuration)].config;
  if (!options.now && !predicted_time(std::span(&config, 1), options.predict)) return chosen;
  const auto best_of = [&](const std::vector<Changes>& family) {
    const Changes* best = nullptr;
    double most = least_gain;
    for (const auto& changes : family) {
      const auto candidate = make_candidate(changes, "", profile, configuration, device, options);
      if (!candidate || candidate->expected <= most) continue;
      // The bounds of what has no prediction say nothing about which size is best.
      if (!candidate->time) continue;
      most = candidate->expected;
      best = &changes;
    }
    if (best != nullptr) chosen.push_back(*best);
  };
  std::vector<std::vector<Changes>> families = {parts_of_batch(config), other_batches(config),
                                                chunks(config)};
  if (!framework_around(profile, configuration) && config.algo != Algo::persist_static) {
    families.push_back(with_persistent(parts_of_batch(config)));
    families.push_back(with_persistent(other_batches(config)));
  }
  for (const auto& family : families) best_of(family);
  return chosen;
}

}  // namespace rnnadvisor::advisor
