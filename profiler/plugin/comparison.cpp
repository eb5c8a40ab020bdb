#include "profiler/plugin/comparison.h"

#include <math.h>

#include <initializer_list>

#include "profiler/plugin/comparison_kernel.h"
#include "profiler/plugin/device_memory.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

// The kernel in the current context; loaded once for each of the first few.
CUfunction kernel_in_context(const Driver& d, const DeviceMemory& m) {
  struct Loaded {
    CUcontext context;
    unsigned long long id;
    CUfunction function;
  };
  static Loaded loaded[16];
  CUcontext context = nullptr;
  if (d.cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr) return nullptr;
  unsigned long long id = 0;
  if (d.cuCtxGetId != nullptr) d.cuCtxGetId(context, &id);
  for (auto& one : loaded) {
    if (one.function != nullptr && one.context == context && one.id == id) return one.function;
    if (one.function != nullptr) continue;
    CUmodule module = nullptr;
    if (m.cuModuleLoadData(&module, comparison_kernel) != CUDA_SUCCESS ||
        m.cuModuleGetFunction(&one.function, module, comparison_kernel_name) != CUDA_SUCCESS) {
      one.function = nullptr;
      return nullptr;
    }
    one.context = context;
    one.id = id;
    return one.function;
  }
  return nullptr;
}

std::size_t bytes_of(std::int32_t type) {
  return type == CUDNN_DATA_FLOAT ? sizeof(float) : sizeof(std::uint16_t);
}

constexpr const char* names[] = {"y", "hy", "cy", "dx", "dhx", "dcx", "dw"};
constexpr std::size_t values_each = 3;

}  // namespace

// Unit roundoff of the multiplications times a factor for a recurrence; a wrong gate or direction
// is off by 9 % and more. A gradient behind a ReLU changes by all of itself where a rounding error
// moves a value across the kink, and the share of such values grows with the roundoff.
float Comparison::limit_of(int tensor) const {
  const auto& c = configuration_;
  float limit = 2e-3F;
  if (c.data_type == CUDNN_DATA_BFLOAT16) limit = 2e-2F;
  if (c.data_type == CUDNN_DATA_FLOAT && c.math_type == CUDNN_FMA_MATH) limit = 1e-5F;
  return c.cell == CUDNN_RNN_RELU && tensor >= dx ? __builtin_sqrtf(limit) : limit;
}

// Near its smallest step, 2^-24, half has few digits: gradients of 1e-6 have one or two, as they
// are in half models without a scaled loss. Algorithms round them in between at different places:
// one step for each product that is summed up, at random, is no difference.
double Comparison::counts_for_nothing(int tensor) const {
  if (configuration_.data_type != CUDNN_DATA_HALF) return 0;
  constexpr double step = 1.0 / (1 << 24);
  const double steps = configuration_.max_seq_length, rows = steps * configuration_.batch;
  const double products = tensor < dx ? 4 : tensor < dw ? 4 + steps : 4 + rows;
  return step * step * products * static_cast<double>(tensors_[tensor].elements);
}

bool Comparison::lay_out(const spool::Configuration& c, std::size_t weight_bytes,
                         std::size_t workspace, std::size_t reserve) {
  const std::size_t element = bytes_of(c.data_type);
  const auto directions = static_cast<std::size_t>(c.direction == CUDNN_BIDIRECTIONAL ? 2 : 1);
  const auto batch = static_cast<std::size_t>(c.batch);
  const std::size_t rows = static_cast<std::size_t>(c.max_seq_length) * batch;
  const auto hidden = static_cast<std::size_t>(c.hidden_size);
  const auto output =
      static_cast<std::size_t>(c.projection_size > 0 ? c.projection_size : c.hidden_size);
  const std::size_t states = static_cast<std::size_t>(c.layers) * directions * batch;
  const bool lstm = c.cell == CUDNN_LSTM;
  const bool training = c.training != 0;
  const std::size_t elements[tensors] = {
      rows * directions * output,
      states * output,
      lstm ? states * hidden : 0,
      training ? rows * static_cast<std::size_t>(c.vector_size) : 0,
      training ? states * output : 0,
      training && lstm ? states * hidden : 0,
      training ? weight_bytes / element : 0};
  std::size_t end = 0;
  const auto place = [&end](std::size_t bytes) {
    const std::size_t here = end;
    end += (bytes + 511) / 512 * 512;
    return here;
  };
  for (int t = 0; t < tensors; ++t)
    tensors_[t] = {elements[t], {place(elements[t] * element), place(elements[t] * element)}};
  for (auto& one : reserve_) one = place(reserve);
  workspace_ = place(workspace);
  results_ = place(tensors * values_each * sizeof(double));
  workspace_bytes_ = workspace;
  reserve_bytes_ = reserve;
  bytes_ = end;
  return end > 0;
}

bool Comparison::allocate(std::size_t most_bytes) {
  const DeviceMemory* m = device_memory();
  const Driver* d = driver();
  if (m == nullptr || d == nullptr) return false;
  std::size_t free_bytes = 0, all = 0;
  if (m->cuMemGetInfo(&free_bytes, &all) != CUDA_SUCCESS || free_bytes < bytes_ + bytes_ / 4)
    return false;
  constexpr std::size_t share = 8;
  if (bytes_ > most_bytes && (settings().accelerate_bytes_given || bytes_ > free_bytes / share))
    return false;
  if (host_results_ == nullptr) {
    void* pinned = nullptr;
    if (m->cuMemHostAlloc(&pinned, tensors * values_each * sizeof(double),
                          CU_MEMHOSTALLOC_PORTABLE) != CUDA_SUCCESS)
      return false;
    host_results_ = static_cast<double*>(pinned);
  }
  // Events belong to a context, and the next comparison may be in another.
  if (d->cuEventCreate(&begin_, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
      d->cuEventCreate(&end_, CU_EVENT_DEFAULT) != CUDA_SUCCESS)
    return false;
  if (m->cuMemAllocAsync(&buffer_, bytes_, stream_) != CUDA_SUCCESS) {
    buffer_ = 0;
    return false;
  }
  return m->cuMemsetD8Async(buffer_, 0, bytes_, stream_) == CUDA_SUCCESS;
}

// The rest goes on on another stream: behind what is on the one before.
bool Comparison::follow(CUstream stream) {
  if (stream == stream_) return true;
  const Driver* d = driver();
  if (d->cuEventRecord(end_, stream_) != CUDA_SUCCESS ||
      device_memory()->cuStreamWaitEvent(stream, end_, 0) != CUDA_SUCCESS)
    return false;
  stream_ = stream;
  return true;
}

Comparison::Started Comparison::prepare(const Forward& forward,
                                        const spool::Configuration& configuration, Variant variant,
                                        std::size_t most_bytes) {
  if (driver() == nullptr || device_memory() == nullptr) return Started::failed;
  library_ = &forward.library;
  configuration_ = configuration;
  variant_ = variant;
  stream_ = forward.stream;
  has_data_ = has_weights_ = false;
  const bool training = configuration.training != 0;
  status_ = forward.own.status();
  if (forward.own.get() == nullptr) return Started::failed;
  status_ = forward.other.status();
  if (forward.other.get() == nullptr) return Started::refused;
  VariantDescriptor::Sizes sizes[2];
  if (!forward.own.sizes(forward.x, training, sizes[0])) return Started::failed;
  if (!forward.other.sizes(forward.x, training, sizes[1])) {
    status_ = forward.other.status();
    return Started::refused;
  }
  if ((sizes[0].reserve != sizes[1].reserve && !variant.converts) ||
      !same_weights(forward.library, forward.call.handle, forward.own.get(), forward.other.get(),
                    configuration))
    return Started::layout;
  if (!may_take(sizes[1].workspace, sizes[0].workspace) ||
      !may_take(sizes[1].reserve, sizes[0].reserve))
    return Started::memory;
  const std::size_t workspace =
      sizes[0].workspace > sizes[1].workspace ? sizes[0].workspace : sizes[1].workspace;
  const std::size_t reserve =
      sizes[0].reserve > sizes[1].reserve ? sizes[0].reserve : sizes[1].reserve;
  if (!lay_out(configuration, forward.call.weight_bytes, workspace, reserve))
    return Started::failed;
  if (!allocate(most_bytes)) {
    give_up();
    return Started::memory;
  }
  return Started::yes;
}

Comparison::Started Comparison::run(const Forward& forward) {
  const Arguments& call = forward.call;
  const auto mode =
      configuration_.training != 0 ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
  for (int i = 0; i < 2; ++i) {
    status_ = library_->cudnnRNNForward(
        call.handle, i == 0 ? forward.own.get() : forward.other.get(), mode, forward.lengths,
        forward.x, call.at(spool::Pointer::x), forward.y, at(tensors_[y].at[i]), call.h,
        call.at(spool::Pointer::hx), at(tensors_[hy].at[i]), call.c, call.at(spool::Pointer::cx),
        tensors_[cy].elements > 0 ? at(tensors_[cy].at[i]) : nullptr, call.weight_bytes,
        call.at(spool::Pointer::weights), workspace_bytes_, at(workspace_), reserve_bytes_,
        reserve_bytes_ > 0 ? at(reserve_[i]) : nullptr);
    if (status_ == CUDNN_STATUS_SUCCESS) continue;
    give_up();
    return i == 0 ? Started::failed : Started::refused;
  }
  return Started::yes;
}

Comparison::Started Comparison::start(const CudnnLibrary& library, const Arguments& call,
                                      const spool::Configuration& configuration, Variant variant,
                                      CUstream stream, std::size_t most_bytes) {
  using Dropout = VariantDescriptor::Dropout;
  VariantDescriptor own(library, call.handle, call.rnn, {configuration.algo, false}, Dropout::none);
  VariantDescriptor other(library, call.handle, call.rnn, variant, Dropout::none);
  const Forward forward{library, call, own, other, call.x, call.y, call.lengths, stream};
  const Driver* d = driver();
  if (d == nullptr) return Started::failed;
  const Relaxed relaxed(*d);
  const auto prepared = prepare(forward, configuration, variant, most_bytes);
  if (prepared != Started::yes) return prepared;
  d->cuEventRecord(begin_, stream_);
  return run(forward);
}

Comparison::Started Comparison::probe(const CudnnLibrary& library, const Arguments& call,
                                      const spool::Configuration& configuration, Variant variant,
                                      CUstream stream, std::size_t most_bytes, std::int32_t steps) {
  using Dropout = VariantDescriptor::Dropout;
  VariantDescriptor own(library, call.handle, call.rnn, {configuration.algo, false}, Dropout::none);
  VariantDescriptor other(library, call.handle, call.rnn, variant, Dropout::none);
  const FirstSteps inputs(library, call.x, steps), outputs(library, call.y, steps);
  const Driver* d = driver();
  if (d == nullptr || inputs.get() == nullptr || outputs.get() == nullptr) return Started::failed;
  const Relaxed relaxed(*d);
  spool::Configuration first = configuration;
  first.max_seq_length = steps;
  // The lengths on the device are those of the whole call.
  const Forward forward{library, call, own, other, inputs.get(), outputs.get(), nullptr, stream};
  auto started = prepare(forward, first, variant, most_bytes);
  // The first run loads kernels.
  if (started == Started::yes) started = run(forward);
  if (started != Started::yes) return started;
  d->cuEventRecord(begin_, stream_);
  started = run(forward);
  if (started != Started::yes) return started;
  for (auto& tensor : tensors_) tensor.elements = 0;  // nothing to compare
  d->cuEventRecord(end_, stream_);
  return Started::yes;
}

Variant Comparison::variant_at(int index, cudnnRNNDescriptor_t program) const {
  if (index == 1) return variant_;
  // The program's own algorithm here may be another than that of its forward call.
  cudnnRNNAlgo_t own{};
  if (!algorithm_of(*library_, program, own)) return {-1, false};
  // It has no backward pass of its own; frameworks use the standard algorithm's.
  if (own == CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H) own = CUDNN_RNN_ALGO_STANDARD;
  return {own, false};
}

Arguments Comparison::backward_of(const Arguments& forward) const {
  Arguments made = forward;
  made.at(spool::Pointer::dy) = at(tensors_[y].at[0]);
  made.at(spool::Pointer::hy) = made.at(spool::Pointer::cy) = nullptr;  // no gradients of these
  return made;
}

bool Comparison::backward_data(const Arguments& call, CUstream stream) {
  const Driver* d = driver();
  const Relaxed relaxed(*d);
  if (!follow(stream)) return false;
  for (int i = 0; i < 2; ++i) {
    VariantDescriptor descriptor(*library_, call.handle, call.rnn, variant_at(i, call.rnn),
                                 VariantDescriptor::Dropout::none);
    status_ = descriptor.status();
    if (descriptor.get() == nullptr) return false;
    VariantDescriptor::Sizes sizes;
    if (!descriptor.sizes(call.x, true, sizes) || sizes.workspace > workspace_bytes_ ||
        sizes.reserve > reserve_bytes_) {
      status_ = descriptor.status();
      return false;
    }
    status_ = library_->cudnnRNNBackwardData_v8(
        call.handle, descriptor.get(), call.lengths, call.y, at(tensors_[y].at[i]),
        call.at(spool::Pointer::dy), call.x, at(tensors_[dx].at[i]), call.h,
        call.at(spool::Pointer::hx), call.at(spool::Pointer::hy), at(tensors_[dhx].at[i]), call.c,
        call.at(spool::Pointer::cx), call.at(spool::Pointer::cy),
        configuration_.cell == CUDNN_LSTM ? at(tensors_[dcx].at[i]) : nullptr, call.weight_bytes,
        call.at(spool::Pointer::weights), workspace_bytes_, at(workspace_), reserve_bytes_,
        at(reserve_[i]));
    if (status_ != CUDNN_STATUS_SUCCESS) return false;
  }
  has_data_ = true;
  return true;
}

bool Comparison::backward_weights(const Arguments& call, CUstream stream) {
  const Driver* d = driver();
  const Relaxed relaxed(*d);
  if (!follow(stream)) return false;
  for (int i = 0; i < 2; ++i) {
    const VariantDescriptor descriptor(*library_, call.handle, call.rnn, variant_at(i, call.rnn),
                                       VariantDescriptor::Dropout::none);
    status_ = descriptor.status();
    if (descriptor.get() == nullptr) return false;
    // Gradients of weights accumulate, here from 0.
    status_ = library_->cudnnRNNBackwardWeights_v8(
        call.handle, descriptor.get(), CUDNN_WGRAD_MODE_ADD, call.lengths, call.x,
        call.at(spool::Pointer::x), call.h, call.at(spool::Pointer::hx), call.y,
        at(tensors_[y].at[i]), call.weight_bytes, at(tensors_[dw].at[i]), workspace_bytes_,
        at(workspace_), reserve_bytes_, at(reserve_[i]));
    if (status_ != CUDNN_STATUS_SUCCESS) return false;
  }
  has_weights_ = true;
  return true;
}

bool Comparison::finish() {
  const Driver* d = driver();
  const DeviceMemory* m = device_memory();
  const Relaxed relaxed(*d);
  const CUfunction kernel = kernel_in_context(*d, *m);
  if (kernel == nullptr) return false;
  const auto type = configuration_.data_type == CUDNN_DATA_FLOAT      ? ComparedType::float32
                    : configuration_.data_type == CUDNN_DATA_BFLOAT16 ? ComparedType::bfloat16
                                                                      : ComparedType::half;
  for (int t = 0; t < tensors; ++t) {
    auto& tensor = tensors_[t];
    if ((t >= dx && !has_data_) || (t == dw && !has_weights_)) tensor.elements = 0;
    if (tensor.elements == 0) continue;
    CUdeviceptr one = buffer_ + tensor.at[0], other = buffer_ + tensor.at[1];
    CUdeviceptr out =
        buffer_ + results_ + static_cast<std::size_t>(t) * values_each * sizeof(double);
    unsigned long long count = tensor.elements;
    unsigned code = static_cast<unsigned>(type);
    void* arguments[] = {&one, &other, &count, &code, &out};
    constexpr unsigned most_blocks = 512, threads = 256;
    const auto wanted = (tensor.elements + threads - 1) / threads;
    const unsigned blocks = wanted < most_blocks ? static_cast<unsigned>(wanted) : most_blocks;
    if (m->cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream_, arguments, nullptr) !=
        CUDA_SUCCESS)
      return false;
  }
  return m->cuMemcpyDtoHAsync(host_results_, buffer_ + results_,
                              tensors * values_each * sizeof(double), stream_) == CUDA_SUCCESS &&
         d->cuEventRecord(end_, stream_) == CUDA_SUCCESS;
}

bool Comparison::poll(Compared& out) {
  const Driver* d = driver();
  {
    const Relaxed relaxed(*d);
    const CUresult status = d->cuEventQuery(end_);
    if (status == CUDA_ERROR_NOT_READY) return false;
    out = {};
    float milliseconds = 0;
    if (d->cuEventElapsedTime(&milliseconds, begin_, end_) == CUDA_SUCCESS)
      out.device_ns = static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
    out.same = status == CUDA_SUCCESS;
  }
  for (int t = 0; t < tensors && out.same; ++t) {
    if (tensors_[t].elements == 0) continue;
    const double* values = host_results_ + static_cast<std::size_t>(t) * values_each;
    const double reference = values[1], elsewhere = values[2];
    const double difference = values[0] - counts_for_nothing(t);
    float error = 0;
    if (difference > 0)
      error = reference > 0 ? static_cast<float>(__builtin_sqrt(difference / reference)) : 1.0F;
    if (elsewhere > 0) error = HUGE_VALF;
    // A gate or a direction that is wrong is off by 9 % and more: what counts for nothing must stay
    // below that.
    constexpr double most_for_nothing = 0.05 * 0.05;
    if (t == dw && values[0] > 0 && counts_for_nothing(t) > most_for_nothing * reference)
      out.blank = true;
    if (t == dw && values[0] == 0 && reference == 0) out.blank = true;
    if (out.error < 0 || error / limit_of(t) > out.error / out.limit) {
      out.error = error;
      out.limit = limit_of(t);
      out.tensor = names[t];
    }
  }
  out.same = out.same && out.error <= out.limit;
  give_up();
  return true;
}

void Comparison::give_up() {
  const Driver* d = driver();
  const DeviceMemory* m = device_memory();
  if (d == nullptr || m == nullptr) return;
  const Relaxed relaxed(*d);
  if (buffer_ != 0) m->cuMemFreeAsync(buffer_, stream_);
  for (CUevent* event : {&begin_, &end_}) {
    if (*event != nullptr) m->cuEventDestroy(*event);
    *event = nullptr;
  }
  buffer_ = 0;
}

void Comparison::forget() {
  buffer_ = 0;
  begin_ = end_ = nullptr;
  host_results_ = nullptr;
}

}  // namespace rnnadvisor::plugin
