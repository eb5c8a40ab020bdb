// Writes every fixture in every format to a directory: for the tests that need a browser or
// xmllint, and for looking at them.
#include <fstream>
#include <iostream>

#include "tests/advisor/report/fixture.h"

int main(int argc, char** argv) {
  namespace advisor = rnnadvisor::advisor;
  namespace fixture = advisor::fixture;
  if (argc != 2) {
    std::cerr << "usage: report_samples DIRECTORY\n";
    return 2;
  }
  const std::string directory = std::string(argv[1]) + "/";
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream file(directory + name, std::ios::binary);
    file << text;
    if (!file.flush()) {
      std::cerr << "cannot write " << directory + name << '\n';
      std::exit(1);
    }
  };
  const auto all = [&](const std::string& name, const fixture::Judged& judged) {
    const auto report = judged.report();
    write(name + ".html", write_html(report));
    write(name + ".txt", write_text(report));
    write(name + ".md", write_markdown(report));
    write(name + ".json", write_json(report));
    write(name + ".sarif", write_sarif(report));
    write(name + ".xml", write_junit(report));
    write(name + ".csv", write_csv(report));
  };
  all("rich", *fixture::rich());
  all("single", *fixture::single());
  all("fine", *fixture::fine());
  all("empty", *fixture::empty());
  all("bare", *fixture::bare());
  all("checked", *fixture::checked());
  all("tried", *fixture::tried());
  all("sweep", *fixture::sweep());
  all("many", *fixture::many(500));
}
