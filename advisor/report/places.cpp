#include "advisor/report/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

// More distinct names than these are steps that were numbered.
constexpr std::size_t most_ranges = 8;

// Of the call's kernels, else between its events; -1: neither was recorded.
double gpu_ms_of(const Profile& profile, const ProfileIndex& index, int call) {
  const auto kernels = index.kernels(call);
  if (!kernels.empty()) {
    std::int64_t ns = 0;
    for (const int kernel : kernels) {
      const auto k = static_cast<std::size_t>(kernel);
      ns += std::max<std::int64_t>(0, profile.kernels.end_ns[k] - profile.kernels.start_ns[k]);
    }
    return static_cast<double>(ns) / 1e6;
  }
  const auto duration = profile.calls[static_cast<std::size_t>(call)].device_duration_ns;
  return duration >= 0 ? static_cast<double>(duration) / 1e6 : -1;
}

void add_call(PlaceRow& place, double gpu_ms) {
  ++place.calls;
  if (gpu_ms >= 0) place.gpu_ms = std::max(place.gpu_ms, 0.0) + gpu_ms;
}

std::string without_numbers(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      out += c;
    else if (out.empty() || out.back() != '*')
      out += '*';
  }
  return out;
}

std::vector<PlaceRow> sorted_by_time(std::vector<PlaceRow> places) {
  std::stable_sort(places.begin(), places.end(), [](const PlaceRow& a, const PlaceRow& b) {
    return a.gpu_ms != b.gpu_ms ? a.gpu_ms > b.gpu_ms : a.calls > b.calls;
  });
  return places;
}

}  // namespace

PlaceRow place_of(const Profile& profile, int site) {
  PlaceRow row;
  const auto& at = profile.call_sites[static_cast<std::size_t>(site)];
  if (at.file >= 0) row.file = profile.text(at.file);
  if (at.function >= 0) row.function = profile.text(at.function);
  row.line = at.line;
  row.site = site;
  row.name = words::clean(row.file.substr(row.file.rfind('/') + 1));
  if (row.line > 0) row.name += fmt::format(":{}", row.line);
  if (!row.function.empty() && row.function != "<module>")
    row.name += (row.name.empty() ? "" : " in ") + words::clean(row.function);
  if (row.name.empty()) row.name = "an unknown line";
  return row;
}

void add_places(ConfigurationReport& report, const Profile& profile, const ProfileIndex& index) {
  report.recorded_calls = static_cast<std::int64_t>(index.calls(report.index).size());
  std::map<int, PlaceRow> sites;
  std::map<std::string, PlaceRow> ranges;
  for (const int number : index.calls(report.index)) {
    const RnnCall& call = profile.calls[static_cast<std::size_t>(number)];
    if (call.site < 0 && call.nvtx_path < 0) continue;
    const double gpu_ms = gpu_ms_of(profile, index, number);
    if (call.site >= 0 && static_cast<std::size_t>(call.site) < profile.call_sites.size()) {
      const auto [site, fresh] = sites.try_emplace(call.site);
      if (fresh) site->second = place_of(profile, call.site);
      add_call(site->second, gpu_ms);
    }
    if (call.nvtx_path >= 0) {
      auto& range = ranges[words::clean(profile.text(call.nvtx_path))];
      add_call(range, gpu_ms);
    }
  }
  if (ranges.size() > most_ranges) {
    std::map<std::string, PlaceRow> merged;
    for (const auto& [name, range] : ranges) {
      auto& into = merged[without_numbers(name)];
      into.calls += range.calls;
      if (range.gpu_ms >= 0) into.gpu_ms = std::max(into.gpu_ms, 0.0) + range.gpu_ms;
    }
    ranges = std::move(merged);
  }
  std::vector<PlaceRow> rows;
  for (auto& [number, site] : sites) rows.push_back(std::move(site));
  report.call_sites = sorted_by_time(std::move(rows));
  rows.clear();
  for (auto& [name, range] : ranges) {
    range.name = name;
    rows.push_back(std::move(range));
  }
  report.nvtx_ranges = sorted_by_time(std::move(rows));
}

std::string words::place_use(const PlaceRow& place, std::int64_t all_calls) {
  std::string text = place.calls == all_calls ? plural(all_calls, "call")
                                              : fmt::format("{} of {}", format_count(place.calls),
                                                            plural(all_calls, "call"));
  if (place.gpu_ms >= 0) text += fmt::format(", {} on the GPU", format_milliseconds(place.gpu_ms));
  return text;
}

}  // namespace rnnadvisor::advisor
