// The parts of the HTML report. Everything external goes through esc(); style and script are two
// constant files named by their hashes in the page's Content-Security-Policy, so no attribute of
// style or event exists anywhere.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "advisor/report/maps.h"
#include "advisor/report/report.h"

namespace rnnadvisor::advisor::html {

// Clean and escaped, for text and for attribute values in double quotes.
std::string esc(std::string_view text);
// The same, keeping line breaks: for <pre>.
std::string esc_lines(std::string_view text);
class Page {
 public:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void raw(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// How much there is room for.
inline constexpr std::size_t full_cards = 24;
inline constexpr std::size_t shown_findings = 40;

void figures(Page& page, const Report& report);

// A whole page around `body`, with style and script. Navigation and body are markup.
std::string whole_page(std::string_view title, std::string_view navigation, std::string_view body,
                       std::string_view footer);

// Maps of one configuration; `id` makes their ids unique.
void maps(Page& page, std::span<const model::ConfigurationMap> maps, const std::string& id);
// Those of a configuration of a report, folded.
void maps(Page& page, const Report& report, const ConfigurationReport& each,
          const PredictFor& predict_for);

// Unfold and fold all configurations.
std::string folding_tools();

// Figures; empty when there is nothing to draw.
std::string charts(const ConfigurationReport& each);
std::string memory_figure(const ConfigurationReport& each);
std::string trials_plot(const ConfigurationReport& each);
std::string products_figure(const ConfigurationReport& each);
// All samples of the timing that decides on one logarithmic axis, outliers ringed.
std::string samples_strip(const TrialRow& row);

// Charts: inline SVG with a title and a description; empty when there is nothing to draw. `id`
// makes their ids unique.
std::string step_chart(const Report& report);
std::string timing_chart(const ConfigurationReport& each, const std::string& id);
std::string roofline_chart(const ConfigurationReport& each, const std::string& id);
std::string memory_bar(const ConfigurationReport& each, const std::string& id);

}  // namespace rnnadvisor::advisor::html
