#include "core/model/memory.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "core/base/wide.h"

// The formulas were found by fitting what cudnnGetRNNWeightSpaceSize and cudnnGetRNNTempSpaceSizes
// answered on an H200 with cuDNN 9.19 (tests/data/h200). NVIDIA documents none of them: the meaning
// given to a term in a comment is a guess, its value is not. docs/models.md has them in one table
// with the number of rows on which each was checked.
namespace rnnadvisor::model {
namespace {

// Every part of a buffer starts on a multiple of 32 bytes.
constexpr Wide up(Wide bytes) { return (bytes + 31) / 32 * 32; }

// The symbols of docs/models.md, in 128 bits so that no product of valid sizes wraps.
struct Symbols {
  Wide T, B, I, H, P, L, D, G, es;
  Wide S;          // steps of all sequences together: T·B when they are of one length
  Wide all_B;      // batch size; B counts only the sequences that are not empty
  Wide u, u2;      // bytes of a B×H matrix of the data type, of half
  Wide row, row2;  // bytes of an S×H matrix of the data type, of half
  bool lstm, gru, projection, dropout;
  bool converts;    // float data computed in half: TENSOR_OP_MATH_ALLOW_CONVERSION
  bool persistent;  // a persistent implementation really runs (bfloat16 gets the standard one)
};

int used_sequences(const RnnConfig& c) {
  if (c.seq_lengths.empty()) return c.batch_size;
  return static_cast<int>(
      std::count_if(c.seq_lengths.begin(), c.seq_lengths.end(), [](int n) { return n > 0; }));
}

Symbols symbols(const RnnConfig& c) {
  Symbols s{};
  s.T = c.seq_length;
  s.all_B = c.batch_size;
  s.B = used_sequences(c);
  s.S = c.used_steps();
  s.I = c.input_size;
  s.H = c.hidden_size;
  s.P = c.proj_size;
  s.L = c.num_layers;
  s.D = c.directions();
  s.G = c.gates();
  s.es = element_size(c.data_type);
  s.u = s.B * s.H * s.es;
  s.u2 = s.B * s.H * 2;
  s.row = s.S * s.H * s.es;
  s.row2 = s.S * s.H * 2;
  s.lstm = c.cell == Cell::lstm;
  s.gru = c.cell == Cell::gru;
  s.projection = c.has_projection();
  s.dropout = c.dropout > 0;
  s.converts =
      c.data_type == DataType::float32 && c.math_type == MathType::tensor_op_allow_conversion;
  s.persistent = c.persistent_algo() && c.data_type != DataType::bfloat16;
  return s;
}

// Weight elements, with `bias` bias vectors per gate. All layers above the first have inputs of
// width D·P.
Wide weight_elements(const Symbols& s, int bias, InputMode input_mode) {
  const Wide recurrent = s.G * s.H * s.P + bias * s.G * s.H + (s.projection ? s.P * s.H : 0);
  const Wide first_input = input_mode == InputMode::skip_input ? 0 : s.G * s.H * s.I;
  const Wide first = s.D * (first_input + recurrent);
  const Wide above = s.D * (s.G * s.H * s.D * s.P + recurrent);
  return first + (s.L - 1) * above;
}

Wide reserve(const Symbols& s) {
  const Wide gates = s.lstm ? 4 : s.gru ? 6 : 1;
  // Four sizes may reach 2^124. Beyond 2^100 the answer saturates anyway, and below it the sums
  // cannot wrap.
  const auto values = [&s](Wide width, Wide layers) {
    return std::min(s.S * s.D * width * layers, Wide{1} << 100);
  };
  const Wide hidden = values(s.H, s.L);
  const Wide projected = s.projection ? values(s.P, s.L) : 0;
  Wide sum = 256;
  if (s.converts) {
    sum += up(2 * hidden * gates) + up(4 * hidden * gates) + up(2 * hidden);
    if (s.lstm) sum += up(4 * hidden);
    if (s.projection) sum += up(2 * hidden) + up(2 * projected);
  } else {
    sum += up(hidden * gates * s.es);
    if (s.lstm) sum += up(hidden * s.es);    // cell states
    sum += up(values(s.H, s.L - 1) * s.es);  // between layers
    if (s.projection) sum += up(hidden * s.es) + up(projected * s.es);
  }
  // One bit per value, also for the steps that shorter sequences do not have.
  if (s.dropout) sum += (s.L - 1) * s.D * up((s.T * s.B * s.D * s.P + 7) / 8);
  return sum;
}

// Copies of x, y and the states that padded I/O needs.
Wide padded_copies(const Symbols& s) {
  const Wide states =
      2 * up(s.L * s.D * s.B * s.P * s.es) + (s.lstm ? 2 * up(s.L * s.D * s.B * s.H * s.es) : 0);
  return up(s.T * s.B * s.I * s.es) + up(s.T * s.B * s.P * s.D * s.es) + states;
}

// Terms that forward and backward share.
Wide workspace_base(const RnnConfig& c, const Symbols& s) {
  const Wide matrix_elements = weight_elements(s, 0, c.input_mode);
  Wide sum = (Wide{8} << 20) * s.L * s.D + 256;  // 8 MiB per pseudo-layer
  if (c.padded_io) sum += padded_copies(s) + up(8 * s.all_B);
  if (s.converts) {
    // Weights, x, hidden states and outputs once more in half.
    sum +=
        up(2 * matrix_elements) + up(s.D * 2 * s.S * s.I) + up(s.D * s.L * s.u2) + up(s.D * s.row2);
  } else {
    sum += up(s.es * matrix_elements) + (s.projection ? up(s.D * s.row) : 0);
  }
  return sum;
}

Wide state_terms(const Symbols& s, std::initializer_list<int> multiples) {
  Wide sum = s.D == 2 ? up(4 * s.L * s.u) : 0;
  for (const int k : multiples) sum += up(k * s.L * s.u);
  return sum;
}

Wide forward_states(const Symbols& s) {
  const bool two = s.D == 2;
  if (s.persistent)
    return s.lstm ? (two ? state_terms(s, {4, 2}) : state_terms(s, {2, 2})) : state_terms(s, {2});
  const int d = two ? 2 : 1;
  return s.lstm ? state_terms(s, {4 * d, 2 * d}) : state_terms(s, {(s.gru ? 3 : 1) * d});
}

Wide backward_states(const Symbols& s) {
  if (s.persistent) return forward_states(s);
  const int d = s.D == 2 ? 2 : 1;
  return s.lstm ? state_terms(s, {2 * d, d}) : state_terms(s, {d});
}

Wide forward_workspace(const Symbols& s) {
  Wide sum = forward_states(s);
  // One direction of the standard implementation keeps the gates of at most 256 steps.
  const Wide gates = s.D == 2 ? 2 * s.row : s.persistent ? s.row : std::min(s.row, 256 * s.u);
  sum += up(s.G * gates);
  if (s.persistent) sum += up(4 * s.G * s.row);
  if (s.D == 2) {
    sum += up(4 * s.row);
  } else if (s.dropout) {
    sum += up(s.row);
  }
  if (s.converts) sum += up((s.D == 2 ? 8 : 2) * s.S * std::max(s.I, s.H));
  return sum;
}

// Bytes of the layer-to-layer work in flight in a standard backward pass over several layers in one
// direction: cuDNN joins some steps of each layer, the more the smaller the batch.
Wide in_flight(const Symbols& s) {
  const Wide first = s.all_B == 1 ? 32 : s.all_B <= 8 ? 16 : 8;
  const Wide per_layer = s.all_B <= 16 || s.T >= 128 ? first : s.all_B <= 96 ? 4 : 2;
  return std::min(s.row, (first + s.L * per_layer) * s.u);
}

Wide backward_workspace(const RnnConfig& c, const Symbols& s) {
  Wide sum = backward_states(s);
  const Wide widest = s.S * std::max(s.I, s.H) * s.es;
  if (s.D == 2) {
    sum += up(4 * widest) + up((s.L == 1 ? 2 : 4) * s.row);
  } else {
    sum += up(widest) + up(s.L == 1 ? s.row : s.persistent ? 2 * s.row : in_flight(s));
  }
  if (s.persistent) {
    Wide exchange = up(8 * s.row);
    // A floor that only PERSIST_STATIC has.
    if (c.algo == Algo::persist_static) exchange = std::max(exchange, up((4864 + 2 * s.B) * s.H));
    sum += exchange + up((s.lstm ? 4 : s.gru ? 6 : 1) * s.row);
  }
  if (c.padded_io) sum += padded_copies(s);
  return sum;
}

}  // namespace

int bias_vectors(BiasMode mode) {
  return mode == BiasMode::no_bias ? 0 : mode == BiasMode::double_bias ? 2 : 1;
}

std::string_view to_string(Exactness value) {
  static constexpr std::array<std::string_view, 4> words = {"exact", "fitted", "estimate",
                                                            "unknown"};
  const auto index = static_cast<std::size_t>(value);
  return index < words.size() ? words[index] : std::string_view("?");
}

bool weight_query_wraps(const RnnConfig& config) {
  return weight_elements(symbols(config), bias_vectors(config.bias_mode), config.input_mode) >=
         Wide{1} << 31;
}

SpaceSizes space_sizes(const RnnConfig& config) {
  if (config.mixed_algos()) {
    // The forward pass is asked for with one descriptor and the backward pass with another; one
    // workspace serves both, and one reserve.
    RnnConfig one = config;
    one.set_algo(config.algo);
    SpaceSizes sizes = space_sizes(one);
    one.set_algo(*config.backward_algo);
    const SpaceSizes backward = space_sizes(one);
    for (auto size : {&SpaceSizes::workspace_training, &SpaceSizes::reserve_training})
      if ((backward.*size).value > (sizes.*size).value) sizes.*size = backward.*size;
    return sizes;
  }
  const Symbols s = symbols(config);
  const Wide base = workspace_base(config, s);
  const Wide forward = base + forward_workspace(s);
  const Wide backward = base + backward_workspace(config, s);

  // Above 2^31 weight elements cuDNN itself answers with a wrapped number; what is needed then
  // was never measured.
  const bool wraps = weight_query_wraps(config);
  const Exactness weights = wraps ? Exactness::estimate : Exactness::exact;

  SpaceSizes result;
  result.weights = {
      saturate(s.es * weight_elements(s, bias_vectors(config.bias_mode), config.input_mode)),
      weights};
  result.reserve_training = {saturate(reserve(s)), Exactness::exact};
  result.workspace_inference = {saturate(forward), weights};
  result.workspace_training = {saturate(std::max(forward, backward)), weights};
  return result;
}

}  // namespace rnnadvisor::model
