// Writes every fixture in every format to a directory: for the tests that need a browser or
// xmllint, and for looking at them.
#include <fstream>
#include <iostream>

#include "advisor/report/maps.h"
#include "tests/advisor/report/fixture.h"
#include "tests/core/model/cliff_times.h"

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
  const auto failed = fixture::single();
  failed->profile.notes.push_back({rnnadvisor::NoteSeverity::warning, rnnadvisor::program_exception,
                                   std::string("ValueError: ") + fixture::hostile, 1});
  all("failed", *failed);
  // With times from a formula (tests/core/model/cliff_times.h): of no GPU.
  const auto predict_for = rnnadvisor::model::test::cliff_times;
  const auto single = fixture::single();
  write("predicted.html", write_html(single->report(), predict_for));
  const auto device = rnnadvisor::find_device("h200").value();
  std::vector<rnnadvisor::model::ConfigurationMap> maps;
  for (const auto axes : rnnadvisor::model::all_map_axes) {
    rnnadvisor::model::MapRequest request;
    auto& here = request.here;
    here.id = fixture::hostile;
    here.data_type = rnnadvisor::DataType::half;
    here.math_type = rnnadvisor::MathType::tensor_op;
    here.hidden_size = here.input_size = here.proj_size = 1001;
    here.batch_size = 33;
    here.seq_length = 256;
    here.algo = rnnadvisor::Algo::persist_static;
    request.axes = axes;
    request.predict = predict_for(device);
    maps.push_back(build_map(request, device));
    rnnadvisor::advisor::TextOptions options;
    options.color = true;
    options.width = 120;
    for (const auto layer : advisor::all_map_layers) {
      write("map-" + std::string(to_string(axes)) + "-" + std::string(to_string(layer)) + ".txt",
            advisor::write_map_text(maps.back(), layer, options));
    }
  }
  write("maps.html", advisor::write_map_html(maps));
  write("maps.json", advisor::write_map_json(maps));
  write("maps.csv", advisor::write_map_csv(maps));
}
