#include "core/model/gemm.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

// NVIDIA, "Optimizing Recurrent Layers User's Guide", Table 1, with S = T. Ours are the extensions,
// by the same reasoning: with a projection the recurrent input has width P instead of H and a
// product P×H follows each step; layers above the first read D·P values; each direction has
// products of its own; the first layer reads I values, or has no input product with SKIP_INPUT.
namespace rnnadvisor::model {
namespace {

// An input of `in` values per step and sequence becomes `out` values.
struct Matrix {
  Path path;
  std::int64_t in;
  std::int64_t out;
};

class Writer {
 public:
  Writer(const RnnConfig& config, Phase phase, int unrolling)
      : phase_(phase), batch_(config.batch_size), steps_(config.seq_length) {
    unrolling_ = unrolling <= 0 ? steps_ : std::min<std::int64_t>(unrolling, steps_);
  }

  std::vector<Gemm> take() { return std::move(gemms_); }

  // Each product is met `times` times, in layers that are equal.
  void repeat(std::int64_t times) { times_ = times; }

  void add(const Matrix& matrix, int layer, int direction) {
    if (phase_ == Phase::backward_weights) {
      // Nothing waits for anything: one product over all steps.
      push(matrix, layer, direction, {matrix.in, matrix.out, batch_ * steps_, 1});
      return;
    }
    const bool data = phase_ == Phase::backward_data;
    const std::int64_t m = data ? matrix.in : matrix.out;
    const std::int64_t k = data ? matrix.out : matrix.in;
    if (matrix.path != Path::layer_to_layer) {
      push(matrix, layer, direction, {m, batch_, k, steps_});
      return;
    }
    push(matrix, layer, direction, {m, batch_ * unrolling_, k, steps_ / unrolling_});
    const std::int64_t rest = steps_ % unrolling_;
    if (rest > 0) push(matrix, layer, direction, {m, batch_ * rest, k, 1});
  }

 private:
  struct Size {
    std::int64_t m, n, k, count;
  };
  void push(const Matrix& matrix, int layer, int direction, const Size& size) {
    gemms_.push_back(
        {matrix.path, phase_, layer, direction, size.m, size.n, size.k, size.count * times_});
  }

  Phase phase_;
  std::int64_t batch_;
  std::int64_t steps_;
  std::int64_t unrolling_;
  std::int64_t times_ = 1;
  std::vector<Gemm> gemms_;
};

}  // namespace

std::string_view to_string(Path path) {
  static constexpr std::array<std::string_view, 3> words = {"recurrent", "layer_to_layer",
                                                            "projection"};
  const auto index = static_cast<std::size_t>(path);
  return index < words.size() ? words[index] : std::string_view("?");
}

std::int64_t Gemm::flops() const {
  std::int64_t product = 2;
  for (const std::int64_t factor : {m, n, k, count}) {
    if (__builtin_mul_overflow(product, factor, &product))
      return std::numeric_limits<std::int64_t>::max();
  }
  return product;
}

std::vector<Gemm> gemms(const RnnConfig& config, Phase phase, int unrolling) {
  Writer writer(config, phase, unrolling);
  const std::int64_t gates = std::int64_t{config.gates()} * config.hidden_size;
  const std::int64_t above = std::int64_t{config.directions()} * config.proj_size;
  const int listed = std::min(config.num_layers, most_listed_layers);
  for (int layer = 0; layer < listed; ++layer) {
    if (layer == most_listed_layers - 1) writer.repeat(std::int64_t{config.num_layers} - layer);
    for (int direction = 0; direction < config.directions(); ++direction) {
      writer.add({Path::recurrent, config.proj_size, gates}, layer, direction);
      if (config.has_projection()) {
        writer.add({Path::projection, config.hidden_size, config.proj_size}, layer, direction);
      }
      if (layer > 0) {
        writer.add({Path::layer_to_layer, above, gates}, layer, direction);
      } else if (config.input_mode == InputMode::linear_input) {
        writer.add({Path::layer_to_layer, config.input_size, gates}, layer, direction);
      }
    }
  }
  return writer.take();
}

}  // namespace rnnadvisor::model
