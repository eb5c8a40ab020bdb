#include "advisor/fit/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "advisor/fit/fit.h"

namespace rnnadvisor::advisor {
namespace {

// Sizes of which cuDNN is asked at once: a question costs the start of a worker, a size less than a
// millisecond.
constexpr int sizes_at_once = 32;
// Each question leaves a thirtieth of what was open.
constexpr int most_questions = 12;
// Free memory can fall between the question and the run: others use the device.
constexpr int most_runs = 3;

class Trial {
 public:
  Trial(const FitQuestion& question, const FitTrialOptions& options, const RunConfigurations& run)
      : question_(question), limit_(options.limit), run_(run) {
    request_.devices = {options.gpu};
    request_.command_line = options.command_line;
    request_.options.time = false;
    request_.options.trace = false;
    request_.options.counters = Counters::off;
    request_.stop = options.stop;
  }

  Result<FitTrial> run() {
    auto first = ask({question_.given_size()});
    if (!first) return fail(first.error());
    if (!*first) return result_;  // refused, interrupted, …
    for (int attempt = 0; attempt < most_runs; ++attempt) {
      FitQuestion here = question_;
      here.room.bytes = result_.room;
      result_.predicted = largest_that_fits(here);
      auto size = settle(result_.predicted);
      if (!size) return fail(size.error());
      if (*size < 0) return result_;
      result_.size = *size;
      if (*size == 0) {
        result_.outcome = Outcome::out_of_memory_predicted;
        result_.message = "not even a size of 1 fits";
        return result_;
      }
      auto ran = run_sizes({*size}, false);
      if (!ran) return fail(ran.error());
      const Configuration& one = ran->configurations.front();
      result_.outcome = one.outcome;
      result_.message = one.message;
      result_.used = one.memory_peak_used;
      // Less is free than before, and nothing was allocated: once more with what is free now.
      if (one.outcome != Outcome::out_of_memory_predicted) return result_;
      note_room(one);
    }
    return result_;
  }

 private:
  void note_room(const Configuration& answer) {
    if (answer.memory_free_before < 0) return;
    result_.room = std::max<std::int64_t>(0, answer.memory_free_before - fit_margin);
    if (limit_) result_.room = std::min(result_.room, *limit_);
  }

  Result<Profile> run_sizes(const std::vector<int>& sizes, bool sizes_only) {
    request_.options.sizes_only = sizes_only;
    request_.configurations.clear();
    for (const int size : sizes) {
      request_.configurations.push_back(sized(question_, size));
      request_.configurations.back().config = call_of(question_, size).config;
    }
    auto profile = run_(request_);
    if (!profile) return fail(profile.error());
    if (profile->configurations.size() != sizes.size()) {
      return fail(ErrorCode::internal, "the worker did not answer for every size",
                  "please report it");
    }
    return profile;
  }

  // What cuDNN says of sizes, into needs_: true when it answered all.
  Result<bool> ask(const std::vector<int>& sizes) {
    auto answers = run_sizes(sizes, true);
    if (!answers) return fail(answers.error());
    result_.queries += static_cast<int>(sizes.size());
    needs_.clear();
    note_room(answers->configurations.front());
    for (const auto& answer : answers->configurations) {
      result_.outcome = answer.outcome;
      result_.message = answer.message;
      if (answer.outcome != Outcome::not_run || answer.memory_predicted < 0) return false;
      needs_.push_back(answer.memory_predicted);
    }
    return true;
  }

  // The largest size whose need, as cuDNN answers, fits; -1 when it gives no answer. First the
  // model's answer and its surroundings, the farther the sparser, then evenly between what fits and
  // what does not.
  Result<int> settle(int predicted) {
    const int most = question_.most();
    int fits = 0, too_large = most + 1;
    result_.need = result_.next_need = -1;
    std::set<int> sizes;
    const auto add = [&](std::int64_t size) {
      if (size > fits && size < too_large) sizes.insert(static_cast<int>(size));
    };
    const std::int64_t center = std::max(predicted, 1);
    add(center);
    for (std::int64_t step = 1; step <= center; step *= 2) {
      add(center - step);
      add(center + step);
    }
    for (int question = 0; fits + 1 < too_large; ++question) {
      if (question == most_questions) {
        result_.outcome = Outcome::failed;
        result_.message = "cuDNN's answers do not grow with the size: no largest one was found";
        return -1;
      }
      const std::vector<int> asked(sizes.begin(), sizes.end());
      auto answered = ask(asked);
      if (!answered) return fail(answered.error());
      if (!*answered) return -1;
      // What is above the largest that fits is too large, whatever is below it.
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (needs_[i] <= result_.room) {
          fits = asked[i];
          result_.need = needs_[i];
          if (fits >= too_large) too_large = most + 1;
        } else if (asked[i] < too_large && asked[i] > fits) {
          too_large = asked[i];
          result_.next_need = needs_[i];
        }
      }
      sizes.clear();
      // Nothing was too large yet: as far again.
      const std::int64_t end =
          too_large <= most
              ? too_large
              : std::min<std::int64_t>(std::int64_t{fits} * 4 + 4, most + std::int64_t{1});
      const std::int64_t open = end - fits;
      for (int i = 1; i <= sizes_at_once; ++i)
        add(fits + std::max<std::int64_t>(open * i / (sizes_at_once + 1),
                                          std::min<std::int64_t>(i, open - 1)));
    }
    return fits;
  }

  const FitQuestion& question_;
  std::optional<std::int64_t> limit_;
  const RunConfigurations& run_;
  RunRequest request_;
  FitTrial result_;
  std::vector<std::int64_t> needs_;
};

}  // namespace

Result<FitTrial> try_fit(const FitQuestion& question, const FitTrialOptions& options,
                         const RunConfigurations& run) {
  return Trial(question, options, run).run();
}

}  // namespace rnnadvisor::advisor
