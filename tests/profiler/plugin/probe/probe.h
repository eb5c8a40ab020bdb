// The program that is put under the plugin: one mode, one thing that a stranger's program may do.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/profiler/plugin/probe/cudnn_table.h"

namespace probe {

using Arguments = std::vector<std::string>;
using Mode = std::function<int(const Arguments&)>;
std::map<std::string, Mode>& modes();
struct Register {
  Register(const char* name, Mode mode) { modes()[name] = std::move(mode); }
};
#define PROBE_MODE(identifier, name)                                       \
  static int identifier(const ::probe::Arguments&);                        \
  static const ::probe::Register register_##identifier(name, &identifier); \
  static int identifier([[maybe_unused]] const ::probe::Arguments& arguments)

// What the program relies on; it ends with 70 and a line when that does not hold.
#define PROBE_CHECK(condition)                                                           \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::_Exit(70);                                                                    \
    }                                                                                    \
  } while (false)

// The functions that PROBE_THROUGH says: linked (default), handle, user (a library linked to cuDNN
// that was loaded with RTLD_LOCAL).
const Cudnn& cudnn();
// A function of a stand-in, by the name that its library is known by; null where it is not loaded.
template <typename Function>
Function* standin(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return handle == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle, name));
}
// Loads the stand-ins for libcuda and, if told, libcupti as a program's dependencies would be.
void load_cuda();

int thread_count();  // of this process

// One recurrent network with everything that its calls need; memory that is not read.
struct Rnn {
  explicit Rnn(const Cudnn& table, std::int32_t hidden = 64, std::int32_t batch = 4);
  void set(std::int32_t hidden);
  void set_data(std::int32_t steps, const std::vector<int>& lengths, std::int32_t size = 32);
  cudnnStatus_t forward(bool training = false) const;
  cudnnStatus_t backward_data() const;
  cudnnStatus_t backward_weights() const;

  const Cudnn& table;
  cudnnHandle_t handle = nullptr;
  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnRNNDataDescriptor_t x = nullptr, y = nullptr;
  cudnnTensorDescriptor_t h = nullptr, c = nullptr;
  cudnnDropoutDescriptor_t dropout = nullptr;
};

}  // namespace probe
