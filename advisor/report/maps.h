// Maps as text, JSON, CSV and HTML, and in the HTML report. What they say is in map_view.h.
#pragma once

#include <span>
#include <string>

#include "advisor/facts/predicted_change.h"
#include "advisor/report/map_view.h"
#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// A heat table of one layer. Numbers and letters say all; colour adds to them. Of columns that do
// not fit, those that are farthest from the configuration are left out, and it says so.
std::string write_map_text(const model::ConfigurationMap& map, MapLayer layer,
                           const TextOptions& options = {});
// docs/schema/map.schema.json. Times are seconds; null is not known.
std::string write_map_json(std::span<const model::ConfigurationMap> maps);
// One line per cell, RFC 4180. Times are seconds; empty is not known.
std::string write_map_csv(std::span<const model::ConfigurationMap> maps);
// One self-contained page without requests, like the report.
std::string write_map_html(std::span<const model::ConfigurationMap> maps);

// The HTML report with times in its maps: `predict_for` gives the predictor of a device. Maps are
// drawn for the configurations with the most to say, at most `mapped_cards` of them: one takes
// about 170 kB.
inline constexpr std::size_t mapped_cards = 3;
std::string write_html(const Report& report, const PredictFor& predict_for);

}  // namespace rnnadvisor::advisor
