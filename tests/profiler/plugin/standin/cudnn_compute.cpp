#include "tests/profiler/plugin/standin/cudnn_compute.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace standin {
namespace {

constexpr const char* algorithms[] = {"standard", "persist_static", "persist_dynamic",
                                      "persist_static_small_h"};
constexpr std::uint64_t reserve_magic = 0x52455345525645;

struct Reserve {
  std::uint64_t magic;
  std::int32_t algo, backward;  // how many backward passes ran on it
  std::int64_t converts;
  double x_sum, mask, dy_sum;
};

[[noreturn]] void fault(const char* what, cudnnRNNDescriptor_t rnn) {
  std::fprintf(stderr, "the stand-in for cuDNN: %s (%s)\n", what, algorithms[rnn->algo]);
  std::fflush(stderr);
  _exit(72);
}

bool converts(cudnnRNNDescriptor_t rnn) {
  return rnn->data == CUDNN_DATA_FLOAT && rnn->type == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
}

// "standard=3,persist_static+conversion=1": the number behind an algorithm's name.
double listed(const char* variable, cudnnRNNDescriptor_t rnn, double otherwise) {
  const char* text = std::getenv(variable);
  const std::string name =
      std::string(algorithms[rnn->algo]) + (converts(rnn) ? "+conversion=" : "=");
  while (text != nullptr) {
    if (std::strncmp(text, name.c_str(), name.size()) == 0) return std::atof(text + name.size());
    text = std::strchr(text, ',');
    if (text != nullptr) ++text;
  }
  return otherwise;
}

// As if another order of additions had rounded otherwise; STANDIN_WRONG makes an algorithm wrong.
float rounding(cudnnRNNDescriptor_t rnn) {
  return 1 + static_cast<float>(rnn->algo) * 2e-5F + (converts(rnn) ? 4e-4F : 0) +
         static_cast<float>(listed("STANDIN_WRONG", rnn, 0));
}
float rounding_backward(cudnnRNNDescriptor_t rnn) {
  return rounding(rnn) + static_cast<float>(listed("STANDIN_WRONG_GRADIENTS", rnn, 0));
}

std::size_t elements(cudnnRNNDataDescriptor_t d) {
  return static_cast<std::size_t>(d->steps) * static_cast<std::size_t>(d->batch) *
         static_cast<std::size_t>(d->size);
}

bool unequal(cudnnRNNDataDescriptor_t d) {
  for (const int length : d->lengths)
    if (length != d->steps) return true;
  return false;
}

double sum_of(const void* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum +=
        static_cast<double>(static_cast<const float*>(values)[i]) * static_cast<double>(i % 7 + 1);
  return sum;
}

std::size_t states(cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x) {
  return static_cast<std::size_t>(rnn->layers) * static_cast<std::size_t>(x->batch) *
         static_cast<std::size_t>(rnn->hidden);
}

void check_space(cudnnRNNDescriptor_t rnn, std::size_t bytes, void* workspace,
                 std::initializer_list<const void*> pointers) {
  if (bytes < workspace_of(rnn)) fault("the workspace is too small", rnn);
  std::memset(workspace, 0xab, workspace_of(rnn));
  // With conversion a layer's tensors are float, and kernels of half values see copies of them.
  const std::uintptr_t least = rnn->algo == CUDNN_RNN_ALGO_STANDARD || converts(rnn) ? 4 : 16;
  for (const void* pointer : pointers)
    if (reinterpret_cast<std::uintptr_t>(pointer) % least != 0) fault("misaligned address", rnn);
}

Reserve* reserve_at(cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x, std::size_t bytes,
                    void* reserve) {
  if (bytes < reserve_of(rnn, x)) fault("the reserve is too small", rnn);
  auto* found = static_cast<Reserve*>(reserve);
  if (found->magic != reserve_magic) fault("a reserve that no forward call filled", rnn);
  // As cuDNN 9.19 does where neither of the two converts (docs/accelerate.md), if
  // STANDIN_SHARES_RESERVES is set; a program that means to do so is rather wrong.
  const bool shared =
      getenv("STANDIN_SHARES_RESERVES") != nullptr && found->converts == 0 && !converts(rnn);
  if (!shared && (found->algo != rnn->algo || found->converts != (converts(rnn) ? 1 : 0)))
    fault("a reserve that another algorithm filled", rnn);
  return found;
}

}  // namespace

bool computes() {
  static const bool on = std::getenv("STANDIN_COMPUTES") != nullptr;
  return on;
}

cudnnStatus_t accepts(cudnnRNNDescriptor_t rnn) {
  if (rnn->algo == CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H && rnn->hidden > 64)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "hiddenSize > 64");
  return CUDNN_STATUS_SUCCESS;
}
std::size_t workspace_of(cudnnRNNDescriptor_t rnn) {
  return 4096 * (1 + static_cast<std::size_t>(rnn->algo)) +
         (static_cast<std::size_t>(listed("STANDIN_WORKSPACE_GIB", rnn, 0)) << 30);
}
std::size_t reserve_of(cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x) {
  return sizeof(Reserve) + (converts(rnn) ? 72 : 64) * states(rnn, x) + 4 * elements(x);
}
std::size_t weight_bytes_of(cudnnRNNDescriptor_t rnn) {
  // STANDIN_OTHER_LAYOUT names an algorithm with another layout of its weights.
  const char* odd = std::getenv("STANDIN_OTHER_LAYOUT");
  const bool other = odd != nullptr && std::strcmp(odd, algorithms[rnn->algo]) == 0;
  return sizeof(float) * (static_cast<std::size_t>(rnn->hidden) * 8 + (other ? 16 : 0));
}
double milliseconds_of(cudnnRNNDescriptor_t rnn) { return listed("STANDIN_MS", rnn, 1.5); }
double milliseconds_after(cudnnRNNDescriptor_t rnn) { return listed("STANDIN_AFTER_MS", rnn, 0); }

cudnnStatus_t compute(const Forward& f) {
  const auto* rnn = f.rnn;
  if (unequal(f.x_desc) && rnn->algo != CUDNN_RNN_ALGO_STANDARD)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "sequences of several lengths");
  if (listed("STANDIN_REFUSES_FORWARD", f.rnn, 0) != 0)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "not today");
  check_space(f.rnn, f.workspace_bytes, f.workspace, {f.x, f.y, f.weights, f.reserve, f.hx, f.cx});
  const std::size_t inputs = elements(f.x_desc), outputs = elements(f.y_desc);
  const double weights = sum_of(f.weights, f.weight_bytes / sizeof(float));
  double mask = 1;
  if (rnn->dropout != nullptr && rnn->dropout->dropout > 0 && f.training) {
    // The states live in memory that the program gave, and each call draws from them.
    auto* drawn = static_cast<std::uint64_t*>(rnn->dropout->states);
    mask = 1 + 0.25 * static_cast<double>(++*drawn % 3);
  }
  const double state = f.hx == nullptr ? 0 : sum_of(f.hx, states(f.rnn, f.x_desc));
  const float scale = rounding(f.rnn);
  for (std::size_t i = 0; i < outputs; ++i) {
    double in = static_cast<double>(static_cast<const float*>(f.x)[i % inputs]);
    constexpr double largest_half = 65504;
    if (converts(f.rnn) && std::fabs(in) > largest_half) in = HUGE_VAL;
    static_cast<float*>(f.y)[i] =
        static_cast<float>(std::sin(in + weights * 1e-3 + state * 1e-4) * mask) * scale;
  }
  for (void* out : {f.hy, f.cy})
    for (std::size_t i = 0; out != nullptr && i < states(f.rnn, f.x_desc); ++i)
      static_cast<float*>(out)[i] = static_cast<float*>(f.y)[i % outputs] * 0.5F;
  if (!f.training) return CUDNN_STATUS_SUCCESS;
  if (f.reserve_bytes < reserve_of(f.rnn, f.x_desc)) fault("the reserve is too small", f.rnn);
  *static_cast<Reserve*>(f.reserve) = {reserve_magic,       rnn->algo, 0, converts(f.rnn) ? 1 : 0,
                                       sum_of(f.x, inputs), mask,      0};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t compute(const BackwardData& b) {
  check_space(b.rnn, b.workspace_bytes, b.workspace, {b.y, b.dy, b.dx, b.reserve, b.weights});
  Reserve* reserve = reserve_at(b.rnn, b.x_desc, b.reserve_bytes, b.reserve);
  ++reserve->backward;
  const std::size_t outputs = elements(b.y_desc);
  reserve->dy_sum = sum_of(b.dy, outputs);
  const double y = sum_of(b.y, outputs);
  const float scale = rounding_backward(b.rnn);
  for (std::size_t i = 0; i < elements(b.x_desc); ++i) {
    const double dy = static_cast<double>(static_cast<const float*>(b.dy)[i % outputs]);
    static_cast<float*>(b.dx)[i] =
        static_cast<float>(dy * (std::cos(y * 1e-4 + reserve->x_sum * 1e-4) + 2) * reserve->mask) *
        scale;
  }
  for (void* out : {b.dhx, b.dcx})
    for (std::size_t i = 0; out != nullptr && i < states(b.rnn, b.x_desc); ++i)
      static_cast<float*>(out)[i] = static_cast<float*>(b.dx)[i % elements(b.x_desc)] * 0.25F;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t compute(const BackwardWeights& b) {
  check_space(b.rnn, b.workspace_bytes, b.workspace, {b.x, b.dw, b.reserve});
  const Reserve* reserve = reserve_at(b.rnn, b.x_desc, b.reserve_bytes, b.reserve);
  if (reserve->backward == 0)
    fault("no backward pass of the data before that of the weights", b.rnn);
  const std::size_t inputs = elements(b.x_desc);
  const float scale = reserve->dy_sum == 0 ? 0 : rounding(b.rnn);
  for (std::size_t i = 0; i < b.weight_bytes / sizeof(float); ++i) {
    const double x = static_cast<double>(static_cast<const float*>(b.x)[i % inputs]);
    static_cast<float*>(b.dw)[i] +=
        static_cast<float>((x * 0.5 + std::cos(reserve->x_sum * 1e-4)) * reserve->mask) * scale;
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace standin
