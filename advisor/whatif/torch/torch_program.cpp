#include "advisor/whatif/torch/torch_program.h"

#include <nlohmann/json.hpp>
#include <span>

#include "core/base/embedded.h"

namespace rnnadvisor::embedded {
std::span<const EmbeddedFile> torch_scripts();
}

namespace rnnadvisor::advisor {
namespace {
constexpr std::string_view package = "rnnadvisor_torch/";
}

std::string_view torch_bootstrap() {
  for (const auto& file : embedded::torch_scripts()) {
    if (file.name == "bootstrap.py") return file.text;
  }
  return {};  // cannot be: the build embeds it, and a test asks for it
}

std::string torch_input(std::string_view request) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& file : embedded::torch_scripts()) {
    if (file.name.starts_with(package)) files[std::string(file.name)] = std::string(file.text);
  }
  return files.dump().append("\n").append(request);
}

std::vector<std::pair<std::string_view, std::string_view>> torch_modules() {
  std::vector<std::pair<std::string_view, std::string_view>> files;
  for (const auto& file : embedded::torch_scripts())
    if (file.name != "bootstrap.py") files.emplace_back(file.name, file.text);
  return files;
}

}  // namespace rnnadvisor::advisor
