#include "core/cudnn/experiment_data.h"

#include <array>

namespace rnnadvisor {

std::string_view to_string(ExperimentScope scope) {
  constexpr std::array<std::string_view, 4> words = {"inference", "forward_training",
                                                     "training_step", "program_step"};
  const auto index = static_cast<std::size_t>(scope);
  return index < words.size() ? words[index] : "?";
}

std::string_view to_string(Composition composition) {
  constexpr std::array<std::string_view, 5> words = {"single", "layers", "directions", "rows",
                                                     "steps"};
  const auto index = static_cast<std::size_t>(composition);
  return index < words.size() ? words[index] : "?";
}

}  // namespace rnnadvisor
