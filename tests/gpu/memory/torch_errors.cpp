// torch_errors FILE...: the model of PyTorch's memory against what torch_peak.py measured. Needs no
// GPU. Prints errors by kind and the worst lines; exit status 1 when the 95th percentile of the
// error of the allocated peak is above 3 %, 2 when a line cannot be read or none was measured.
#include "tests/core/model/torch_errors.h"

#include <iostream>

int main(int argc, char** argv) {
  using namespace rnnadvisor;
  if (argc < 2) {
    std::cerr << "usage: torch_errors FILE.jsonl...\n";
    return 2;
  }
  std::vector<test::TorchRow> rows;
  std::vector<std::string> wrong;
  int unmeasured = 0;
  for (int i = 1; i < argc; ++i) test::add_torch_rows(argv[i], rows, unmeasured, wrong);
  for (const auto& line : wrong) std::cerr << line << "\n";
  std::cout << "Median, 95th percentile, 99th percentile and largest relative error.\n\n"
            << test::torch_error_table(rows);
  std::sort(rows.begin(), rows.end(), [](const test::TorchRow& a, const test::TorchRow& b) {
    const auto worst = [](const test::TorchRow& row) {
      return std::max(std::abs(row.allocated_error()), std::abs(row.reserved_error()));
    };
    return worst(a) > worst(b);
  });
  std::cout << "\nThose that differ, the worst first, measured less the model in bytes:\n";
  for (const auto& row : rows) {
    const auto allocated = row.allocated - row.model_allocated;
    const auto reserved = row.reserved - row.model_reserved;
    if (allocated == 0 && reserved == 0) continue;
    std::cout << fmt::format("{} ({}): allocated {} ({:+.3g} %), reserved {} ({:+.3g} %)\n", row.id,
                             fmt::join(row.kinds.begin() + 1, row.kinds.end(), ", "), allocated,
                             100 * row.allocated_error(), reserved, 100 * row.reserved_error());
  }
  if (unmeasured > 0) std::cout << unmeasured << " lines without a measurement\n";
  if (rows.empty() || !wrong.empty()) return 2;
  return test::quantile(test::allocated_errors(rows), 0.95) > 0.03 ? 1 : 0;
}
