// rnnadvisor version
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advisor/cli/command_line.h"
#include "advisor/samples/samples.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {

std::string version_json() {
  const nlohmann::ordered_json document = {
      {"schema", 1},
      {"rnnadvisor", RNNADVISOR_VERSION},
      {"runs_on_gpu", static_cast<bool>(RNNADVISOR_HAVE_CUDA)},
      {"profile_schema", rnnprof_schema_version},
      {"rules", advisor::builtin_rules().rules.size()},
      {"devices", shipped_devices().size()},
      {"samples", advisor::sample_profiles().size()},
      {"compiler", __VERSION__},
  };
  return document.dump(2) + '\n';
}

namespace {

int version_command(Context& context, bool json) {
  if (json) {
    context.out << version_json();
    return exit_ok;
  }
  const auto rules = advisor::builtin_rules().rules.size();
  const auto devices = shipped_devices().size();
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
