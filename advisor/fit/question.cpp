#include "advisor/fit/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/base/text.h"

namespace rnnadvisor::advisor {

int FitQuestion::given_size() const {
  return largest == Largest::batch ? input.config.batch_size : input.config.seq_length;
}

int FitQuestion::most() const {
  return largest == Largest::length ? longest_sequence : largest_tried_batch;
}

Result<std::int64_t> parse_bytes(std::string_view text) {
  const auto wrong = [&] {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is no amount of memory", to_valid_utf8(text)),
                "write 40GiB, 80GB, 512MiB or a number of bytes");
  };
  std::size_t digits = 0;
  while (digits < text.size() &&
         (text[digits] == '.' || (text[digits] >= '0' && text[digits] <= '9')))
    ++digits;
  // strtod would take signs, hexadecimal digits and "inf".
  const std::string number(text.substr(0, digits));
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (digits == 0 || end != number.c_str() + number.size()) return wrong();
  std::string_view unit = text.substr(digits);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  struct Unit {
    std::string_view word;
    double bytes;
  };
  static constexpr std::array<Unit, 10> units = {{{"", 1},
                                                  {"B", 1},
                                                  {"KiB", 1024.0},
                                                  {"MiB", 1048576.0},
                                                  {"GiB", 1073741824.0},
                                                  {"TiB", 1099511627776.0},
                                                  {"kB", 1e3},
                                                  {"MB", 1e6},
                                                  {"GB", 1e9},
                                                  {"TB", 1e12}}};
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& each) { return each.word == unit; });
  if (found == units.end()) return wrong();
  const double bytes = value * found->bytes;
  if (!(bytes >= 1 && bytes < 9e18)) return wrong();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace rnnadvisor::advisor
