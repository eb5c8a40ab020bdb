// Findings meet predicted times: who tells the change of which they expect the most, and which of
// several changes is expected to gain more.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "advisor/facts/predicted_change.h"
#include "advisor/facts/profile_index.h"
#include "advisor/rules/finding.h"
#include "advisor/whatif/predicted_change.h"

namespace rnnadvisor::advisor {

// The rules whose only change is a predicted one: with the same data type, and in half.
inline constexpr std::string_view predicted_rule = "algorithm/predicted-faster";
inline constexpr std::string_view predicted_half_rule = "math/predicted-half";
inline bool is_of_predictions(std::string_view rule) {
  return rule == predicted_rule || rule == predicted_half_rule;
}
// Another algorithm that the framework does not ask for: like the above it names no cause.
inline constexpr std::string_view not_asked_for_rule = "algorithm/not-asked-for";

// The predictors of a profile's devices, each made once. Both arguments must outlive it.
class Predictions {
 public:
  Predictions(const Profile& profile, const PredictFor& predict_for);

  // As PredictChange; nothing where the device of the configuration is not known.
  std::optional<PredictedChange> change(int configuration);
  // What is predicted of these changes, as predict_speedup() in advisor/whatif/predicted_change.h.
  std::optional<ExpectedSpeedup> speedup(int configuration, std::span<const Transform> changes);
  // Seconds with these changes, as predict_seconds() there.
  std::optional<double> seconds(int configuration, std::span<const Transform> changes);
  // Puts the suggestion that is predicted to gain clearly more in front, unless it gives up more
  // than the first one does or the first is a command that gains by itself; then sets what is
  // predicted of the first: `predicted_speedup`, and the gain, in the place of a number of another
  // configuration. Nothing where it is not predicted.
  void apply(Finding& finding);

 private:
  const DeviceSpec* device(int configuration) const;
  const model::PredictTime& predict(const DeviceSpec& device);

  const Profile& profile_;
  const PredictFor& predict_for_;
  std::map<const DeviceSpec*, model::PredictTime> by_device_;
};

// Of one configuration's findings, where a rule of predictions is among them: another that proposes
// the same calls tells the change in its place, and with its gain, unless that was measured here.
// Returns what was left out.
std::vector<LeftOut> compare_predicted(std::vector<Finding>& findings, const ProfileIndex& index,
                                       Predictions& predictions);

}  // namespace rnnadvisor::advisor
