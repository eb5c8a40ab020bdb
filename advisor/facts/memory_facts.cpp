// memory.*: device memory of the configuration, as cuDNN answered where it was asked, else by the
// closed formulas.
#include <algorithm>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"
#include "core/base/wide.h"

namespace rnnadvisor::advisor {
namespace {

const model::MemoryNeed& need_of(const Subject& s, const ProfileIndex& index) {
  return index.model(s.configuration).memory(s.get().config.mode);
}

// The sizes cuDNN gave in this profile, else the model's.
const model::SpaceSizes& sizes_of(const Subject& s, const ProfileIndex& index) {
  return s.get().sizes_from_cudnn ? s.get().sizes : index.model(s.configuration).sizes();
}

std::optional<std::int64_t> known(const model::Bytes& bytes) {
  return bytes.exactness == model::Exactness::unknown ? std::nullopt : std::optional(bytes.value);
}

std::int64_t tensor_bytes(const RnnConfig& c, Wide width) {
  return saturate(Wide{c.seq_length} * c.batch_size * width * element_size(c.data_type));
}

std::int64_t input_and_output(const RnnConfig& c) {
  return tensor_bytes(c, Wide{c.input_size} + Wide{c.directions()} * c.proj_size);
}

// Workspace of the configured persistent algorithm, or of PERSIST_STATIC, above that of STANDARD.
// bfloat16 runs standard kernels.
std::optional<std::int64_t> persistent_extra(const RnnConfig& c) {
  if (c.data_type == DataType::bfloat16) return std::nullopt;
  RnnConfig other = c;
  other.set_algo(Algo::standard);
  const auto standard = model::space_sizes(other);
  other.set_algo(c.persistent_algo() ? c.algo : Algo::persist_static);
  const auto persistent = model::space_sizes(other);
  const bool training = c.mode == Mode::training;
  const auto& more = training ? persistent.workspace_training : persistent.workspace_inference;
  const auto& less = training ? standard.workspace_training : standard.workspace_inference;
  if (more.exactness == model::Exactness::unknown || less.exactness == model::Exactness::unknown) {
    return std::nullopt;
  }
  return std::max<std::int64_t>(more.value - less.value, 0);
}

// What the padded-I/O flag adds to the inference workspace (facts 8.9), up to 32 bytes a term.
std::int64_t padded_io_cost(const RnnConfig& c) {
  if (!c.padded_io) return 0;
  const Wide es = element_size(c.data_type);
  const Wide steps = Wide{c.seq_length} * c.batch_size;
  const Wide states = Wide{2} * c.num_layers * c.directions() * c.batch_size * es;
  Wide bytes =
      steps * c.input_size * es + steps * c.proj_size * c.directions() * es + states * c.proj_size;
  if (c.cell == Cell::lstm) bytes += states * c.hidden_size;
  return saturate(bytes);
}

void add_sizes(Catalogue& catalogue) {
  const auto bytes = [&](const std::string& name, std::string description, auto provide) {
    define(catalogue, "memory." + name, "B", Provenance::modelled, std::move(description), provide);
  };
  bytes("need", "everything one call needs on the device, in the configuration's mode",
        [](const Subject& s, const ProfileIndex& i) { return need_of(s, i).total; });
  bytes("need_inference", "everything an inference call needs on the device",
        [](const Subject& s, const ProfileIndex& i) {
          return i.model(s.configuration).memory(Mode::inference).total;
        });
  bytes("need_training", "everything a training step needs on the device",
        [](const Subject& s, const ProfileIndex& i) {
          return i.model(s.configuration).memory(Mode::training).total;
        });
  bytes("weights", "weight space",
        [](const Subject& s, const ProfileIndex& i) { return known(sizes_of(s, i).weights); });
  bytes("workspace", "workspace in the configuration's mode",
        [](const Subject& s, const ProfileIndex& i) {
          const auto& sizes = sizes_of(s, i);
          return known(s.get().config.mode == Mode::training ? sizes.workspace_training
                                                             : sizes.workspace_inference);
        });
  bytes("reserve", "reserve space of the configuration's mode; 0 in inference",
        [](const Subject& s, const ProfileIndex& i) -> std::optional<std::int64_t> {
          if (s.get().config.mode == Mode::inference) return 0;
          return known(sizes_of(s, i).reserve_training);
        });
  bytes("reserve_training", "reserve space that training keeps until backward",
        [](const Subject& s, const ProfileIndex& i) {
          return known(sizes_of(s, i).reserve_training);
        });
  bytes("input_and_output", "x and y together",
        [](const Subject& s) { return input_and_output(s.get().config); });
  bytes("persistent_extra", "what a persistent algorithm needs above standard in workspace",
        [](const Subject& s) { return persistent_extra(s.get().config); });
  bytes("padded_io_cost", "workspace that CUDNN_RNN_PADDED_IO_ENABLED adds",
        [](const Subject& s) { return padded_io_cost(s.get().config); });
  bytes("padding_in_tensors", "bytes of x and y that are padding", [](const Subject& s) {
    const auto& c = s.get().config;
    const auto used = static_cast<double>(c.used_steps());
    const auto all = static_cast<double>(c.seq_length) * c.batch_size;
    return saturate(static_cast<Wide>(static_cast<double>(input_and_output(c)) *
                                      std::max(0.0, 1 - used / all)));
  });
}

void add_device_share(Catalogue& catalogue) {
  define(catalogue, "memory.share", "%", Provenance::modelled,
         "memory.need as a share of the device's memory",
         [](const Subject& s, const ProfileIndex& i) -> std::optional<double> {
           const auto device = device_bytes(s);
           if (!device) return std::nullopt;
           return 100.0 * static_cast<double>(need_of(s, i).total) / static_cast<double>(*device);
         });
  define(catalogue, "memory.persistent_extra_share", "%", Provenance::modelled,
         "memory.persistent_extra as a share of the device's memory",
         [](const Subject& s) -> std::optional<double> {
           const auto device = device_bytes(s);
           const auto extra = persistent_extra(s.get().config);
           if (!device || !extra) return std::nullopt;
           return 100.0 * static_cast<double>(*extra) / static_cast<double>(*device);
         });
  define(catalogue, "memory.standard_share", "%", Provenance::modelled,
         "share of the device's memory with the standard algorithm in place of the configured one",
         [](const Subject& s) -> std::optional<double> {
           const auto device = device_bytes(s);
           if (!device) return std::nullopt;
           RnnConfig standard = s.get().config;
           standard.set_algo(Algo::standard);
           const auto need = model::memory_need(standard, standard.mode).total;
           return 100.0 * static_cast<double>(need) / static_cast<double>(*device);
         });
  define(catalogue, "memory.inference_share", "%", Provenance::modelled,
         "share of the device's memory an inference call needs",
         [](const Subject& s, const ProfileIndex& i) -> std::optional<double> {
           const auto device = device_bytes(s);
           if (!device) return std::nullopt;
           const auto need = i.model(s.configuration).memory(Mode::inference).total;
           return 100.0 * static_cast<double>(need) / static_cast<double>(*device);
         });
  define(catalogue, "memory.largest_batch", "", Provenance::modelled,
         "largest batch_size that fits the device, all else equal; 0: not even 1",
         [](const Subject& s) -> std::optional<int> {
           const auto device = device_bytes(s);
           if (!device) return std::nullopt;
           return model::largest_batch(s.get().config, s.get().config.mode, *device);
         });
  define(catalogue, "memory.largest_seq_length", "", Provenance::modelled,
         "largest seq_length that fits the device, all else equal; 0: not even 1",
         [](const Subject& s) -> std::optional<int> {
           const auto device = device_bytes(s);
           if (!device) return std::nullopt;
           return model::largest_seq_length(s.get().config, s.get().config.mode, *device);
         });
  define(catalogue, "memory.exactness", "", Provenance::modelled,
         "how far memory.need can be trusted",
         [](const Subject& s, const ProfileIndex& i) { return to_string(need_of(s, i).exactness); },
         {"exact", "fitted", "estimate", "unknown"});
  define(catalogue, "memory.weight_query_wraps", "", Provenance::modelled,
         "cuDNN 9.19 counts the weights in 32 bits and answers too little: 2^31 elements or more",
         [](const Subject& s) { return model::weight_query_wraps(s.get().config); });
  define(catalogue, "memory.sizes_from_cudnn", "", Provenance::captured,
         "weights, workspace and reserve are cuDNN's own answers",
         [](const Subject& s) { return s.get().sizes_from_cudnn; });
}

void add_measured_memory(Catalogue& catalogue) {
  const auto given = [](std::int64_t value) {
    return value < 0 ? std::nullopt : std::optional(value);
  };
  define(catalogue, "memory.free_before", "B", Provenance::measured,
         "free device memory before the run",
         [given](const Subject& s) { return given(s.get().memory_free_before); });
  define(catalogue, "memory.peak_used", "B", Provenance::measured,
         "most device memory the run used",
         [given](const Subject& s) { return given(s.get().memory_peak_used); });
  define(catalogue, "memory.share_of_free", "%", Provenance::measured,
         "memory.need as a share of the memory that was free before the run",
         [](const Subject& s, const ProfileIndex& i) -> std::optional<double> {
           if (s.get().memory_free_before <= 0) return std::nullopt;
           return 100.0 * static_cast<double>(need_of(s, i).total) /
                  static_cast<double>(s.get().memory_free_before);
         });
}

}  // namespace

std::optional<std::int64_t> device_bytes(const Subject& s) {
  const DeviceSpec* device = device_of(s);
  return device == nullptr || device->memory_bytes <= 0 ? std::nullopt
                                                        : std::optional(device->memory_bytes);
}

void add_memory_facts(Catalogue& catalogue) {
  add_sizes(catalogue);
  add_device_share(catalogue);
  add_measured_memory(catalogue);
}

}  // namespace rnnadvisor::advisor
