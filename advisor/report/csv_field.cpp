#include "advisor/report/csv_field.h"

#include "advisor/report/words.h"

namespace rnnadvisor::advisor {

std::string csv_field(std::string_view value) {
  std::string clean = words::clean(value);
  if (!clean.empty() && std::string_view("=+-@").find(clean.front()) != std::string_view::npos)
    clean.insert(0, 1, ' ');
  if (clean.find_first_of(",\"") == std::string::npos) return clean;
  std::string out = "\"";
  for (const char c : clean) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace rnnadvisor::advisor
