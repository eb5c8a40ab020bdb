// The two functions of libtorch_cpu.so that tell whether deterministic algorithms are wanted.
#include <cstdlib>

namespace at {

class __attribute__((visibility("default"))) Context {
 public:
  bool deterministicAlgorithms() const;
};
bool Context::deterministicAlgorithms() const {
  return std::getenv("STANDIN_TORCH_DETERMINISTIC") != nullptr;
}

__attribute__((visibility("default"))) Context& globalContext();
Context& globalContext() {
  static Context context;
  return context;
}

}  // namespace at
