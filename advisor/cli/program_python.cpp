#include "advisor/cli/program_python.h"

#include <fmt/format.h>

#include "advisor/whatif/torch/torch_program.h"
#include "core/base/output_file.h"

namespace rnnadvisor::cli {

Result<std::string> write_program_python(const std::string& folder,
                                         const std::string& python_path) {
  for (const auto& [name, text] : advisor::torch_modules()) {
    if (auto written = write_file(fmt::format("{}/{}", folder, name), std::string(text),
                                  {.make_folders = true});
        !written)
      return fail(std::move(written.error()));
  }
  return fmt::format("PYTHONPATH={}/in_program{}{}", folder, python_path.empty() ? "" : ":",
                     python_path);
}

}  // namespace rnnadvisor::cli
