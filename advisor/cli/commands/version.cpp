// rnnadvisor version
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advisor/cli/command_line.h"
#include "advisor/samples/samples.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

int version_command(Context& context, bool json) {
  const auto rules = advisor::builtin_rules().rules.size();
  const auto devices = shipped_devices().size();
  if (json) {
    const nlohmann::ordered_json document = {
        {"schema", 1},
        {"rnnadvisor", RNNADVISOR_VERSION},
        {"runs_on_gpu", static_cast<bool>(RNNADVISOR_HAVE_CUDA)},
        {"profile_schema", rnnprof_schema_version},
        {"rules", rules},
        {"devices", devices},
        {"samples", advisor::sample_profiles().size()},
        {"compiler", __VERSION__},
    };
    context.out << document.dump(2) << '\n';
    return exit_ok;
  }
  context.out << fmt::format(
      "rnnadvisor {}\n{}\n{} rules, {} devices, {} recorded samples, profile schema {}\n",
      RNNADVISOR_VERSION,
      RNNADVISOR_HAVE_CUDA ? "built with CUDA: can run configurations on a GPU"
                           : "built without CUDA: checks, judges and reports, but runs nothing",
      rules, devices, advisor::sample_profiles().size(), rnnprof_schema_version);
  return exit_ok;
}

}  // namespace

void add_version(CLI::App& app, Context& context) {
  auto* command = add_command(app, "version", "Say what this build is",
                              "`rnnadvisor doctor` says what this machine is.");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON")->group(group_output);
  command->callback([json, &context] {
    context.action = [json, &context] { return version_command(context, *json); };
  });
}

}  // namespace rnnadvisor::cli
