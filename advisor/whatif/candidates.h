// Which changes of a configuration are worth a try: those that its findings suggest, and those that
// the model and the framework's own rules propose. What cannot be tried is dropped with the reason.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advisor/rules/finding.h"
#include "advisor/whatif/candidate.h"
#include "core/device/device_spec.h"
#include "core/model/time_prediction.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// A change that will not be tried, and why.
struct Dropped {
  std::vector<Transform> transforms;
  std::string rule;    // whose suggestion it was; empty: found by searching
  std::string reason;  // what comes before a colon is the same for all of a kind: lists count by it
};

struct Proposal {
  int configuration = -1;             // index into Profile::configurations
  std::vector<Candidate> candidates;  // suggestions of rules first, then by what is expected
  std::vector<Dropped> dropped;
};

// Several calls of one are at most this many: beyond, the calls themselves are what costs.
inline constexpr std::size_t most_calls_of_one = 64;

// A lower bound is no time: only what it puts further behind than this is not worth a try.
inline constexpr double least_worth_trying = 0.7;

// Why inference cannot stand in for training here; nothing where it can, or where the changes do
// not ask for it. Without a backward pass a forward pass for training keeps what is never read.
std::optional<std::string> needs_training(std::span<const Transform> transforms,
                                          const Profile& profile, int configuration);

// One list of changes made a candidate: put in order, applied, and held against what is allowed,
// what the framework does, what cuDNN takes and what fits `device`. The error's message is the
// reason it is dropped. `rule` empty: one found by searching, which must also be no slower by the
// model.
Result<Candidate> make_candidate(std::span<const Transform> transforms, const std::string& rule,
                                 const Profile& profile, int configuration,
                                 const DeviceSpec& device, const ProposeOptions& options);

// The calls that changes come to in the program around a configuration; nothing where they are none
// of calls (a graph, a switch of the framework), where they change nothing, or where the framework
// does not make them. Whether cuDNN takes the calls is not asked.
std::optional<ExperimentVariant> calls_after(std::span<const Transform> changes,
                                             const Profile& profile, int configuration,
                                             const DeviceSpec& device);

// What the findings of a configuration propose that a machine can apply, as options.rule and
// options.only want it. `findings` may be those of all configurations.
struct Suggested {
  std::vector<Transform> changes;
  std::string rule;
  double expected = 0;      // the finding's gain, where it is of this change; 0: nothing says
  std::string expected_by;  // where that is from
};
std::vector<Suggested> suggested_changes(std::span<const Finding> findings, int configuration,
                                         const ProposeOptions& options);

// `findings` may be those of all configurations. `device` is the one on which they would be tried.
// Deterministic.
Proposal propose(const Profile& profile, int configuration, std::span<const Finding> findings,
                 const DeviceSpec& device, const ProposeOptions& options);

// What the model proposes for a configuration on a device, best guesses without any check: lists of
// changes, each to be applied in order. `framework` adds the way to that framework's fast path.
std::vector<std::vector<Transform>> model_proposals(const RnnConfig& config,
                                                    const ProgramContext& program,
                                                    const DeviceSpec& device,
                                                    std::optional<Framework> framework);

// Both at once, where they can be: nothing when they change the same thing or would each make
// several calls of one.
std::vector<Transform> combination(std::span<const Transform> a, std::span<const Transform> b);

// As many of them at once as can be, the first ones before the later. Nothing where that is two at
// most: pairs are combination()s.
std::vector<Transform> all_together(std::span<const std::vector<Transform>> changes,
                                    const RnnConfig& config);

}  // namespace rnnadvisor::advisor
