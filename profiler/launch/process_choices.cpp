// ProcessSpool: what `accelerate` chose for the calls of a process.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "profiler/launch/cudnn_numbers.h"
#include "profiler/launch/process_spool.h"

namespace rnnadvisor::launch {
namespace {

using spool::VariantState;

constexpr std::uint64_t most_count = std::uint64_t{1} << 53;

std::int64_t count_of(std::uint64_t count) {
  return static_cast<std::int64_t>(std::min(count, most_count));
}

MedianInterval interval_of(const spool::ChoiceVariant& variant, std::size_t phase) {
  constexpr std::int64_t longest_ns = std::int64_t{1} << 53;
  const auto usable = [&](std::int64_t ns) { return ns > 0 && ns <= longest_ns; };
  const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) / 1e6; };
  const std::int64_t low = variant.low_ns[phase], median = variant.median_ns[phase],
                     high = variant.high_ns[phase];
  if (variant.samples[phase] == 0 || !usable(low) || !usable(median) || !usable(high) ||
      low > median || median > high)
    return {};
  return {ms(median), ms(low), ms(high), 0.95,
          static_cast<int>(std::min<std::uint32_t>(variant.samples[phase], 1U << 30))};
}

// Of a later version, or of damaged bytes.
bool is_algorithm(const spool::ChoiceVariant& variant) {
  return variant.algo >= 0 && variant.algo <= static_cast<int>(Algo::persist_static_small_h) &&
         variant.state > VariantState::absent && variant.state <= VariantState::costly;
}

}  // namespace

void ProcessSpool::add_choices() {
  for (const auto& [id, record] : accelerations_) {
    spool::Call asked{};  // as the first such call would be described
    asked.configuration = record.configuration;
    asked.call_site = record.call_site;
    AlgorithmChoice choice;
    choice.process = process_;
    choice.device = device_of(record.device);
    choice.key = record.key;
    choice.with_change = record.with_change == 1;
    choice.origin = std::min(record.origin, spool::ChoiceOrigin::forced);
    choice.configuration = configuration_of(asked, choice.device).index;
    if (const auto site = tables_.call_sites.find(record.call_site);
        site != tables_.call_sites.end()) {
      choice.file = tables_.text(site->second.file);
      choice.line = std::max(site->second.line, 0);
    }
    choice.state = std::min(record.state, spool::ChoiceState::decided);
    for (std::size_t i = 0; i < spool::choice_phases; ++i) {
      choice.calls[i] = count_of(record.calls[i]);
      choice.substituted[i] = count_of(record.substituted[i]);
    }
    for (std::size_t i = 0; i < std::size(choice.kept); ++i)
      choice.kept[i] = count_of(record.kept[i]);
    choice.tuning_ms =
        static_cast<double>(std::clamp<std::int64_t>(record.tuning_ns, 0, most_count)) / 1e6;
    choice.tuning_bytes = count_of(record.tuning_bytes);
    choice.checks = static_cast<int>(std::min(record.checks, 1U << 30));
    for (std::size_t i = 0; i < spool::most_variants; ++i) {
      const auto& variant = record.variants[i];
      if (!is_algorithm(variant)) continue;
      if (i == record.chosen) choice.chosen = choice.variants.size();
      auto& made = choice.variants.emplace_back();
      made.algo = static_cast<Algo>(variant.algo);
      made.state = variant.state;
      made.converts = variant.converts != 0;
      if (variant.state == VariantState::refused) made.status = status_name(variant.status);
      if (std::isfinite(variant.error) && variant.error >= 0) made.error = variant.error;
      if (std::isfinite(variant.limit)) made.limit = variant.limit;
      made.tensor = tables_.text(variant.tensor);
      for (std::size_t phase = 0; phase < spool::choice_phases; ++phase)
        made.ms[phase] = interval_of(variant, phase);
      made.workspace_bytes = count_of(variant.workspace_bytes);
    }
    if (choice.variants.empty() || choice.variants.front().state != VariantState::original) {
      collection_.plausible.refuse();
      continue;
    }
    collection_.choices.push_back(std::move(choice));
  }
  for (auto& step : whole_steps(step_blocks_)) {
    step.process = process_;
    collection_.steps.push_back(step);
  }
}

}  // namespace rnnadvisor::launch
