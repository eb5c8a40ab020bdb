// Maps in every format, with times from a formula (tests/core/model/cliff_times.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>

#include "advisor/facts/framework_call.h"
#include "advisor/facts/measured_times.h"
#include "advisor/report/maps.h"
#include "advisor/report/words.h"
#include "tests/advisor/report/formats.h"
#include "tests/core/model/cliff_times.h"

namespace rnnadvisor::advisor {
namespace {

using model::ConfigurationMap;
using model::MapAxes;

const DeviceSpec& h200() {
  static const DeviceSpec device = find_device("h200").value();
  return device;
}

RnnConfig half_lstm(int hidden, int batch, Algo algo = Algo::standard) {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.hidden_size = config.input_size = config.proj_size = hidden;
  config.batch_size = batch;
  config.seq_length = 256;
  config.algo = algo;
  return config;
}

ConfigurationMap map_of(const RnnConfig& here, MapAxes axes = MapAxes::hidden_batch,
                        bool times = true) {
  model::MapRequest request;
  request.here = here;
  request.axes = axes;
  if (times) request.predict = model::test::cliff_times(h200());
  return build_map(request, h200());
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

std::string without_colors(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

TEST(MapWords, NameTheNearestBetter) {
  const auto map = map_of(half_lstm(1024, 33));
  const auto advice = words::map_advice(map);
  // The standard kernels' 8 us a step against the persistent ones' 2 us are told apart, too.
  EXPECT_THAT(advice, ::testing::Contains(HasSubstr("Nearest better: batch 32 instead of 33: ")));
  EXPECT_THAT(advice.back(), HasSubstr("× less time per sequence (estimate, "));
  EXPECT_THAT(advice.back(), Not(HasSubstr("another model")));
  const auto model = words::map_advice(map_of(half_lstm(1001, 64)));
  EXPECT_THAT(model.back(), HasSubstr("hidden size 1000 instead of 1001"));
  EXPECT_THAT(model.back(), HasSubstr("another model"));
  EXPECT_THAT(words::map_advice(map_of(half_lstm(1537, 64, Algo::persist_static))).front(),
              HasSubstr("hidden size 1536 instead of 1537: cuDNN takes it"));
  EXPECT_THAT(words::map_advice(map_of(half_lstm(1024, 64))).front(),
              HasSubstr("Here: persist_static instead of standard: "));
}

TEST(MapWords, SayWhyThereIsNoTime) {
  const auto map = map_of(half_lstm(1024, 33), MapAxes::hidden_batch, false);
  EXPECT_THAT(words::map_basis(map), HasSubstr("rnnadvisor calibrate"));
  EXPECT_THAT(words::map_basis(map), HasSubstr("NVIDIA H200"));
  for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
    for (const auto& line : words::map_cell(map, row, 0)) EXPECT_THAT(line, Not(HasSubstr(" ms")));
  }
}

TEST(MapScale, IsLogarithmicInOneUnit) {
  const auto map = map_of(half_lstm(1024, 33));
  const MapScale scale(map, MapLayer::time);
  EXPECT_EQ(scale.unit(), "ms");
  double low = 1e9, high = 0;
  for (const auto& cell : map.cells) {
    if (!cell.run().time) continue;
    low = std::min(low, cell.run().time->seconds);
    high = std::max(high, cell.run().time->seconds);
  }
  for (const auto& cell : map.cells) {
    const auto shade = scale.shade(cell, 8);
    ASSERT_EQ(shade.has_value(), cell.run().time.has_value());
    if (!shade) continue;
    const double share = std::log(cell.run().time->seconds / low) / std::log(high / low);
    EXPECT_EQ(*shade, std::min(7, static_cast<int>(share * 8)));
    EXPECT_EQ(scale.text(cell).substr(0, 3),
              fmt::format("{:.3g}", cell.run().time->seconds * 1e3).substr(0, 3));
  }
}

TEST(MapText, ReadsWithoutColourAndInAscii) {
  for (const auto axes : model::all_map_axes) {
    for (const auto layer : all_map_layers) {
      for (const bool times : {true, false}) {
        const auto map = map_of(half_lstm(1001, 33, Algo::persist_static), axes, times);
        TextOptions options;
        const std::string plain = write_map_text(map, layer, options);
        EXPECT_EQ(plain.find('\x1b'), std::string::npos);
        options.color = true;
        const std::string colored = write_map_text(map, layer, options);
        if (times || layer == MapLayer::implementation) {
          EXPECT_NE(colored.find("\x1b[48;5;"), std::string::npos);
        }
        // Colour adds nothing but colour (and the blanks that it fills).
        const auto squeezed = [](const std::string& text) {
          return std::regex_replace(text, std::regex(" +\n"), "\n");
        };
        EXPECT_EQ(squeezed(without_colors(colored)), squeezed(plain));
        options.color = false;
        options.ascii = true;
        for (const char c : write_map_text(map, layer, options))
          ASSERT_LT(static_cast<unsigned char>(c), 0x7F);
        for (const int width : {60, 80, 100, 160}) {
          options.width = width;
          std::istringstream lines(write_map_text(map, layer, options));
          for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(words::display_width(line), static_cast<std::size_t>(width)) << line;
            EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
          }
        }
      }
    }
  }
}

TEST(MapText, TheOwnCellIsShownHoweverNarrow) {
  const auto map = map_of(half_lstm(1001, 33));
  for (const int width : {40, 60, 200}) {
    TextOptions options;
    options.width = width;
    const auto text = write_map_text(map, MapLayer::time, options);
    const auto own = "[" + MapScale(map, MapLayer::time).text(map.own()) + "S]";
    EXPECT_THAT(text, HasSubstr(own)) << width;
    EXPECT_EQ(text.find("left out") != std::string::npos, width < 200);
  }
}

TEST(MapData, JsonIsValidByItsSchemaAndSaysTheMap) {
  std::vector<ConfigurationMap> maps;
  RnnConfig hostile = half_lstm(1001, 33);
  hostile.id = fixture::hostile;
  for (const auto axes : model::all_map_axes) {
    maps.push_back(map_of(hostile, axes));
    maps.back().remarks = {std::string(fixture::hostile), "cut off: \xc3"};
    maps.push_back(map_of(half_lstm(1537, 64, Algo::persist_static), axes, false));
  }
  const Json document = Json::parse(write_map_json(maps));
  EXPECT_EQ(violations("docs/schema/map.schema.json", document), "");
  ASSERT_EQ(document["maps"].size(), maps.size());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Json& each = document["maps"][i];
    const auto columns = maps[i].columns.ticks.size();
    ASSERT_EQ(each["cells"].size(), maps[i].cells.size());
    EXPECT_EQ(each["edges"].size(), maps[i].edges.size());
    ASSERT_EQ(each["remarks"].size(), maps[i].remarks.size());
    if (!maps[i].remarks.empty()) {
      EXPECT_EQ(each["remarks"][1], "cut off: \uFFFD");
    }
    for (const auto& cell : each["cells"]) {
      const auto& same =
          maps[i]
              .cells[cell["row"].get<std::size_t>() * columns + cell["column"].get<std::size_t>()];
      EXPECT_EQ(cell["time"].is_null(), !same.run().time.has_value());
      if (same.run().time) {
        EXPECT_EQ(cell["time"]["seconds"], same.run().time->seconds);
        EXPECT_EQ(cell["time"]["basis"], "estimate");
      }
    }
  }
  Json wrong = document;
  wrong["maps"][0]["cells"][0]["time"]["basis"] = "guessed";
  EXPECT_NE(violations("docs/schema/map.schema.json", wrong), "");
}

TEST(MapData, CsvHasOneLineForEveryCell) {
  RnnConfig config = half_lstm(1001, 33);
  config.id = "=a,b\"c\"";
  const auto map = map_of(config);
  const std::string csv = write_map_csv(std::span(&map, 1));
  EXPECT_EQ(count(csv, "\n"), map.cells.size() + 1);
  EXPECT_EQ(count(csv, ",true,lstm,"), 1U);  // here
  EXPECT_THAT(csv, HasSubstr("\" =a,b\"\"c\"\"\""));
  std::size_t fields = 0, expected = 0;
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') ++fields;
    if (c != '\n') continue;
    if (expected == 0) expected = fields;
    ASSERT_EQ(fields, expected);
    fields = 0;
  }
}

TEST(MapHtml, EscapesMarksAndTabulates) {
  RnnConfig hostile = half_lstm(1001, 33, Algo::persist_static);
  hostile.id = fixture::hostile;
  const auto map = map_of(hostile);
  const std::string page = write_map_html(std::span(&map, 1));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("style=")));
  EXPECT_EQ(count(page, "<path class=\"hit\""), map.cells.size());
  EXPECT_EQ(count(page, "(you are here)</strong>"), 1U);
  EXPECT_THAT(page, HasSubstr("cliff: "));
  EXPECT_THAT(page, HasSubstr("<g class=\"layer ltime\">"));
  // Without times nothing that looks like one.
  const auto bare = map_of(hostile, MapAxes::hidden_batch, false);
  const std::string other = write_map_html(std::span(&bare, 1));
  EXPECT_EQ(count(other, "class=\"layer ltime\""), 0U);
  EXPECT_EQ(count(other, "class=\"pick time\""), 0U);
  EXPECT_THAT(other, HasSubstr("rnnadvisor calibrate"));
}

TEST(MapHtml, AReportStaysBounded) {
  const auto judged = fixture::many(40);
  const auto report = judged->report();
  const std::string page = write_html(report, model::test::cliff_times);
  EXPECT_EQ(count(page, "<details class=\"maps\">"), mapped_cards);
  // Three maps each, with every layer and a table.
  const std::string without = [&] {
    std::string text = page;
    for (std::size_t at; (at = text.find("<details class=\"maps\">")) != std::string::npos;) {
      // Maps end where the conditions of the algorithms begin, or the card does.
      auto end = text.find("<p class=\"muted small\">Rules:", at);
      text.erase(at, end - at);
    }
    return text;
  }();
  RecordProperty("bytes_of_maps", std::to_string(page.size() - without.size()));
  EXPECT_LT(page.size() - without.size(), mapped_cards * 220'000);
  EXPECT_THAT(page, HasSubstr("a formula of the tests"));
  // write_html() alone knows no predictor.
  EXPECT_THAT(write_html(report), Not(HasSubstr("a formula of the tests")));
}

TEST(MapHtml, MeasuredTimesOfTheProfileAreInItsMap) {
  const auto judged = fixture::sweep();
  const auto report = judged->report();
  const auto& device = judged->profile.devices.front();
  const auto rows = measured_times(judged->profile, device);
  const auto whole = std::find_if(report.configurations.begin(), report.configurations.end(),
                                  [](const auto& each) { return each.step_ms() > 0; });
  ASSERT_NE(whole, report.configurations.end());
  model::MapRequest request;
  request.here = whole->configuration->config;
  request.measured = rows;
  const auto map = build_map(request, device);
  ASSERT_TRUE(map.own().run().time.has_value());
  EXPECT_TRUE(map.own().run().time->measured);
  EXPECT_NEAR(map.own().run().time->seconds, whole->step_ms() / 1e3, 1e-12);
  EXPECT_THAT(words::map_basis(map), HasSubstr("Times are measured."));
  DeviceSpec other = device;
  other.sm_count += 1;
  EXPECT_TRUE(measured_times(judged->profile, other).empty());
}

TEST(FrameworkCaller, IsWhatTheFrameworkModelSays) {
  const RnnConfig here = half_lstm(1024, 64, Algo::persist_static);
  ProgramContext program;
  EXPECT_FALSE(framework_caller(program, h200(), here));
  program.name = Framework::cudnn_api;
  EXPECT_FALSE(framework_caller(program, h200(), here));
  program.name = Framework::tensorflow;
  EXPECT_FALSE(framework_caller(program, h200(), here));
  program.name = Framework::jax;
  RnnConfig in_float = here;
  in_float.data_type = DataType::float32;
  EXPECT_EQ(framework_caller(program, h200(), in_float)(in_float).algo, Algo::standard);
  program.name = Framework::pytorch;
  const auto caller = framework_caller(program, h200(), here);
  EXPECT_EQ(caller(half_lstm(1024, 64)).algo, Algo::persist_static);
  EXPECT_EQ(caller(half_lstm(1024, 64)).math_type, MathType::tensor_op);
  EXPECT_EQ(caller(half_lstm(1001, 64)).algo, Algo::standard);
  // What was recorded stays.
  const RnnConfig recorded = half_lstm(1001, 64, Algo::persist_dynamic);
  EXPECT_EQ(framework_caller(program, h200(), recorded, true)(recorded).algo,
            Algo::persist_dynamic);
  EXPECT_EQ(framework_caller(program, h200(), recorded, false)(recorded).algo, Algo::standard);
}

}  // namespace
}  // namespace rnnadvisor::advisor
