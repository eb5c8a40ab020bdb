// size_errors FILE...: the memory model against cuDNN's answers in files that size_probe wrote, or
// those of tests/data/h200. Prints the table of docs/models.md; needs no GPU. Exit status 1 when a
// size that the model calls exact differs.
#include "tests/core/model/size_errors.h"

#include <iostream>

int main(int argc, char** argv) {
  using namespace rnnadvisor;
  if (argc < 2) {
    std::cerr << "usage: size_errors FILE.jsonl...\n";
    return 2;
  }
  std::map<std::string, test::SizeErrors> classes;
  std::vector<std::string> wrong;
  for (int i = 1; i < argc; ++i) test::add_size_errors(argv[i], classes, wrong);
  for (const auto& line : wrong) std::cerr << line << "\n";
  std::cout << "Median, 95th percentile, 99th percentile and largest relative error.\n\n"
            << test::size_error_table(classes);
  int false_claims = 0;
  for (const auto& [name, errors] : classes) false_claims += errors.stated_differ;
  std::cout << "\n" << false_claims << " rows differ that the model calls exact\n";
  return !wrong.empty() ? 2 : false_claims > 0 ? 1 : 0;
}
