#include "advisor/whatif/trial.h"

#include <fmt/format.h>

#include "advisor/facts/experiments.h"

namespace rnnadvisor::advisor {
namespace {

bool out_of_memory(Outcome outcome) {
  return outcome == Outcome::out_of_memory || outcome == Outcome::out_of_memory_predicted;
}

void append(std::string& text, const std::string& more) {
  if (more.empty()) return;
  text += (text.empty() ? "" : "; ") + more;
}

}  // namespace

std::string describe(Outcome outcome, const std::string& message) {
  std::string words;
  switch (outcome) {
    case Outcome::not_run:
      words = "not run";
      break;
    case Outcome::completed:
      words = "completed";
      break;
    case Outcome::refused:
      words = "cuDNN refused it";
      break;
    case Outcome::out_of_memory_predicted:
      words = "it would not fit into memory";
      break;
    case Outcome::out_of_memory:
      words = "out of memory";
      break;
    case Outcome::failed:
      words = "it failed";
      break;
    case Outcome::crashed:
      words = "the process that ran it died";
      break;
    case Outcome::timed_out:
      words = "it did not answer in time";
      break;
    case Outcome::interrupted:
      words = "interrupted";
      break;
  }
  return message.empty() ? words : fmt::format("{}: {}", words, message);
}

void per_sequence(std::vector<ExperimentTiming>& timings, int before, int after) {
  if (before <= 0 || after <= 0 || before == after) return;
  const double ratio = static_cast<double>(after) / before;
  for (auto& timing : timings) {
    timing.speedup *= ratio;
    timing.speedup_low *= ratio;
    timing.speedup_high *= ratio;
  }
}

void take_result(Trial& trial, const RnnConfig& before, const ExperimentResult& result,
                 std::size_t variant) {
  const VariantResult& own = result.variants[variant];
  trial.outcome = own.outcome;
  trial.timings = own.timings;
  trial.shifts = own.shifts;
  trial.memory_before = result.memory_bytes;
  trial.memory_after = own.memory_bytes;
  trial.clocks_before = own.clocks_before;
  trial.clocks_after = own.clocks_after;
  trial.message = trial.candidate.note;
  trial.verdict = ExperimentVerdict::not_run;
  trial.moved = false;
  if (own.outcome != Outcome::completed) {
    append(trial.message, describe(own.outcome, own.message));
    return;
  }
  append(trial.message, own.message);
  const auto& calls = trial.candidate.variant.calls;
  const bool same_calls = calls.empty();
  const RnnConfig& after = same_calls ? before : calls.front();
  if (compared_per_sequence(trial.candidate.transforms)) {
    per_sequence(trial.timings, before.batch_size, batch_of(trial.candidate.variant));
    append(trial.message, "speedup per sequence");
  }
  if (const auto moved = moved_too_far(own.shifts, trial.candidate.meaning, before, after)) {
    // Right or wrong comes before fast or slow.
    trial.verdict = ExperimentVerdict::refuted;
    trial.moved = true;
    append(trial.message, "not the same results: " + *moved);
    return;
  }
  if (result.outcome != Outcome::completed) {
    trial.verdict = out_of_memory(result.outcome) || result.outcome == Outcome::refused
                        ? ExperimentVerdict::confirmed
                        : ExperimentVerdict::inconclusive;
    append(trial.message, fmt::format("this ran; the original did not: {}",
                                      describe(result.outcome, result.message)));
    return;
  }
  const ExperimentTiming* timing = deciding_timing(trial.timings, before.mode);
  if (timing == nullptr) {
    trial.verdict = ExperimentVerdict::inconclusive;
    append(trial.message, "it ran, and no time was taken");
    return;
  }
  trial.verdict = verdict_of(*timing);
}

}  // namespace rnnadvisor::advisor
