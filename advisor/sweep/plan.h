// Sweep files: TOML that names many configurations at once. docs/sweeps.md is the reference.
//
//   title = "…"
//   hidden_size = 1024               # any configuration key: the base of every block
//   [framework]                      # and the program around it
//   [[sweep]]
//   id = "H{hidden_size}"            # a template: {key} stands for a value
//   data_type = "half"               # configuration keys of this block
//   grid = { hidden_size = [256, 512] }                            # every combination
//   list = [ { num_layers = 2, dropout = 0.5 }, { num_layers = 1 } ]  # crossed with the grid
//   ties = { input_size = "hidden_size" }                          # a key that follows another
//   [[figure]]                       # Profile::Figure: how to plot the result
//
// The last key of a grid varies fastest; entries of a list vary slower than the grid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/read_config.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

struct SweepPlan {
  std::string title;
  std::vector<ConfigInput> configurations;
  std::vector<Figure> figures;  // configuration_ids name configurations of this plan
};

inline constexpr std::size_t max_sweep_configurations = 100'000;

// Pure. All errors are reported, with file, line and column.
tl::expected<SweepPlan, std::vector<Error>> expand_sweep(
    std::string_view text, std::string_view file, std::size_t limit = max_sweep_configurations);

// The same of a file; one that cannot be opened is an error too. load_sweep()
// (advisor/samples/samples.h) takes sample:NAME as well.
tl::expected<SweepPlan, std::vector<Error>> read_sweep_file(const std::string& path);

// Part `index` of `count` of a plan, both from 1: configurations are dealt out in turn, so that
// every part gets its share of the large ones. Figures stay whole.
struct Shard {
  int index = 1;
  int count = 1;
};
Result<Shard> parse_shard(std::string_view text);  // "2/8"
SweepPlan take_shard(const SweepPlan& plan, const Shard& shard);

}  // namespace rnnadvisor::advisor
