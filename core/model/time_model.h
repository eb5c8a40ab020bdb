// Predicts times of cuDNN RNN calls without a GPU, from times that were measured on one
// (core/device/measured_times.h).
//
// A configuration that was measured several times, in several recordings say, counts once, with the
// geometric mean; intervals are held against each measurement.
//
// Calls that run the same kernels on the same units learn from each other (TimeGroup). For each
// such group and phase a first order is fitted, a sum of launches, steps, FLOPs and bytes with
// factors of 0 or more; what it misses, as a logarithm, is a Gaussian process over sizes, cell,
// types and alignment (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006,
// sections 2.2 and 2.7). The interval comes from leaving out each measured configuration in turn
// (closed form: ibid., section 5.4.2) and asking how far its prediction is off in units of the
// process's own deviation: the 90th percentile of that is the factor (conformal prediction; Lei et
// al., JASA 113, 2018). The first order still knows what was left out there; what that and several
// unknown sizes at once cost is in the factors that time_cross_validation.h finds by making models
// of a part of the rows, and that a file of times keeps.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_spec.h"
#include "core/device/measured_times.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::model {

// Immutable but for fits that are made on first use and predictions that are kept; thread-safe.
class TimeModel {
 public:
  // Where the times correct those of another GPU (MeasuredTimes::adapts), the first order is what
  // that one's shipped model predicts: its latencies (calls, layers, steps) times one factor and
  // its work (FLOPs, bytes, tiles) times another, both of all kernels of a phase, then times one
  // for each group of kernels. Groups that were not measured have the mean factor of the others,
  // and an interval as wide as these are apart. They stand alone where no such model travels in the
  // program.
  TimeModel(MeasuredTimes times, DeviceSpec device);
  // Fits that stored() of another model wrote; predict() of both agree to the last bit. It has no
  // rows, so that times() names device and version alone and left_out() and choose() are empty.
  // Nothing where the text is no such file. The text must outlive the model.
  static std::shared_ptr<const TimeModel> from_stored(std::string_view text, DeviceSpec device);
  ~TimeModel();
  TimeModel(const TimeModel&) = delete;
  TimeModel& operator=(const TimeModel&) = delete;

  // As PredictTime; never below lower_bound() of the device, and no interval reaches below it. The
  // first call for a group of kernels takes some ten milliseconds where it has
  // to be fitted, others microseconds.
  std::optional<TimePrediction> predict(const RnnConfig& config, Phase phase) const;

  // What each measured configuration would have been predicted without it (and without its other
  // measurements), in the order of times().rows: cross-validation, leaving one out.
  std::vector<std::optional<TimePrediction>> left_out(Phase phase) const;

  // How alike calls are, for each group and phase, as cross-validation on the rows chooses it; a
  // part of chosen_for() in time_cross_validation.h, which is what a file of times gets. Takes some
  // ten seconds for a thousand rows. Ends early with what it has when `stop` is set.
  std::map<std::string, std::vector<double>> choose(const std::atomic<bool>* stop = nullptr) const;

  // The text for from_stored(): makes every fit, which takes seconds.
  std::string stored() const;

  const MeasuredTimes& times() const;
  const DeviceSpec& device() const;

 private:
  struct State;
  explicit TimeModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The predictor of a model, which lives as long as it is needed.
PredictTime predictor(std::shared_ptr<const TimeModel> model);

// Of the fits that travel in the program for a GPU, by its id; null where there are none.
std::shared_ptr<const TimeModel> shipped_fits(const std::string& id);

// A model of the times found by find_measured_times(); null when there are none. For those that
// travel in the program the fits do, too (devices/NAME.fits.txt), and are read instead of made. An
// error also where the times adapt those of a GPU of which the program has none.
Result<std::shared_ptr<const TimeModel>> find_time_model(std::string_view name,
                                                         const DeviceSpec& device);

}  // namespace rnnadvisor::model
