// Losses that a program prints, and whether a changed run of it is as close to the program as it is
// as that is to itself.
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rnnadvisor::cli {

struct PrintedLosses {
  std::vector<double> values;
  std::vector<double> units;  // of the last digit that was printed: 0.01 of "5.99"
};

// What --loss says; empty: "loss", and the next number. Errors: invalid_argument.
Result<std::regex> loss_pattern(const std::string& text);

// The numbers that the pattern matches, by its first group or whole, line by line and in their
// order. Of a line that the program overwrites, as progress bars are, what stays is read. A loss
// scale is no loss.
PrintedLosses losses_in(std::string_view text, const std::regex& pattern);

// Distances are root mean squares over the losses that all runs have. An original's is that from
// the mean of the other originals, so it is what chance does, to a run that nothing was changed of.
struct LossComparison {
  std::size_t losses = 0;
  double closest = 0, furthest = 0;            // of the originals
  double changed = 0;                          // of the changed run, from the mean of all originals
  double most = 0;                             // that `changed` may be
  bool finite = true;                          // false: infinite or NaN where the originals are not
  double last_original = 0, last_changed = 0;  // the last loss; the mean of the originals
  bool as_close() const { return finite && changed <= most; }
};

// Empty where a run has no loss. `originals`: at least two. `most` is 1.5 times `furthest`, because
// one run in seven is the furthest of seven by chance; and no less than a unit of the last digit,
// which at each loss is that of the run that printed most digits.
std::optional<LossComparison> compare_losses(const std::vector<PrintedLosses>& originals,
                                             const PrintedLosses& changed);

}  // namespace rnnadvisor::cli
