// Exported traces and tables, read back by a JSON parser and a CSV reader.
#include "advisor/report/export.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "profiler/kernels/classify.h"
#include "profiler/profile/file.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor::advisor {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::rich_profile;

json events_of(const Profile& profile) {
  return json::parse(write_chrome_trace(profile))["traceEvents"];
}

std::vector<json> of_category(const json& events, const std::string& category,
                              const std::string& phase = "X") {
  std::vector<json> found;
  for (const auto& event : events) {
    if (event.value("cat", "") == category && event["ph"] == phase) found.push_back(event);
  }
  return found;
}

std::int64_t nanoseconds(const json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

TEST(ChromeTrace, HasEveryRecordOnce) {
  const Profile p = rich_profile();
  const json events = events_of(p);
  EXPECT_EQ(of_category(events, "kernel").size(), p.kernels.size());
  EXPECT_EQ(of_category(events, "transfer").size(), p.transfers.size());
  EXPECT_EQ(of_category(events, "rnn").size(), p.calls.size());
  EXPECT_EQ(of_category(events, "runtime").size() + of_category(events, "driver").size(),
            p.api.size());
  EXPECT_EQ(of_category(events, "nvtx").size() + of_category(events, "nvtx", "i").size(),
            p.nvtx.size());
}

TEST(ChromeTrace, TimesKeepTheirNanoseconds) {
  const Profile p = rich_profile();
  const json document = json::parse(write_chrome_trace(p));
  const std::int64_t origin = std::stoll(document["otherData"]["origin_ns"].get<std::string>());
  const auto kernels = of_category(document["traceEvents"], "kernel");
  ASSERT_EQ(kernels.size(), p.kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_EQ(origin + nanoseconds(kernels[i]["ts"]), p.kernels.start_ns[i]);
    EXPECT_EQ(nanoseconds(kernels[i]["dur"]), p.kernels.end_ns[i] - p.kernels.start_ns[i]);
  }
  EXPECT_THAT(write_chrome_trace(p), HasSubstr("\"dur\":1.234,"));
}

TEST(ChromeTrace, CallsCarryTheirConfiguration) {
  const auto calls = of_category(events_of(rich_profile()), "rnn");
  const auto found = std::find_if(calls.begin(), calls.end(),
                                  [](const json& e) { return e["args"]["call"] == 1; });
  ASSERT_NE(found, calls.end());
  EXPECT_EQ((*found)["name"], "forward_training");
  EXPECT_EQ((*found)["args"]["configuration"], "a \"quoted\" 'id' <&> \u00fc");
  EXPECT_EQ((*found)["args"]["algo"], "standard");
  EXPECT_EQ((*found)["args"]["hidden_size"], 512);
  EXPECT_EQ((*found)["args"]["seq_length"], 8);
}

TEST(ChromeTrace, ArrowsLeadFromTheCallSliceToEachOfItsKernels) {
  const Profile p = rich_profile();
  const json events = events_of(p);
  std::map<int, json> starts, ends;
  for (const auto& e : of_category(events, "launch", "s")) starts[e["id"].get<int>()] = e;
  for (const auto& e : of_category(events, "launch", "f")) ends[e["id"].get<int>()] = e;
  std::size_t attributed = 0;
  for (const int call : p.kernels.call) attributed += call >= 0 ? 1U : 0U;
  EXPECT_EQ(starts.size(), attributed);
  ASSERT_EQ(ends.size(), attributed);
  const auto kernels = of_category(events, "kernel");
  const auto calls = of_category(events, "rnn");
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const int call = kernels[i]["args"]["call"];
    if (call < 0) continue;
    const auto& end = ends.at(static_cast<int>(i) + 1);
    EXPECT_EQ(end["tid"], kernels[i]["tid"]);
    EXPECT_EQ(end["ts"], kernels[i]["ts"]);
    EXPECT_EQ(end["bp"], "e");
    const auto& start = starts.at(static_cast<int>(i) + 1);
    const auto& slice = *std::find_if(calls.begin(), calls.end(),
                                      [&](const json& e) { return e["args"]["call"] == call; });
    EXPECT_EQ(start["tid"], slice["tid"]);
    EXPECT_EQ(start["pid"], slice["pid"]);
    EXPECT_EQ(start["ts"], slice["ts"]);
  }
}

// Slices of one track nest or stand apart; on streams they stand apart.
void expect_tracks_without_overlap(const json& events) {
  std::map<int, std::vector<std::tuple<std::int64_t, std::int64_t, bool>>> tracks;
  for (const auto& e : events) {
    if (e["ph"] != "X") continue;
    const auto start = nanoseconds(e["ts"]);
    const bool gpu = e["cat"] == "kernel" || e["cat"] == "transfer";
    tracks[e["tid"].get<int>()].emplace_back(start, start + nanoseconds(e["dur"]), gpu);
  }
  for (auto& [tid, slices] : tracks) {
    std::stable_sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) {
      return std::get<0>(a) != std::get<0>(b) ? std::get<0>(a) < std::get<0>(b)
                                              : std::get<1>(a) > std::get<1>(b);
    });
    std::vector<std::int64_t> open;
    for (const auto& [start, end, gpu] : slices) {
      while (!open.empty() && open.back() <= start) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(end, open.back()) << "track " << tid;
        EXPECT_FALSE(gpu) << "track " << tid << " at " << start;
      }
      open.push_back(end);
    }
  }
}

TEST(ChromeTrace, TracksDoNotOverlap) {
  expect_tracks_without_overlap(events_of(rich_profile()));

  ProfileBuilder builder;
  KernelRecord kernel;
  for (const auto& [start, end] :
       {std::pair{0, 100}, {50, 150}, {60, 70}, {100, 120}, {150, 160}, {150, 155}}) {
    kernel.start_ns = start;
    kernel.end_ns = end;
    builder.add_kernel(kernel);
    builder.add_nvtx({start, end, 1, "range", "", 0, 0, "", {}});
    builder.add_api({start, end, 0, 1, "cudaLaunchKernel", false, 0, -1, 0});
  }
  builder.add_transfer({40, 45, 1, 0, MemoryOperation::copy, 1, -1, 0, 0, 0});
  const json events = events_of(builder.finish());
  expect_tracks_without_overlap(events);
  std::set<std::string> names;
  for (const auto& e : events) {
    if (e["ph"] == "M" && e["name"] == "thread_name") names.insert(e["args"]["name"]);
  }
  EXPECT_THAT(names, ::testing::Contains(HasSubstr("overlapping 1")));
}

TEST(ChromeTrace, EveryTrackAndProcessHasAName) {
  const json events = events_of(rich_profile());
  std::set<int> tids, pids, named_tids, named_pids;
  for (const auto& e : events) {
    if (e["ph"] == "M") {
      if (e["name"] == "thread_name") named_tids.insert(e["tid"].get<int>());
      if (e["name"] == "process_name") named_pids.insert(e["pid"].get<int>());
      continue;
    }
    if (e["ph"] != "C") tids.insert(e["tid"].get<int>());
    pids.insert(e["pid"].get<int>());
  }
  EXPECT_EQ(tids, named_tids);
  EXPECT_EQ(pids, named_pids);
  EXPECT_THAT(write_chrome_trace(rich_profile()),
              HasSubstr("GPU 0 NVIDIA H200 “trainer” (process 4711, rank 3)"));
  EXPECT_THAT(write_chrome_trace(rich_profile()),
              AllOf(HasSubstr("\"stream 7 “compute”\""), HasSubstr("\"stream 8\""),
                    HasSubstr("NVTX (thread 12 “loader”)")));
}

TEST(ChromeTrace, RangesCarryTheirCategoryAndPayload) {
  const json events = events_of(rich_profile());
  std::map<std::string, json> arguments;
  for (const char* phase : {"X", "i"}) {
    for (const auto& event : of_category(events, "nvtx", phase))
      arguments[event["name"].get<std::string>()] = event["args"];
  }
  EXPECT_EQ(arguments["outer"]["category"], "7");
  EXPECT_FALSE(arguments["outer"].contains("payload"));
  EXPECT_EQ(arguments["mark"]["payload"], 0.25);
  EXPECT_EQ(arguments["no number"]["payload"], "nan");
  EXPECT_EQ(arguments["large"]["payload"], "18446744073709551615");
}

TEST(ChromeTrace, AnyTextIsValidJson) {
  ProfileBuilder builder;
  std::string text;
  for (int c = 0; c < 256; ++c) text += static_cast<char>(c);
  KernelRecord kernel;
  kernel.name = text;
  builder.add_kernel(kernel);
  builder.add_nvtx({0, 1, 0, text, "\xf0\x9f", 0, 0, text, {}});
  Configuration configuration;
  configuration.config.id = text;
  builder.add_configuration(configuration);
  RnnCall call;
  call.configuration = 0;
  builder.add_call(call);
  const Profile p = builder.finish();
  const json events = events_of(p);
  const std::string name = of_category(events, "kernel")[0]["name"];
  EXPECT_EQ(name.substr(0, 128), text.substr(0, 128));
}

TEST(ChromeTrace, EmptyProfileIsAnEmptyTrace) { EXPECT_TRUE(events_of(Profile()).empty()); }

TEST(ChromeTrace, StopsWhenTheSinkRefuses) {
  const Profile p = testing::many_kernels(20'000);
  int pieces = 0;
  EXPECT_FALSE(write_chrome_trace(p, [&](std::string_view) { return ++pieces < 2; }));
  EXPECT_EQ(pieces, 2);
}

TEST(ChromeTrace, PiecesAreTheWhole) {
  const Profile p = testing::many_kernels(20'000);
  std::string pieces;
  EXPECT_TRUE(write_chrome_trace(p, [&](std::string_view text) {
    pieces += text;
    return true;
  }));
  EXPECT_EQ(pieces, write_chrome_trace(p));
  EXPECT_EQ(of_category(json::parse(pieces)["traceEvents"], "kernel").size(), 20'000U);
}

// RFC 4180.
std::vector<std::map<std::string, std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        lines.back().back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        lines.back().back() += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      lines.back().emplace_back();
    } else if (c == '\n') {
      lines.emplace_back(1);
    } else if (c != '\r') {
      lines.back().back() += c;
    }
  }
  EXPECT_FALSE(quoted);
  lines.pop_back();
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), lines[0].size()) << "line " << i;
    std::map<std::string, std::string> row;
    for (std::size_t k = 0; k < std::min(lines[i].size(), lines[0].size()); ++k)
      row[lines[0][k]] = lines[i][k];
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(Csv, KernelsHaveOneLineEach) {
  const Profile p = rich_profile();
  const auto rows = read_csv(write_kernels_csv(p));
  ASSERT_EQ(rows.size(), p.kernels.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("name"), p.text(p.kernels.name[i]));
    EXPECT_EQ(rows[i].at("short_name"), short_kernel_name(p.text(p.kernels.name[i])));
    EXPECT_EQ(rows[i].at("start_ns"), std::to_string(p.kernels.start_ns[i]));
    EXPECT_EQ(rows[i].at("role"), to_string(p.kernels.role[i]));
    EXPECT_EQ(rows[i].at("block_z"), std::to_string(p.kernels.block[i][2]));
    EXPECT_EQ(rows[i].at("correlation"), std::to_string(p.kernels.correlation[i]));
  }
  EXPECT_EQ(rows[0].at("phase"), "");
  EXPECT_EQ(rows[1].at("configuration"), "a \"quoted\" 'id' <&> \u00fc");
}

TEST(Csv, CallsSumTheirKernels) {
  const Profile p = rich_profile();
  const auto rows = read_csv(write_calls_csv(p));
  ASSERT_EQ(rows.size(), p.calls.size());
  EXPECT_EQ(rows[1].at("configuration"), "a \"quoted\" 'id' <&> \u00fc");
  EXPECT_EQ(rows[1].at("phase"), "forward_training");
  EXPECT_EQ(rows[1].at("algo"), "standard");
  EXPECT_EQ(rows[1].at("implementation"), "standard");
  EXPECT_EQ(rows[1].at("kernels"), "2");
  EXPECT_EQ(rows[1].at("kernel_ns"), "1245");
  EXPECT_EQ(rows[1].at("gpu_ns"), "1245");
  EXPECT_EQ(rows[5].at("implementation"), "persistent");
  EXPECT_EQ(rows[3].at("implementation"), "");  // not shown by backward weights
  EXPECT_EQ(rows[9].at("configuration"), "");
  EXPECT_EQ(rows[9].at("hidden_size"), "");
  EXPECT_EQ(rows[9].at("stream"), "7");
}

// Where in the program a call was made is in every export of calls.
TEST(Export, CallsNameTheirLineAndTheirRanges) {
  const auto read =
      read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof");
  ASSERT_TRUE(read);
  const Profile& p = *read;
  const auto rows = read_csv(write_calls_csv(p));
  ASSERT_EQ(rows.size(), p.calls.size());
  std::map<std::string, int> lines, ranges;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& call = p.calls[i];
    ASSERT_GE(call.site, 0);
    const auto& site = p.call_sites[static_cast<std::size_t>(call.site)];
    EXPECT_EQ(rows[i].at("file"), p.text(site.file));
    EXPECT_EQ(rows[i].at("line"), site.line > 0 ? std::to_string(site.line) : "");
    EXPECT_EQ(rows[i].at("nvtx"), call.nvtx_path < 0 ? "" : p.text(call.nvtx_path));
    ++lines[fmt::format("\"line\":{}", site.line)];
    if (call.nvtx_path >= 0) ++ranges[p.text(call.nvtx_path)];
  }
  EXPECT_FALSE(ranges.empty());
  const std::string trace = write_chrome_trace(p);
  for (const auto& [line, count] : lines) {
    int found = 0;
    for (auto at = trace.find(line); at != std::string::npos; at = trace.find(line, at + 1))
      ++found;
    EXPECT_GE(found, count) << line;
  }
  for (const auto& [range, count] : ranges)
    EXPECT_NE(trace.find("\"nvtx\":\"" + range), std::string::npos) << range;
}

TEST(Csv, CallsWithoutATraceHaveNoKernelNumbers) {
  ProfileBuilder builder;
  builder.add_call(RnnCall());
  const auto rows = read_csv(write_calls_csv(builder.finish()));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("kernels"), "");
  EXPECT_EQ(rows[0].at("implementation"), "");
}

}  // namespace
}  // namespace rnnadvisor::advisor
