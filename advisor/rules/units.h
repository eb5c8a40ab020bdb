// Units of the constants that cards compare with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rnnadvisor::advisor {

struct Quantity {
  double number = 0;
  std::string unit;  // empty: none was written
};

// "1.5 GiB", "80%", "12": a finite number and what follows it.
std::optional<Quantity> parse_quantity(std::string_view text);

// The factor that turns `from` into `to` ("GiB" into "B": 2^30), or nothing when they do not
// measure the same.
std::optional<double> unit_factor(std::string_view from, std::string_view to);

}  // namespace rnnadvisor::advisor
