// device.* and environment.*: the GPU and the software around it.
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

// A field of DeviceSpec in which 0 or an empty text means that it is not known.
template <class F>
auto known(F f) {
  return [f](const Subject& subject) {
    using Value = std::remove_cvref_t<std::invoke_result_t<F, const DeviceSpec&>>;
    const DeviceSpec* device = device_of(subject);
    if (device == nullptr) return std::optional<Value>();
    Value value = f(*device);
    return value == Value{} ? std::optional<Value>() : std::optional<Value>(std::move(value));
  };
}

// The same where false or 0 is an answer.
template <class F>
auto any(F f) {
  return [f](const Subject& subject) {
    using Value = std::remove_cvref_t<std::invoke_result_t<F, const DeviceSpec&>>;
    const DeviceSpec* device = device_of(subject);
    return device == nullptr || device->compute_major == 0 ? std::optional<Value>()
                                                           : std::optional<Value>(f(*device));
  };
}

// A slice of a GPU (MIG) has its name and fewer multiprocessors: nothing was measured there.
bool measured_on(const DeviceSpec& device, const std::optional<Version>& cudnn) {
  for (const DeviceSpec& shipped : shipped_devices()) {
    if (shipped.id != device.id) continue;
    const auto measured = parse_version(shipped.cudnn_version);
    return measured && shipped.sm_count == device.sm_count &&
           (!cudnn || (cudnn->major == measured->major && cudnn->minor == measured->minor));
  }
  return false;
}

void add_device(Catalogue& catalogue) {
  const auto documented = [&](const std::string& name, std::string unit, std::string description,
                              auto provide) {
    define(catalogue, "device." + name, std::move(unit), Provenance::documented,
           std::move(description), provide);
  };
  documented("id", "", "the word for --device", known([](const DeviceSpec& d) { return d.id; }));
  documented("name", "", "the GPU as its driver names it",
             known([](const DeviceSpec& d) { return d.name; }));
  documented("architecture", "", "GPU architecture",
             known([](const DeviceSpec& d) { return d.architecture; }));
  documented("compute_capability", "", "compute capability",
             any([](const DeviceSpec& d) { return Version{d.compute_major, d.compute_minor, 0}; }));
  documented("sm_count", "", "streaming multiprocessors",
             known([](const DeviceSpec& d) { return d.sm_count; }));
  documented("memory", "B", "device memory",
             known([](const DeviceSpec& d) { return d.memory_bytes; }));
  documented("l2", "B", "level-2 cache", known([](const DeviceSpec& d) { return d.l2_bytes; }));
  documented("shared_memory_per_sm", "B", "shared memory of one multiprocessor",
             known([](const DeviceSpec& d) { return d.shared_memory_per_sm; }));
  documented("bandwidth", "B/s",
             "memory bandwidth: measured if there is a measurement, else of the datasheet",
             known([](const DeviceSpec& d) {
               return d.measured_bandwidth ? d.measured_bandwidth->value : d.memory_bandwidth;
             }));
  documented("fp16_tensor_flops", "FLOP/s", "peak of half products on Tensor Cores",
             known([](const DeviceSpec& d) { return d.fp16_tensor_flops; }));
  documented("fp32_flops", "FLOP/s", "peak of float arithmetic without Tensor Cores",
             known([](const DeviceSpec& d) { return d.fp32_flops; }));
  documented("has_tensor_cores", "", "the GPU multiplies half matrices on Tensor Cores",
             any([](const DeviceSpec& d) { return d.has_tensor_cores(); }));
  documented("has_tf32", "", "the GPU multiplies float matrices as TF32",
             any([](const DeviceSpec& d) { return d.has_tf32(); }));
  documented("has_bf16", "", "the GPU multiplies bfloat16 matrices on Tensor Cores",
             any([](const DeviceSpec& d) { return d.has_bf16(); }));
  define(catalogue, "device.measured", "", Provenance::documented,
         "the measurements that cards cite were made on this kind of GPU, with this version of "
         "cuDNN where one is known",
         [](const Subject& subject) -> std::optional<bool> {
           const DeviceSpec* device = device_of(subject);
           if (device == nullptr || device->compute_major == 0) return std::nullopt;
           return measured_on(*device, cudnn_version_of(subject));
         });
  documented("live", "", "the GPU is one of the machine that made the profile",
             any([](const DeviceSpec& d) { return d.live; }));
}

std::optional<std::string> text(const std::string& value) {
  return value.empty() ? std::nullopt : std::optional(value);
}

void add_environment(Catalogue& catalogue) {
  const auto captured = [&](const std::string& name, std::string description, auto provide) {
    define(catalogue, "environment." + name, "", Provenance::captured, std::move(description),
           provide);
  };
  captured("cudnn_version",
           "cuDNN of the target when named, else the profiled one; of what was only described the "
           "one with which its kind of GPU was measured",
           cudnn_version_of);
  captured("driver_version", "NVIDIA driver",
           [](const Subject& s) { return parse_version(s.profile->environment.driver_version); });
  captured("cuda_driver_version", "newest CUDA version the driver supports", [](const Subject& s) {
    return parse_version(s.profile->environment.cuda_driver_version);
  });
  captured("cuda_version", "CUDA runtime", [](const Subject& s) {
    return parse_version(s.profile->environment.cuda_runtime_version);
  });
  captured("operating_system", "operating system",
           [](const Subject& s) { return text(s.profile->environment.operating_system); });
  captured("linux", "the operating system is Linux", [](const Subject& s) -> std::optional<bool> {
    const auto& name = s.profile->environment.operating_system;
    if (name.empty()) return std::nullopt;
    for (const std::string_view other : {"Windows", "windows", "macOS", "Darwin"}) {
      if (name.find(other) != std::string::npos) return false;
    }
    return true;
  });
  captured("tracing", "kernels were recorded",
           [](const Subject& s) { return s.profile->environment.tracing; });
  captured("counters", "hardware counters were permitted and read",
           [](const Subject& s) { return s.profile->environment.counters; });
}

}  // namespace

void add_device_facts(Catalogue& catalogue) {
  add_device(catalogue);
  add_environment(catalogue);
}

}  // namespace rnnadvisor::advisor
