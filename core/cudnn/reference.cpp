#include "core/cudnn/reference.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"

namespace rnnadvisor::reference {
namespace {

using Vector = std::vector<double>;

double sigmoid(double value) { return 1.0 / (1.0 + std::exp(-value)); }

// out += M v, M row-major [rows][columns]
void multiply_add(const Vector& m, const double* v, std::size_t rows, std::size_t columns,
                  double* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += m[r * columns + c] * v[c];
    out[r] += sum;
  }
}

// out += M^T v
void multiply_transposed_add(const Vector& m, const double* v, std::size_t rows,
                             std::size_t columns, double* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) out[c] += m[r * columns + c] * v[r];
  }
}

// M += a b^T
void outer_add(Vector& m, const double* a, const double* b, std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) m[r * columns + c] += a[r] * b[c];
  }
}

void add(Vector& target, const double* values) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] += values[i];
}

LayerWeights zeros_like(const LayerWeights& weights) {
  const auto zero = [](const std::vector<Vector>& from) {
    std::vector<Vector> to;
    for (const auto& v : from) to.emplace_back(v.size(), 0.0);
    return to;
  };
  LayerWeights result;
  result.input = zero(weights.input);
  result.recurrent = zero(weights.recurrent);
  result.input_bias = zero(weights.input_bias);
  result.recurrent_bias = zero(weights.recurrent_bias);
  result.projection.assign(weights.projection.size(), 0.0);
  return result;
}

// What backward needs of one step.
struct Step {
  Vector input, h_before, c_before, c, h_full;  // h_full: before the projection
  std::vector<bool> clipped;  // c_before was moved by the clip, which has no slope there
  std::vector<Vector> gate;   // activated
  Vector recurrent_new;       // GRU: R_h h + b_Rh
};

// One sequence through one pseudo-layer.
class LayerRun {
 public:
  LayerRun(const RnnConfig& config, const LayerWeights& weights, std::size_t in_size)
      : config_(config),
        weights_(weights),
        gates_(static_cast<std::size_t>(config.gates())),
        hidden_(static_cast<std::size_t>(config.hidden_size)),
        out_(static_cast<std::size_t>(config.proj_size)),
        in_(in_size) {}

  // Advances h and c by one step and remembers what backward needs.
  void forward(const double* x, Vector& h, Vector& c) {
    Step step;
    step.input.assign(x, x + in_);
    step.h_before = h;
    // cuDNN 9.19 clips the cell state where it is read, by the output and by the next step, not
    // where it is written: the last cell state is not clipped, the first is (seen on an H200).
    step.clipped.assign(c.size(), false);
    if (config_.clip_mode == ClipMode::minmax) {
      for (std::size_t j = 0; j < c.size(); ++j) {
        const double inside = clip(c[j]);
        step.clipped[j] = inside != c[j];
        c[j] = inside;
      }
    }
    step.c_before = c;
    std::vector<Vector> from_input(gates_, Vector(hidden_, 0.0));
    std::vector<Vector> from_state(gates_, Vector(hidden_, 0.0));
    for (std::size_t g = 0; g < gates_; ++g) {
      if (weights_.input.empty()) {
        from_input[g].assign(x, x + hidden_);  // skip_input: the input takes the place of W x
      } else {
        multiply_add(weights_.input[g], x, hidden_, in_, from_input[g].data());
      }
      multiply_add(weights_.recurrent[g], h.data(), hidden_, out_, from_state[g].data());
      if (!weights_.input_bias.empty()) add(from_input[g], weights_.input_bias[g].data());
      if (!weights_.recurrent_bias.empty()) add(from_state[g], weights_.recurrent_bias[g].data());
    }
    step.gate.assign(gates_, Vector(hidden_));
    Vector full(hidden_);
    for (std::size_t j = 0; j < hidden_; ++j) {
      const auto sum = [&](std::size_t g) { return from_input[g][j] + from_state[g][j]; };
      switch (config_.cell) {
        case Cell::rnn_relu:
          full[j] = step.gate[0][j] = std::max(0.0, sum(0));
          break;
        case Cell::rnn_tanh:
          full[j] = step.gate[0][j] = std::tanh(sum(0));
          break;
        case Cell::lstm: {
          step.gate[0][j] = sigmoid(sum(0));
          step.gate[1][j] = sigmoid(sum(1));
          step.gate[2][j] = std::tanh(sum(2));
          step.gate[3][j] = sigmoid(sum(3));
          const double cell = step.gate[1][j] * c[j] + step.gate[0][j] * step.gate[2][j];
          c[j] = cell;
          full[j] = step.gate[3][j] * std::tanh(clip(cell));
          break;
        }
        case Cell::gru:
          step.gate[0][j] = sigmoid(sum(0));
          step.gate[1][j] = sigmoid(sum(1));
          step.gate[2][j] = std::tanh(from_input[2][j] + step.gate[0][j] * from_state[2][j]);
          full[j] = (1 - step.gate[1][j]) * step.gate[2][j] + step.gate[1][j] * h[j];
          break;
      }
    }
    if (config_.cell == Cell::gru) step.recurrent_new = from_state[2];
    step.c = c;
    step.h_full = full;
    if (weights_.projection.empty()) {
      h = full;
    } else {
      std::fill(h.begin(), h.end(), 0.0);
      multiply_add(weights_.projection, full.data(), out_, hidden_, h.data());
    }
    steps_.push_back(std::move(step));
  }

  // Takes back the last step: dh and dc are the gradients of its results on entry, of its state on
  // return; dx is added to.
  void backward(Vector& dh, Vector& dc, double* dx, LayerWeights& dw) {
    const Step step = std::move(steps_.back());
    steps_.pop_back();
    Vector full(hidden_, 0.0);
    if (weights_.projection.empty()) {
      full = dh;
    } else {
      multiply_transposed_add(weights_.projection, dh.data(), out_, hidden_, full.data());
      outer_add(dw.projection, dh.data(), step.h_full.data(), out_, hidden_);
    }
    std::vector<Vector> d_input(gates_, Vector(hidden_, 0.0));  // gradient of W x + b
    std::vector<Vector> d_state(gates_, Vector(hidden_, 0.0));  // gradient of R h + b
    Vector dh_before(out_, 0.0);
    for (std::size_t j = 0; j < hidden_; ++j) {
      switch (config_.cell) {
        case Cell::rnn_relu:
          d_input[0][j] = d_state[0][j] = step.gate[0][j] > 0 ? full[j] : 0;
          break;
        case Cell::rnn_tanh:
          d_input[0][j] = d_state[0][j] = full[j] * (1 - step.gate[0][j] * step.gate[0][j]);
          break;
        case Cell::lstm: {
          const double i = step.gate[0][j];
          const double f = step.gate[1][j];
          const double g = step.gate[2][j];
          const double o = step.gate[3][j];
          const double tanh_c = std::tanh(clip(step.c[j]));
          const double slope = clip(step.c[j]) == step.c[j] ? 1 : 0;
          const double d_cell = dc[j] + slope * full[j] * o * (1 - tanh_c * tanh_c);
          d_input[0][j] = d_cell * g * i * (1 - i);
          d_input[1][j] = d_cell * step.c_before[j] * f * (1 - f);
          d_input[2][j] = d_cell * i * (1 - g * g);
          d_input[3][j] = full[j] * tanh_c * o * (1 - o);
          for (std::size_t gate = 0; gate < 4; ++gate) d_state[gate][j] = d_input[gate][j];
          dc[j] = step.clipped[j] ? 0 : d_cell * f;
          break;
        }
        case Cell::gru: {
          const double r = step.gate[0][j];
          const double z = step.gate[1][j];
          const double n = step.gate[2][j];
          const double d_new = full[j] * (1 - z) * (1 - n * n);
          d_input[2][j] = d_new;
          d_state[2][j] = d_new * r;
          d_input[0][j] = d_state[0][j] = d_new * step.recurrent_new[j] * r * (1 - r);
          d_input[1][j] = d_state[1][j] = full[j] * (step.h_before[j] - n) * z * (1 - z);
          dh_before[j] += full[j] * z;
          break;
        }
      }
    }
    for (std::size_t g = 0; g < gates_; ++g) {
      if (weights_.input.empty()) {
        for (std::size_t j = 0; j < hidden_; ++j) dx[j] += d_input[g][j];
      } else {
        multiply_transposed_add(weights_.input[g], d_input[g].data(), hidden_, in_, dx);
        outer_add(dw.input[g], d_input[g].data(), step.input.data(), hidden_, in_);
      }
      multiply_transposed_add(weights_.recurrent[g], d_state[g].data(), hidden_, out_,
                              dh_before.data());
      outer_add(dw.recurrent[g], d_state[g].data(), step.h_before.data(), hidden_, out_);
      if (!dw.input_bias.empty()) add(dw.input_bias[g], d_input[g].data());
      if (!dw.recurrent_bias.empty()) add(dw.recurrent_bias[g], d_state[g].data());
    }
    dh = std::move(dh_before);
  }

 private:
  double clip(double cell) const {
    return config_.clip_mode == ClipMode::minmax
               ? std::clamp(cell, config_.clip_left, config_.clip_right)
               : cell;
  }

  const RnnConfig& config_;
  const LayerWeights& weights_;
  std::size_t gates_, hidden_, out_, in_;
  std::vector<Step> steps_;
};

}  // namespace

Outputs compute(const Inputs& inputs) {
  const RnnConfig& config = inputs.config;
  const auto T = static_cast<std::size_t>(config.seq_length);
  const auto B = static_cast<std::size_t>(config.batch_size);
  const auto D = static_cast<std::size_t>(config.directions());
  const auto L = static_cast<std::size_t>(config.num_layers);
  const auto H = static_cast<std::size_t>(config.hidden_size);
  const auto P = static_cast<std::size_t>(config.proj_size);
  const bool lstm = config.cell == Cell::lstm;
  const bool want_backward = !inputs.dy.empty();

  Outputs outputs;
  outputs.hy.assign(L * D * B * P, 0.0);
  outputs.dhx.assign(want_backward ? L * D * B * P : 0, 0.0);
  if (lstm) outputs.cy.assign(L * D * B * H, 0.0);
  if (lstm && want_backward) outputs.dcx.assign(L * D * B * H, 0.0);
  for (const auto& weights : inputs.weights) outputs.dweights.push_back(zeros_like(weights));

  const auto width_of = [&](std::size_t layer) {
    return layer == 0 ? static_cast<std::size_t>(config.input_size) : D * P;
  };
  std::vector<Vector> activations = {inputs.x};  // per layer boundary [T][B][width]
  std::vector<std::vector<LayerRun>> runs(L * D);

  for (std::size_t layer = 0; layer < L; ++layer) {
    const std::size_t width = width_of(layer);
    Vector out(T * B * D * P, 0.0);
    for (std::size_t d = 0; d < D; ++d) {
      const std::size_t pseudo = layer * D + d;
      for (std::size_t b = 0; b < B; ++b) {
        const auto length = static_cast<std::size_t>(inputs.lengths[b]);
        auto& run = runs[pseudo].emplace_back(config, inputs.weights[pseudo], width);
        Vector h(P);
        Vector c(lstm ? H : 0);
        for (std::size_t j = 0; j < P; ++j) h[j] = inputs.hx[(pseudo * B + b) * P + j];
        for (std::size_t j = 0; j < c.size(); ++j) c[j] = inputs.cx[(pseudo * B + b) * H + j];
        for (std::size_t step = 0; step < length; ++step) {
          const std::size_t t = d == 0 ? step : length - 1 - step;
          run.forward(&activations.back()[(t * B + b) * width], h, c);
          for (std::size_t j = 0; j < P; ++j) out[(t * B + b) * D * P + d * P + j] = h[j];
        }
        for (std::size_t j = 0; j < P; ++j) outputs.hy[(pseudo * B + b) * P + j] = h[j];
        for (std::size_t j = 0; j < c.size(); ++j) outputs.cy[(pseudo * B + b) * H + j] = c[j];
      }
    }
    activations.push_back(std::move(out));
  }
  outputs.y = activations.back();
  if (!want_backward) return outputs;

  Vector gradient = inputs.dy;  // of the current layer's output
  for (std::size_t layer = L; layer-- > 0;) {
    const std::size_t width = width_of(layer);
    Vector below(T * B * width, 0.0);
    for (std::size_t d = 0; d < D; ++d) {
      const std::size_t pseudo = layer * D + d;
      for (std::size_t b = 0; b < B; ++b) {
        const auto length = static_cast<std::size_t>(inputs.lengths[b]);
        Vector dh(P);
        Vector dc(lstm ? H : 0);
        for (std::size_t j = 0; j < P; ++j) dh[j] = inputs.dhy[(pseudo * B + b) * P + j];
        for (std::size_t j = 0; j < dc.size(); ++j) dc[j] = inputs.dcy[(pseudo * B + b) * H + j];
        for (std::size_t step = length; step-- > 0;) {
          const std::size_t t = d == 0 ? step : length - 1 - step;
          for (std::size_t j = 0; j < P; ++j) dh[j] += gradient[(t * B + b) * D * P + d * P + j];
          runs[pseudo][b].backward(dh, dc, &below[(t * B + b) * width], outputs.dweights[pseudo]);
        }
        for (std::size_t j = 0; j < P; ++j) outputs.dhx[(pseudo * B + b) * P + j] = dh[j];
        for (std::size_t j = 0; j < dc.size(); ++j) outputs.dcx[(pseudo * B + b) * H + j] = dc[j];
      }
    }
    gradient = std::move(below);
  }
  outputs.dx = std::move(gradient);
  return outputs;
}

std::vector<double> flatten(const std::vector<LayerWeights>& layers) {
  std::vector<double> flat;
  for (const auto& layer : layers) {
    for (const auto* group :
         {&layer.input, &layer.recurrent, &layer.input_bias, &layer.recurrent_bias}) {
      for (const auto& part : *group) flat.insert(flat.end(), part.begin(), part.end());
    }
    flat.insert(flat.end(), layer.projection.begin(), layer.projection.end());
  }
  return flat;
}

double relative_difference(const std::vector<double>& out, const std::vector<double>& ref) {
  // By piece, in their order: the same sum on every machine.
  constexpr std::size_t piece = std::size_t{1} << 17U;
  struct Sums {
    double difference = 0, norm = 0;
  };
  std::vector<Sums> pieces((ref.size() + piece - 1) / piece);
  for_pieces(ref.size(), piece, [&](std::size_t begin, std::size_t end) {
    Sums sums;
    for (std::size_t i = begin; i < end; ++i) {
      sums.difference += (out[i] - ref[i]) * (out[i] - ref[i]);
      sums.norm += ref[i] * ref[i];
    }
    pieces[begin / piece] = sums;
  });
  double difference = 0;
  double norm = 0;
  for (const Sums& sums : pieces) {
    difference += sums.difference;
    norm += sums.norm;
  }
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

}  // namespace rnnadvisor::reference
