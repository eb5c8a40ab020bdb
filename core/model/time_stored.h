// The fits of a TimeModel as a file, NAME.fits.txt: what a prediction needs and nothing that making
// the fit needs. Reading one takes milliseconds where fitting takes seconds. Private to the time
// model.
//
// Lines of fields between tabs:
//   rnnadvisor-fits 1
//   measured  DEVICE  CUDNN
//   transfer  four logarithmic radii, by Phase
//   call      CELL  DATA_TYPE  MATH_TYPE  HIDDEN  BATCH  STEPS  INPUT  LAYERS  DIRECTIONS
//   fit       NAME  likeness… factors… conformal  interval factor, then CALL  WEIGHT of each point
// where CALL counts the lines that begin with `call`, from 0. Numbers are written so that reading
// them gives the same bits.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/time_fit.h"

namespace rnnadvisor::model {

struct StoredFit {
  std::vector<std::size_t> calls;  // of its points: indices into StoredTimes::calls()
  FitResult result;
  double interval_factor = 1;
};

// What a file has. Fits are read when they are asked for: a command needs a few of them.
class StoredTimes {
 public:
  // Nothing where the text is no such file. It must live as long as what is read from it.
  static std::optional<StoredTimes> read(std::string_view text);

  const std::string& device() const { return device_; }
  const std::string& cudnn_version() const { return cudnn_version_; }
  const std::array<double, 4>& transfer() const { return transfer_; }
  // Nothing where there is none of this name, or where its line is damaged.
  std::optional<StoredFit> fit(std::string_view name) const;
  std::vector<Place> places(const StoredFit& fit) const;

 private:
  std::string device_, cudnn_version_;
  std::array<double, 4> transfer_{};
  std::vector<Place> calls_;
  std::map<std::string_view, std::string_view> fits_;  // the rest of the line, by name
};

// The text of such a file. `calls` are the configurations that the points of `fits` are indices
// of.
std::string write_stored_times(std::string_view device, std::string_view cudnn_version,
                               const std::array<double, 4>& transfer,
                               const std::vector<RnnConfig>& calls,
                               const std::map<std::string, StoredFit>& fits);

}  // namespace rnnadvisor::model
