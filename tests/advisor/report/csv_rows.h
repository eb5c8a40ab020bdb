// Rows of a CSV file as people's tools read them: RFC 4180, by the names in the first line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rnnadvisor::test {

using CsvRow = std::map<std::string, std::string>;

inline std::vector<CsvRow> csv_rows(std::string_view csv) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    auto& line = lines.back();
    if (c == '"' && quoted && csv.substr(i + 1).starts_with('"')) {
      line.back() += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      line.back() += c;
    } else if (c == ',') {
      line.emplace_back();
    } else if (c == '\n') {
      lines.emplace_back(1);
    } else {
      line.back() += c;
    }
  }
  lines.pop_back();  // every line ends with LF
  std::vector<CsvRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    rows.emplace_back();
    for (std::size_t at = 0; at < lines[i].size(); ++at)
      rows.back()[at < lines[0].size() ? lines[0][at] : "beyond the columns"] = lines[i][at];
  }
  return rows;
}

// Of the first row whose `key` is `value`; none: "no such row".
inline std::string csv_field(std::string_view csv, const std::string& key, const std::string& value,
                             const std::string& column) {
  for (const auto& row : csv_rows(csv)) {
    const auto found = row.find(key);
    if (found == row.end() || found->second != value) continue;
    const auto field = row.find(column);
    return field != row.end() ? field->second : "no column " + column;
  }
  return "no such row";
}

}  // namespace rnnadvisor::test
