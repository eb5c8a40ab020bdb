#include "core/model/map_ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/model/limits.h"

namespace rnnadvisor::model {
namespace {

constexpr std::size_t most_ticks = 15;
constexpr std::int64_t largest = std::numeric_limits<int>::max();

// Ticks that must not give way are kept apart from those that only fill the range.
struct TickSizes {
  std::set<std::int64_t> kept, filling;
};

void add_doublings(TickSizes& sizes, std::int64_t from, std::int64_t to, bool half_way) {
  for (std::int64_t power = 1; power <= to; power *= 2) {
    if (power >= from) sizes.filling.insert(power);
    if (half_way && power >= 4 && power / 2 * 3 >= from && power / 2 * 3 <= to)
      sizes.filling.insert(power / 2 * 3);
  }
}

// The multiples on both sides of a size that is none, and the first size behind one that is: the
// Tensor Cores' and the persistent kernels' cliffs lie there.
void add_multiples(TickSizes& sizes, std::int64_t here,
                   std::initializer_list<std::int64_t> multiples) {
  for (const std::int64_t multiple : multiples) {
    if (here % multiple == 0) continue;
    if (here > multiple) sizes.kept.insert(here / multiple * multiple);
    sizes.kept.insert((here / multiple + 1) * multiple);
  }
  if (here % *multiples.begin() == 0) sizes.kept.insert(here + 1);
}

std::vector<MapTick> ticks_of(TickSizes sizes, std::int64_t here, std::int64_t most) {
  sizes.kept.insert(here);
  const auto impossible = [&](std::int64_t size) { return size < 1 || size > most; };
  // What was asked for stands on the axis even where it is more than cuDNN takes.
  std::erase_if(sizes.kept, [&](std::int64_t size) { return size != here && impossible(size); });
  std::erase_if(sizes.filling, impossible);
  for (const auto size : sizes.kept) sizes.filling.erase(size);
  const auto distance = [&](std::int64_t size) {
    return std::fabs(std::log(static_cast<double>(size) / static_cast<double>(here)));
  };
  while (!sizes.filling.empty() && sizes.kept.size() + sizes.filling.size() > most_ticks) {
    sizes.filling.erase(std::max_element(
        sizes.filling.begin(), sizes.filling.end(),
        [&](std::int64_t a, std::int64_t b) { return distance(a) < distance(b); }));
  }
  sizes.kept.insert(sizes.filling.begin(), sizes.filling.end());
  std::vector<MapTick> ticks;
  for (const auto size : sizes.kept) {
    ticks.emplace_back();
    ticks.back().size = static_cast<int>(size);
  }
  return ticks;
}

std::vector<MapTick> hidden_ticks(const RnnConfig& here, const DeviceSpec& device) {
  const std::int64_t size = here.hidden_size;
  TickSizes sizes;
  add_doublings(sizes, std::max<std::int64_t>(8, size / 4), size * 4, true);
  add_multiples(sizes, size, {8, 32});
  for (const Algo algo : {Algo::persist_static, Algo::persist_static_small_h}) {
    for (const bool backward : {false, true}) {
      if (backward && here.mode == Mode::inference) continue;
      const std::int64_t limit = hidden_limit(device, algo, here.cell, backward).hidden;
      if (limit < size / 4 || limit > size * 4) continue;
      sizes.kept.insert(limit);
      if (limit < largest) sizes.kept.insert(limit + 1);
    }
  }
  return ticks_of(std::move(sizes), size, largest);
}

std::vector<MapTick> batch_ticks(const RnnConfig& here) {
  const std::int64_t size = here.batch_size;
  TickSizes sizes;
  add_doublings(sizes, std::max<std::int64_t>(1, size / 8), size * 4, true);
  add_multiples(sizes, size, {8});
  return ticks_of(std::move(sizes), size, largest);
}

std::vector<MapTick> length_ticks(const RnnConfig& here) {
  const std::int64_t size = here.seq_length;
  TickSizes sizes;
  add_doublings(sizes, std::max<std::int64_t>(1, size / 16), size * 8, false);
  return ticks_of(std::move(sizes), size, longest_sequence);
}

std::vector<MapTick> type_ticks(const RnnConfig& here) {
  std::vector<MapTick> ticks;
  const auto add = [&](DataType data, MathType math) {
    ticks.push_back({0, data, math, natural_math_precision(data)});
  };
  add(DataType::float64, MathType::default_math);
  add(DataType::float32, MathType::fma);
  add(DataType::float32, MathType::default_math);
  add(DataType::float32, MathType::tensor_op_allow_conversion);
  add(DataType::half, MathType::tensor_op);
  add(DataType::bfloat16, MathType::tensor_op);
  const MapTick own = {0, here.data_type, here.math_type, here.math_precision};
  if (std::find(ticks.begin(), ticks.end(), own) == ticks.end()) {
    // Beside those of the same type.
    const auto after = std::find_if(ticks.rbegin(), ticks.rend(), [&](const MapTick& tick) {
      return tick.data_type == own.data_type;
    });
    ticks.insert(after.base(), own);
  }
  return ticks;
}

// Of another batch: evenly from the lengths there are, in their order. The longest stays, and a
// packed batch begins with it.
std::vector<int> drawn_lengths(const std::vector<int>& lengths, int batch) {
  std::vector<int> drawn;
  drawn.reserve(static_cast<std::size_t>(batch));
  const auto count = static_cast<double>(lengths.size());
  for (int i = 0; i < batch; ++i) {
    const double at = (i + 0.5) * count / batch;
    drawn.push_back(lengths[std::min(lengths.size() - 1, static_cast<std::size_t>(at))]);
  }
  const auto longest = std::max_element(lengths.begin(), lengths.end());
  const auto place =
      static_cast<std::size_t>(static_cast<double>(longest - lengths.begin()) * batch / count);
  drawn[std::min(drawn.size() - 1, place)] = *longest;
  return drawn;
}

void set_length(RnnConfig& config, int length) {
  const double scale = static_cast<double>(length) / config.seq_length;
  for (int& each : config.seq_lengths) {
    const int least = std::min(each, 1);
    each = std::clamp(static_cast<int>(std::lround(each * scale)), least, length);
  }
  config.seq_length = length;
}

}  // namespace

MapAxis map_axis(MapDimension dimension, const RnnConfig& here, const DeviceSpec& device) {
  MapAxis axis;
  axis.dimension = dimension;
  MapTick own;
  switch (dimension) {
    case MapDimension::hidden:
      axis.ticks = hidden_ticks(here, device);
      own.size = here.hidden_size;
      break;
    case MapDimension::batch:
      axis.ticks = batch_ticks(here);
      own.size = here.batch_size;
      break;
    case MapDimension::length:
      axis.ticks = length_ticks(here);
      own.size = here.seq_length;
      break;
    case MapDimension::type:
      axis.ticks = type_ticks(here);
      own = {0, here.data_type, here.math_type, here.math_precision};
      break;
  }
  axis.here =
      static_cast<int>(std::find(axis.ticks.begin(), axis.ticks.end(), own) - axis.ticks.begin());
  return axis;
}

void apply_tick(RnnConfig& config, const RnnConfig& here, MapDimension dimension,
                const MapTick& tick) {
  switch (dimension) {
    case MapDimension::hidden:
      if (!here.has_projection()) config.proj_size = tick.size;
      if (here.input_size == here.hidden_size) config.input_size = tick.size;
      config.hidden_size = tick.size;
      break;
    case MapDimension::batch:
      // Lengths that are not one for each sequence are refused as they are.
      if (tick.size != here.batch_size && !config.seq_lengths.empty() &&
          config.seq_lengths.size() == static_cast<std::size_t>(here.batch_size))
        config.seq_lengths = drawn_lengths(config.seq_lengths, tick.size);
      config.batch_size = tick.size;
      break;
    case MapDimension::length:
      if (tick.size != here.seq_length) set_length(config, tick.size);
      break;
    case MapDimension::type:
      config.data_type = tick.data_type;
      config.math_type = tick.math_type;
      config.math_precision = tick.math_precision;
      break;
  }
}

}  // namespace rnnadvisor::model
