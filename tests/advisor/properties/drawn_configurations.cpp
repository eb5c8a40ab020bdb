#include "tests/advisor/properties/drawn_configurations.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>

namespace rnnadvisor::test {
namespace {

// std::uniform_int_distribution may differ between libraries.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15ULL + 1) {}

  int below(int count) {
    return static_cast<int>(engine_() % static_cast<std::uint64_t>(std::max(1, count)));
  }
  bool one_in(int count) { return below(count) == 0; }
  template <class Values>
  auto of(const Values& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(std::size(values))))];
  }

 private:
  std::mt19937_64 engine_;
};

constexpr auto hidden_sizes =
    std::to_array<int>({1,    7,    13,   32,   64,   96,   100,  128,  129,  160,  192,  193,
                        200,  256,  257,  300,  333,  384,  385,  500,  512,  640,  650,  768,
                        1000, 1001, 1024, 1025, 1088, 1280, 1536, 1537, 2048, 2560, 2561, 4096});
constexpr auto input_sizes = std::to_array<int>({13, 16, 64, 100, 128, 256, 512, 1024, 1025});
constexpr auto batches = std::to_array<int>(
    {1, 2, 4, 7, 8, 16, 30, 32, 33, 48, 60, 63, 64, 65, 96, 112, 128, 129, 192, 256, 480, 1024});
constexpr auto lengths =
    std::to_array<int>({1, 4, 7, 8, 10, 19, 20, 32, 40, 64, 128, 256, 1000, 65535, 65536});

class Draw {
 public:
  explicit Draw(std::uint64_t number) : dice_(number), number_(number) {}

  Drawn make() {
    sizes();
    types();
    features();
    sequences();
    if (dice_.below(3) > 0) framework();
    resolve_defaults(input_);
    const auto devices = shipped_devices();
    return {number_, input_,
            &devices[static_cast<std::size_t>(dice_.below(static_cast<int>(devices.size())))]};
  }

 private:
  // As a flag: what cannot be set was drawn wrong, and stays as it is.
  void set(std::string_view key, const std::string& value) { (void)set_field(input_, key, value); }
  template <class Enum>
  void word(std::string_view key, int one_in) {
    if (dice_.below(one_in) == 0) set(key, std::string(dice_.of(Spellings<Enum>::values)));
  }
  void flag(std::string_view key, int one_in) {
    if (dice_.one_in(one_in)) set(key, dice_.one_in(2) ? "true" : "false");
  }

  void sizes() {
    word<Cell>("cell", 1);
    if (dice_.below(3) > 0) word<Algo>("algo", 1);
    word<Algo>("backward_algo", 40);
    word<Mode>("mode", 2);
    const int hidden = dice_.one_in(6) ? 1 + dice_.below(2100) : dice_.of(hidden_sizes);
    set("hidden_size", std::to_string(hidden));
    if (dice_.one_in(3)) set("input_size", std::to_string(dice_.of(input_sizes)));
    if (dice_.one_in(2)) set("num_layers", std::to_string(1 + dice_.below(4)));
    set("batch_size", std::to_string(dice_.of(batches)));
    set("seq_length", std::to_string(dice_.of(lengths)));
    if (dice_.one_in(12)) set("proj_size", std::to_string(1 + dice_.below(hidden + 2)));
  }

  void types() {
    word<DataType>("data_type", 1);
    word<MathType>("math_type", 2);
    word<DataType>("math_precision", 12);
  }

  void features() {
    word<Direction>("direction", 3);
    word<BiasMode>("bias_mode", 8);
    word<InputMode>("input_mode", 10);
    if (dice_.one_in(6)) set("dropout", "0.25");
    if (dice_.one_in(12)) {
      set("clip_mode", "minmax");
      set("clip_left", dice_.one_in(2) ? "-1" : "2");
      set("clip_right", "1");
    }
  }

  void sequences() {
    word<Layout>("layout", 3);
    flag("padded_io", 6);
    if (!dice_.one_in(5)) return;
    const int count = dice_.one_in(5) ? input_.config.batch_size + 1 : input_.config.batch_size;
    if (count > 64) return;
    const int longest = std::min(input_.config.seq_length, 65535);
    std::vector<int> values;
    const bool equal = dice_.one_in(4);
    for (int i = 0; i < count; ++i)
      values.push_back(equal ? longest : dice_.one_in(20) ? 0 : 1 + dice_.below(longest));
    if (dice_.below(3) > 0) std::sort(values.rbegin(), values.rend());
    if (dice_.below(4) > 0) values.front() = longest;
    std::string text;
    for (const int value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
    set("seq_lengths", text);
  }

  void framework() {
    word<Framework>("framework.name", 1);
    flag("framework.custom_cell", 12);
    flag("framework.layer_norm", 12);
    flag("framework.cudnn_enabled", 15);
    flag("framework.allow_tf32", 6);
    flag("framework.packed_sequence", 6);
    flag("framework.jit_compile", 10);
    word<Autocast>("framework.autocast", 5);
    word<MaskKind>("framework.mask", 3);
    word<KerasCudnn>("framework.use_cudnn", 3);
    word<KerasBackend>("framework.backend", 3);
    if (dice_.one_in(4)) set("framework.activation", dice_.one_in(2) ? "tanh" : "relu");
    if (dice_.one_in(6)) set("framework.recurrent_activation", "sigmoid");
    if (dice_.one_in(6)) set("framework.recurrent_dropout", dice_.one_in(2) ? "0" : "0.5");
    flag("framework.unroll", 6);
    flag("framework.use_bias", 6);
    flag("framework.reset_after", 6);
    flag("framework.linear_before_reset", 6);
    flag("framework.peephole", 8);
  }

  Dice dice_;
  std::uint64_t number_;
  ConfigInput input_;
};

}  // namespace

std::vector<Drawn> draw_configurations(std::uint64_t first, std::uint64_t count) {
  std::vector<Drawn> drawn;
  drawn.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) drawn.push_back(Draw(first + i).make());
  return drawn;
}

}  // namespace rnnadvisor::test
