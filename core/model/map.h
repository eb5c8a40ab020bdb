// Maps: what would run, and how long it would take, around one configuration: over hidden size and
// batch, hidden size and type, or length and batch. The configuration itself is a cell. Pure;
// times come from the PredictTime that is passed in, and from nowhere else: without one a map says
// what runs, and no time.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"
#include "core/model/eligibility.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::model {

enum class MapAxes { hidden_batch, hidden_type, length_batch };
inline constexpr std::array<MapAxes, 3> all_map_axes = {MapAxes::hidden_batch, MapAxes::hidden_type,
                                                        MapAxes::length_batch};
std::string_view to_string(MapAxes value);  // "hidden-batch"
std::optional<MapAxes> parse_map_axes(std::string_view text);

enum class MapDimension { hidden, batch, length, type };
// The key of the field that changes along it: "hidden_size"; of types "data_type".
std::string_view key_of(MapDimension value);

// One place on an axis: a size, or a type with what goes with it.
struct MapTick {
  int size = 0;  // of a dimension of sizes
  DataType data_type = DataType::float32;
  MathType math_type = MathType::default_math;
  DataType math_precision = DataType::float32;

  bool operator==(const MapTick&) const = default;
};

struct MapAxis {
  MapDimension dimension = MapDimension::hidden;
  std::vector<MapTick> ticks;  // sizes ascend
  int here = 0;                // the tick of the configuration itself
};

// Time of all phases of the configuration's mode: the training step, or forward inference.
struct MapTime {
  double seconds = 0;
  double low_seconds = 0, high_seconds = 0;  // sums of the ends of the phases' intervals
  bool measured = false;                     // every phase was; otherwise it is an estimate
  bool extrapolated = false;                 // a phase lies outside the sizes that were measured
};

// One algorithm at one cell.
struct MapRun {
  bool accepted = false;  // cuDNN takes it for every phase of the mode
  Implementation implementation = Implementation::none;  // none: refused
  std::optional<MapTime> time;                           // absent: not known
};

struct Ratio {
  double value = 1, low = 1, high = 1;
};

struct MapCell {
  std::array<MapRun, 4> runs;   // by Algo
  Algo asked = Algo::standard;  // the configuration's, or what its framework picks here
  // The asked algorithm, or the standard one where that cannot be used, unless others are clearly
  // faster: then the one of them with the least time. Where a framework picks, what it runs. Never
  // one whose gradients are known to be wrong.
  std::optional<Algo> best;
  std::optional<Ratio> speedup;  // time of STANDARD over time of `best`
  double flops = 0;              // of all phases of the mode; the unit of useful work
  bool fits = true;              // its memory need is not more than the device has

  const MapRun& run(Algo algo) const { return runs[static_cast<std::size_t>(algo)]; }
  const MapRun& run() const { return run(asked); }
};

// Between cell (row, column) and the next one: of the next column, or with `vertical` of the next
// row. Only where something changes that size does not explain.
struct MapEdge {
  int row = 0, column = 0;
  bool vertical = false;
  bool implementation = false;  // another implementation runs, or one of the two is refused
  // A cliff: the time differs by more than the intervals and the work explain. From the cell with
  // less work to the one with more, time may stay, or grow as the work does; a cliff is where it
  // falls, or grows more than the work. `factor` says how much more time for each unit of work the
  // worse side takes (above 1), 0 where there is no cliff.
  double factor = 0;
  bool worse_is_next = false;  // the worse side is the next cell, not this one
};

// A cell that is better than the configuration's own with the asked algorithm. Better is what takes
// less time both for each step of a sequence and for each operation, beyond the intervals: a larger
// model must take less time than this one, a smaller one less than its size explains.
struct BetterNeighbour {
  enum class Reason {
    accepted,        // cuDNN refuses the configuration and takes this
    implementation,  // no times are known; here persistent kernels would run
    time             // less time for each unit of work, beyond the intervals
  };
  int row = 0, column = 0;
  Reason reason = Reason::time;
  // Of `time`: how many times less time for each step of a sequence, or with `per_flop` for the
  // same number of operations: a smaller model takes less time anyway.
  Ratio factor;
  bool per_flop = false;
  bool other_model = false;  // another hidden size: to be trained anew
  bool other_numerics = false;
  bool estimate = true;  // false: both times were measured
};

struct ConfigurationMap {
  MapAxes axes = MapAxes::hidden_batch;
  RnnConfig here;
  std::string device_id, device_name;
  MapAxis rows, columns;
  std::vector<MapCell> cells;  // row by row
  std::vector<MapEdge> edges;
  // The nearest cell that is better; and where that is another model, the nearest one that is not.
  std::vector<BetterNeighbour> better;
  bool framework_picks = false;  // a framework picks the algorithm of every cell
  // What that framework calls for a configuration (MapRequest::call); empty where none picks.
  std::function<RnnConfig(const RnnConfig&)> call = {};
  bool lengths_adapted = false;  // sequences of different length: see config_at()
  bool has_times = false;        // at least one cell has a time
  std::string basis;             // of the predictions: device, versions, configurations measured
  // Sentences to read before the map, by whoever asked for it: that the framework makes no such
  // call, that cuDNN refuses it, which keys are ignored.
  std::vector<std::string> remarks;

  const MapCell& at(int row, int column) const {
    return cells[static_cast<std::size_t>(row) * columns.ticks.size() +
                 static_cast<std::size_t>(column)];
  }
  const MapCell& own() const { return at(rows.here, columns.here); }
};

// The configuration that a cell stands for: the call of its framework, where one picks. What
// follows hidden_size by default does so where it does in `here`: input_size when equal to it,
// proj_size without a projection. Sequences of different length keep their distribution: lengths of
// another batch are drawn evenly from those of `here`, those of another seq_length are scaled.
RnnConfig config_at(const ConfigurationMap& map, int row, int column);

// A time that was measured on the device of the map.
struct MeasuredTime {
  RnnConfig config;
  Phase phase = Phase::forward_training;
  double seconds = 0, low_seconds = 0, high_seconds = 0;
};

struct MapRequest {
  RnnConfig here;
  MapAxes axes = MapAxes::hidden_batch;
  // May be empty: no times.
  PredictTime predict = {};
  std::span<const MeasuredTime> measured = {};
  // The call that a framework makes of a configuration: its algorithms, math type, data type and
  // layout; empty: the program asks for what `here` says. Of its answer, its answer is the same.
  std::function<RnnConfig(const RnnConfig&)> call = {};
  // Asked between cells; when it says no, the map has no cells and is of no use.
  std::function<bool()> keep_going = {};
};

// At most 15 x 15 cells: powers of two and half-way sizes up to a few times the configuration's
// own, its own sizes, the multiples of 8 and 32 beside them, one more than those, and the hidden
// sizes at which an algorithm ends on this device. Sizes may be any that RnnConfig allows.
ConfigurationMap build_map(const MapRequest& request, const DeviceSpec& device);

// The algorithm that is better than the asked one at the configuration's own cell beyond the
// intervals, by how much; nothing where none is, none is known, or a framework picks.
struct BetterAlgorithm {
  Algo algo = Algo::standard;
  Ratio factor;
  bool estimate = true;
};
std::optional<BetterAlgorithm> better_algorithm(const ConfigurationMap& map);

// The phases of a mode: forward inference, or the three of a training step.
std::span<const Phase> phases_of(Mode mode);

}  // namespace rnnadvisor::model
