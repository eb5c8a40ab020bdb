// How good a TimeModel is where it was not measured, from its calibration alone: parts of the
// measured rows are left out, a model is made of the rest, and it predicts what was left out. Every
// change of the model is judged by this, and the intervals get their width from it; rows that are
// held back (tests/data/h200/held-back.times.jsonl) judge the result and choose nothing.
//
// Rows that differ in the algorithm, the precision or the math type alone are always left out
// together, so that none of them predicts another. What a model chose beforehand
// (MeasuredTimes::choices, but for the intervals) is taken from all rows: twelve numbers or so for
// hundreds of them.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_spec.h"
#include "core/device/measured_times.h"
#include "core/model/time_errors.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::model {

// What is left out together, from what is easiest to predict to what is most like a question about
// sizes that are on no line of the grid that was measured.
enum class Split {
  shape,    // a tenth of all shapes, spread evenly: k-fold cross-validation
  hidden,   // all of one hidden size
  batch,    // all of one batch
  cut,      // other lengths, inputs, layers or directions than the usual, of one hidden size
  cross,    // all of one hidden size and all of one batch; what has both is predicted
  kernels,  // all of one algorithm and precision: of times that correct those of another GPU
};
inline constexpr Split all_splits[] = {Split::shape, Split::hidden, Split::batch, Split::cut,
                                       Split::cross};
std::string_view to_string(Split split);

struct Fold {
  Split split = Split::shape;
  std::vector<std::size_t> left_out;  // of the model; indices of rows, ascending
  std::vector<std::size_t> asked;     // predicted without them, some or all of these
};
// In a fixed order that depends on the rows alone; without Split::kernels. The least and the
// largest hidden size and batch are not left out as lines: beyond them is extrapolation.
std::vector<Fold> folds(const MeasuredTimes& times);

// Of Split::kernels.
std::vector<Fold> kernel_folds(const MeasuredTimes& times);

struct LeftOutTime {
  Split split = Split::shape;
  std::size_t row = 0;
  Phase phase = Phase::forward_training;
  TimePrediction predicted;
};

// Every measured time of every fold for which the rest predicts one. On all processors; some ten
// seconds of one for a thousand rows. Ends early with what it has when `stop` is set.
std::vector<LeftOutTime> cross_validate(const MeasuredTimes& times, const DeviceSpec& device,
                                        const std::vector<Fold>& folds,
                                        const std::atomic<bool>* stop = nullptr);
// Of folds().
std::vector<LeftOutTime> cross_validate(const MeasuredTimes& times, const DeviceSpec& device,
                                        const std::atomic<bool>* stop = nullptr);

// For MeasuredTimes::choices: by how much the logarithmic intervals of each group of kernels and
// phase must be widened so that nine in ten times that were left out lie in them, in each split
// that has enough to tell (conformal prediction). `left_out` are predictions without such factors,
// as cross_validate() of times without them gives. A group with few of them is held near the
// factor of its phase.
std::map<std::string, std::vector<double>> interval_factors(
    const MeasuredTimes& times, const DeviceSpec& device, const std::vector<LeftOutTime>& left_out);

// The choices of `times` without those of interval_factors().
std::map<std::string, std::vector<double>> without_interval_factors(
    std::map<std::string, std::vector<double>> choices);

// MeasuredTimes::choices for these rows: TimeModel::choose(), then interval_factors() of a
// cross-validation with these choices. What `times` has of either is not used.
std::map<std::string, std::vector<double>> chosen_for(const MeasuredTimes& times,
                                                      const DeviceSpec& device,
                                                      const std::atomic<bool>* stop = nullptr);

// What cross_validate() says of the intervals must not come from the same times that they were
// widened by: the factors that are applied to one half of the shapes are made from the other half.
// In place.
void widen_across_halves(const MeasuredTimes& times, const DeviceSpec& device,
                         std::vector<LeftOutTime>& left_out);

// Errors and choices of one split.
TimeJudgement judge(const MeasuredTimes& times, const DeviceSpec& device,
                    const std::vector<LeftOutTime>& left_out, Split split);

}  // namespace rnnadvisor::model
