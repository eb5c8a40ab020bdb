// model.*: what the cost model and the eligibility model say of the configuration on its device.
#include <algorithm>
#include <cmath>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

Phase forward_of(const RnnConfig& c) {
  return c.mode == Mode::training ? Phase::forward_training : Phase::forward_inference;
}

double bandwidth_of(const DeviceSpec& device) {
  return device.measured_bandwidth ? device.measured_bandwidth->value : device.memory_bandwidth;
}

// FLOP per byte at which the device's arithmetic and its memory are equally busy.
std::optional<double> ridge(const Subject& s) {
  const DeviceSpec* device = device_of(s);
  if (device == nullptr) return std::nullopt;
  const double peak = model::pipe_flops(model::best_pipe(s.get().config, *device), *device);
  const double bandwidth = bandwidth_of(*device);
  if (peak <= 0 || bandwidth <= 0) return std::nullopt;
  return peak / bandwidth;
}

// The recurrent product of one forward time step: Table 1 of the guide, with the projected width as
// K.
struct Step {
  double m, n, k, element;
};
Step forward_step(const RnnConfig& c) {
  return {static_cast<double>(c.gates()) * c.hidden_size, static_cast<double>(c.batch_size),
          static_cast<double>(c.proj_size), static_cast<double>(element_size(c.data_type))};
}

double step_intensity(const Step& g) {
  return 2 * g.m * g.n * g.k / (g.element * (g.m * g.k + g.k * g.n + g.m * g.n));
}

// The smallest N with which the product reaches `ridge`; nothing when the weights alone keep it
// below.
std::optional<double> n_for(const Step& g, double ridge) {
  const double gain = 2 * g.m * g.k - g.element * ridge * (g.k + g.m);
  if (gain <= 0) return std::nullopt;
  return g.element * ridge * g.m * g.k / gain;
}

// Nothing, too, where it is more than any batch.
std::optional<std::int64_t> batch_to_compute_bound(const Subject& s) {
  const auto edge = ridge(s);
  if (!edge) return std::nullopt;
  const auto n = n_for(forward_step(s.get().config), *edge);
  if (!n || *n > 1e9) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(*n));
}

model::Gemm recurrent_gemm(const RnnConfig& c) {
  model::Gemm gemm;
  gemm.path = model::Path::recurrent;
  gemm.phase = forward_of(c);
  gemm.m = static_cast<std::int64_t>(c.gates()) * c.hidden_size;
  gemm.n = c.batch_size;
  gemm.k = c.proj_size;
  gemm.count = c.seq_length;
  return gemm;
}

std::optional<model::Quantization> recurrent_quantization(const Subject& s) {
  const DeviceSpec* device = device_of(s);
  if (device == nullptr || device->sm_count <= 0) return std::nullopt;
  return model::quantization(recurrent_gemm(s.get().config), device->sm_count);
}

const HiddenLimit* limit_of(const Subject& s, Algo algo, bool backward) {
  const DeviceSpec* device = device_of(s);
  if (device == nullptr) return nullptr;
  const Cell cell = s.get().config.cell;
  const auto same_cell = [cell](Cell other) {
    const bool plain = cell == Cell::rnn_relu || cell == Cell::rnn_tanh;
    const bool other_plain = other == Cell::rnn_relu || other == Cell::rnn_tanh;
    return cell == other || (plain && other_plain);
  };
  for (const auto& limit : device->hidden_limits) {
    if (limit.algo == algo && limit.backward == backward && same_cell(limit.cell)) return &limit;
  }
  return nullptr;
}

std::optional<int> positive(int value) { return value > 0 ? std::optional(value) : std::nullopt; }

// The crossover measured or documented for this cell, type and hidden size; other sizes are not
// guessed.
const PersistCrossover* crossover_of(const Subject& s) {
  const DeviceSpec* device = device_of(s);
  if (device == nullptr) return nullptr;
  const auto& c = s.get().config;
  for (const auto& crossover : device->crossovers) {
    if (crossover.cell == c.cell && crossover.data_type == c.data_type &&
        crossover.hidden_size == c.hidden_size) {
      return &crossover;
    }
  }
  return nullptr;
}

void add_eligibility(Catalogue& catalogue) {
  for (const model::Stage stage : model::all_stages) {
    define(catalogue, "model.accepts_" + std::string(to_string(stage)), "", Provenance::modelled,
           "cuDNN accepts the configuration at stage " + std::string(to_string(stage)),
           [stage](const Subject& s, const Index& i) -> std::optional<bool> {
             const auto* eligibility = i.model(s.configuration).eligibility();
             return eligibility == nullptr ? std::nullopt : std::optional(eligibility->at(stage));
           });
  }
  std::vector<std::string> implementations;
  for (int value = 0; value <= static_cast<int>(model::Implementation::persistent_small_h);
       ++value) {
    implementations.emplace_back(to_string(static_cast<model::Implementation>(value)));
  }
  define(
      catalogue, "model.implementation", "", Provenance::modelled,
      "kernel family that is expected to run",
      [](const Subject& s, const Index& i) -> std::optional<std::string> {
        const auto* eligibility = i.model(s.configuration).eligibility();
        return eligibility == nullptr
                   ? std::nullopt
                   : std::optional(std::string(to_string(eligibility->implementation)));
      },
      implementations);
  std::vector<std::string> stages = {"none"};
  for (const model::Stage stage : model::all_stages) stages.emplace_back(to_string(stage));
  define(
      catalogue, "model.first_refusing_stage", "", Provenance::modelled,
      "first stage at which cuDNN is expected to refuse; none: it accepts all",
      [](const Subject& s, const Index& i) -> std::optional<std::string> {
        const auto* eligibility = i.model(s.configuration).eligibility();
        if (eligibility == nullptr) return std::nullopt;
        for (const model::Stage stage : model::all_stages) {
          const bool backward =
              stage == model::Stage::backward_data || stage == model::Stage::backward_weights;
          if (backward && s.get().config.mode == Mode::inference) continue;
          if (!eligibility->at(stage)) return std::string(to_string(stage));
        }
        return "none";
      },
      stages);
  define(catalogue, "model.limits_measured", "", Provenance::modelled,
         "the limits behind model.* were measured on this very device",
         [](const Subject& s, const Index& i) -> std::optional<bool> {
           const auto* eligibility = i.model(s.configuration).eligibility();
           return eligibility == nullptr ? std::nullopt
                                         : std::optional(eligibility->measured_basis);
         });
}

void add_limits(Catalogue& catalogue) {
  struct Named {
    Algo algo;
    bool backward;
    std::string name, words;
  };
  for (const auto& entry :
       {Named{Algo::persist_static, false, "static_hidden", "persist_static"},
        Named{Algo::persist_static, true, "static_hidden_backward",
              "persist_static's backward pass"},
        Named{Algo::persist_static_small_h, false, "small_h_hidden", "persist_static_small_h"},
        Named{Algo::persist_static_small_h, true, "small_h_hidden_backward",
              "persist_static_small_h's backward pass"}}) {
    define(catalogue, "model." + entry.name + "_accepted", "", Provenance::measured,
           "largest hidden_size seen accepted by " + entry.words + " for this cell on this device",
           [entry](const Subject& s) -> std::optional<int> {
             const auto* limit = limit_of(s, entry.algo, entry.backward);
             return limit == nullptr ? std::nullopt : positive(limit->accepted);
           });
    define(catalogue, "model." + entry.name + "_rejected", "", Provenance::measured,
           "smallest hidden_size seen rejected by " + entry.words + " for this cell on this device",
           [entry](const Subject& s) -> std::optional<int> {
             const auto* limit = limit_of(s, entry.algo, entry.backward);
             return limit == nullptr ? std::nullopt : positive(limit->rejected);
           });
  }
  define(catalogue, "model.persist_backward_hidden", "", Provenance::measured,
         "largest hidden_size with which persist_static's backward pass of a half LSTM keeps its "
         "speed on this device",
         [](const Subject& s) -> std::optional<std::int64_t> {
           const DeviceSpec* device = device_of(s);
           if (device == nullptr || !device->persist_backward_hidden) return std::nullopt;
           return static_cast<std::int64_t>(device->persist_backward_hidden->value);
         });
  define(catalogue, "model.crossover_batch_training", "", Provenance::measured,
         "batch at which standard overtakes persist_static in a training step, for this cell, type "
         "and hidden size",
         [](const Subject& s) -> std::optional<double> {
           const auto* crossover = crossover_of(s);
           if (crossover == nullptr || crossover->batch_training <= 0) return std::nullopt;
           return crossover->batch_training;
         });
  define(catalogue, "model.crossover_batch_forward", "", Provenance::measured,
         "batch at which standard overtakes persist_static in forward inference, for this cell, "
         "type and hidden size",
         [](const Subject& s) -> std::optional<double> {
           const auto* crossover = crossover_of(s);
           if (crossover == nullptr || crossover->batch_forward <= 0) return std::nullopt;
           return crossover->batch_forward;
         });
  define(catalogue, "model.crossover_batch", "", Provenance::measured,
         "the crossover batch of the configuration's mode",
         [](const Subject& s) -> std::optional<double> {
           const auto* crossover = crossover_of(s);
           if (crossover == nullptr) return std::nullopt;
           const double batch = s.get().config.mode == Mode::training ? crossover->batch_training
                                                                      : crossover->batch_forward;
           return batch > 0 ? std::optional(batch) : std::nullopt;
         });
}

void add_cost(Catalogue& catalogue) {
  const auto modelled = [&](const std::string& name, std::string unit, std::string description,
                            auto provide) {
    define(catalogue, "model." + name, std::move(unit), Provenance::modelled,
           std::move(description), provide);
  };
  modelled(
      "forward_flops", "FLOP", "arithmetic of the forward pass",
      [](const Subject& s, const Index& i) {
        return static_cast<double>(i.model(s.configuration).cost(forward_of(s.get().config)).flops);
      });
  modelled("forward_bytes", "B", "least memory traffic of the forward pass",
           [](const Subject& s, const Index& i) {
             return i.model(s.configuration).cost(forward_of(s.get().config)).minimum_bytes;
           });
  modelled("forward_intensity", "FLOP/B", "arithmetic of the forward pass per byte moved at least",
           [](const Subject& s, const Index& i) {
             return i.model(s.configuration).cost(forward_of(s.get().config)).intensity;
           });
  modelled("forward_bound_ms", "ms", "time below which the forward pass cannot go on the device",
           [](const Subject& s, const Index& i) -> std::optional<double> {
             const auto* bound = i.model(s.configuration).bound(forward_of(s.get().config));
             return bound == nullptr ? std::nullopt : std::optional(bound->bound_ms);
           });
  define(catalogue, "model.forward_bound", "", Provenance::modelled,
         "what bounds the forward pass on the device",
         [](const Subject& s, const Index& i) -> std::optional<std::string> {
           const auto* bound = i.model(s.configuration).bound(forward_of(s.get().config));
           if (bound == nullptr) return std::nullopt;
           if (bound->sequential_ms > bound->roofline_ms) return "sequential";
           return bound->memory_bound ? "memory" : "compute";
         },
         {"compute", "memory", "sequential"});
  modelled("uses_tf32", "", "float products run as TF32 on the device",
           [](const Subject& s) -> std::optional<bool> {
             const auto& c = s.get().config;
             if (c.data_type != DataType::float32) return false;
             if (c.math_type == MathType::fma || s.get().program.allow_tf32 == false) return false;
             const DeviceSpec* device = device_of(s);
             if (device == nullptr || device->compute_major == 0) return std::nullopt;
             return device->has_tf32() && c.math_type != MathType::tensor_op_allow_conversion;
           });
  modelled("ridge_intensity", "FLOP/B",
           "FLOP per byte at which the device's arithmetic and memory are equally busy", ridge);
  modelled("step_intensity", "FLOP/B",
           "FLOP per byte of the recurrent product of one forward time step",
           [](const Subject& s) { return step_intensity(forward_step(s.get().config)); });
  modelled("step_memory_bound", "",
           "the recurrent product of one forward step is limited by memory on the device",
           [](const Subject& s) -> std::optional<bool> {
             const auto edge = ridge(s);
             if (!edge) return std::nullopt;
             return step_intensity(forward_step(s.get().config)) < *edge;
           });
  modelled("batch_to_compute_bound", "",
           "smallest batch_size with which the recurrent product is limited by arithmetic",
           batch_to_compute_bound);
  modelled("batch_growth_to_compute_bound", "1",
           "model.batch_to_compute_bound as a multiple of batch_size",
           [](const Subject& s) -> std::optional<double> {
             const auto batch = batch_to_compute_bound(s);
             if (!batch || s.get().config.batch_size < 1) return std::nullopt;
             return static_cast<double>(*batch) / s.get().config.batch_size;
           });
  modelled("width_reaches_compute_bound", "",
           "some batch_size makes the recurrent product limited by arithmetic",
           [](const Subject& s) -> std::optional<bool> {
             const auto edge = ridge(s);
             if (!edge) return std::nullopt;
             return n_for(forward_step(s.get().config), *edge).has_value();
           });
}

void add_products(Catalogue& catalogue) {
  const auto count = [&](const std::string& name, std::string description, auto f) {
    define(catalogue, "model." + name, "", Provenance::modelled, std::move(description),
           [f](const Subject& s) { return f(recurrent_gemm(s.get().config)); });
  };
  count("recurrent_m", "M of the recurrent forward product: gates times hidden_size",
        [](const model::Gemm& g) { return g.m; });
  count("recurrent_n", "N of the recurrent forward product: batch_size",
        [](const model::Gemm& g) { return g.n; });
  count("recurrent_k", "K of the recurrent forward product: proj_size",
        [](const model::Gemm& g) { return g.k; });
  const auto quantized = [&](const std::string& name, std::string unit, std::string description,
                             auto f) {
    define(catalogue, "model." + name, std::move(unit), Provenance::modelled,
           std::move(description), [f](const Subject& s) {
             const auto q = recurrent_quantization(s);
             return q ? std::optional(f(*q)) : std::nullopt;
           });
  };
  quantized("tile_waste", "%",
            "work in partly filled 128x128 tiles of the recurrent product that computes nothing",
            [](const model::Quantization& q) { return 100 * q.tile_waste; });
  quantized("wave_waste", "%",
            "multiprocessor time idle in the last wave of tiles of the recurrent product",
            [](const model::Quantization& q) { return 100 * q.wave_waste; });
  quantized("tiles", "", "128x128 tiles of the recurrent product",
            [](const model::Quantization& q) { return q.tiles; });
}

}  // namespace

void add_model_facts(Catalogue& catalogue) {
  add_eligibility(catalogue);
  add_limits(catalogue);
  add_cost(catalogue);
  add_products(catalogue);
}

}  // namespace rnnadvisor::advisor
