#include "advisor/whatif/torch/torch_program.h"

#include <nlohmann/json.hpp>
#include <span>

#include "core/base/embedded.h"

namespace rnnadvisor::embedded {
std::span<const EmbeddedFile> torch_scripts();
}

namespace rnnadvisor::advisor {

std::string_view torch_bootstrap() {
  for (const auto& file : embedded::torch_scripts()) {
    if (file.name == "bootstrap.py") return file.text;
  }
  return {};  // cannot be: the build embeds it, and a test asks for it
}

std::string torch_input(std::string_view request) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& file : embedded::torch_scripts()) {
    if (file.name != "bootstrap.py") files[std::string(file.name)] = std::string(file.text);
  }
  return files.dump().append("\n").append(request);
}

}  // namespace rnnadvisor::advisor
