// What a map shows, the same in every format and in the window: values and their scale, words, and
// what to draw between cells. Plain text; each writer escapes it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/map.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

enum class MapLayer { time, speedup, implementation };
inline constexpr std::array<MapLayer, 3> all_map_layers = {MapLayer::time, MapLayer::speedup,
                                                           MapLayer::implementation};
std::string_view to_string(MapLayer value);  // "time"
std::optional<MapLayer> parse_map_layer(std::string_view text);

// What is shown first: the time where at least half of the cells that cuDNN takes have one, else
// what runs.
MapLayer first_layer(const model::ConfigurationMap& map);

// The values of a layer of numbers on their logarithmic scale, in one unit for the whole map.
class MapScale {
 public:
  MapScale(const model::ConfigurationMap& map, MapLayer layer);

  bool empty() const { return !(high_ > 0); }
  // Seconds of the asked algorithm, or times faster than STANDARD; absent where not known.
  std::optional<double> value(const model::MapCell& cell) const;
  // Which of `shades` equal steps of the scale: 0 the least.
  std::optional<int> shade(const model::MapCell& cell, int shades) const;
  // Of a cell in the unit of the map, without the unit: "1.23"; empty where not known.
  std::string text(const model::MapCell& cell) const;
  std::string_view unit() const { return unit_; }  // "ms", "×"
  std::string low_text() const;                    // ends of the scale, with unit
  std::string high_text() const;

 private:
  std::string in_unit(double value) const;

  MapLayer layer_;
  double low_ = 0, high_ = 0;
  double factor_ = 1;
  std::string_view unit_;
};

namespace words {

std::string_view map_layer(MapLayer layer);             // "time", "speedup over standard", …
std::string_view dimension(model::MapDimension value);  // "hidden size", "batch"
std::string map_title(model::MapAxes axes);             // "hidden size x batch"
// "1024"; of types "half, tensor_op".
std::string tick(const model::MapAxis& axis, int index);
// "S", "P", "D", "H"; "-" where cuDNN refuses.
std::string_view implementation_letter(model::Implementation value);

// "hidden size 1024, batch 33".
std::string map_place(const model::ConfigurationMap& map, int row, int column);
// All of a cell in lines: place, time with its interval and how it is known, time per sequence,
// what runs, what would be fastest.
std::vector<std::string> map_cell(const model::ConfigurationMap& map, int row, int column);
// "2.1× over standard (estimate, 1.3× to 3.4×)"; empty where standard itself is shown, or no time
// is known.
std::string over_standard(const model::MapCell& cell);
// "1.23 ms (1.11 to 1.35 ms), estimate".
std::string map_time(const model::MapTime& time);
// "batch 32 instead of 33: 4.1× less time per sequence (estimate, 3.4× to 5.0×)".
std::string better_neighbour(const model::ConfigurationMap& map,
                             const model::BetterNeighbour& better);
// "persist_static instead of standard here: 2.1× less time (estimate, …)".
std::string better_algorithm(const model::ConfigurationMap& map,
                             const model::BetterAlgorithm& better);
// Everything of the two above, the nearest first; one sentence that there is none where times are
// known; empty where nothing is known.
std::vector<std::string> map_advice(const model::ConfigurationMap& map);
// What the times are, or why there are none and what to do.
std::string map_basis(const model::ConfigurationMap& map);
// What changes from cell to cell other than the two axes; empty: nothing.
std::string map_note(const model::ConfigurationMap& map);
// No time is known for the device: what to do.
std::string no_times(const std::string& device_name);

}  // namespace words

// What another algorithm than the asked one would run at a cell: the fastest, or where no times are
// known one that cuDNN takes. Nothing where that is no difference, or a framework picks.
std::optional<model::Implementation> other_implementation(const model::ConfigurationMap& map,
                                                          int row, int column);

// Whether something is drawn behind this cell: to the right of it, or below it towards the next
// row. A cliff comes before a change of implementation.
enum class MapBorder { none, implementation, cliff };
MapBorder border_after(const model::ConfigurationMap& map, int row, int column, bool vertical);

}  // namespace rnnadvisor::advisor
