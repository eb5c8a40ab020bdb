// rnnadvisor doctor: what this machine has and what therefore works.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/cli/command_line.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word(Permission permission) {
  switch (permission) {
    case Permission::yes:
      return "yes";
    case Permission::no:
      return "no";
    case Permission::unknown:
      return "unknown";
  }
  return "unknown";
}

// One thing a user may want to do, whether it works here, and if not why.
struct Ability {
  std::string what;
  Permission works = Permission::yes;
  std::string reason;
};

const LibraryState* find_library(const MachineReport& machine, std::string_view name) {
  const auto found =
      std::find_if(machine.libraries.begin(), machine.libraries.end(),
                   [&](const LibraryState& library) { return library.name == name; });
  return found == machine.libraries.end() ? nullptr : &*found;
}

// Whether configurations can be run on a GPU here.
Ability running(const MachineReport& machine) {
  Ability running{"run, sweep: run configurations on a GPU", Permission::yes, ""};
  const bool gpu = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                               [](const GpuState& state) { return state.usable; });
  const LibraryState* cudnn = find_library(machine, "cuDNN");
  const auto missing = [&](const std::string& reason) {
    running.works = Permission::no;
    if (!running.reason.empty()) running.reason += "; ";
    running.reason += reason;
  };
  if (!machine.built_with_cuda) {
    missing("this build has no CUDA: build where the CUDA toolkit and cuDNN headers are installed");
  }
  if (!gpu) {
    missing(machine.driver_problem.empty() ? "there is no GPU that can be used"
                                           : machine.driver_problem);
  }
  if (cudnn == nullptr || !cudnn->found) {
    missing(cudnn != nullptr && !cudnn->problem.empty() ? cudnn->problem : "cuDNN was not found");
  }
  return running;
}

std::vector<Ability> abilities(const MachineReport& machine, const Result<std::string>& plugin) {
  std::vector<Ability> list;
  list.push_back({"check, advise, report, export: judge configurations and recorded profiles",
                  Permission::yes, ""});
  list.push_back(running(machine));
  const bool can_run = list.back().works == Permission::yes;
  // Programs bring a cuDNN of their own; without a driver none of them runs.
  const std::string no_profile = !plugin                          ? plugin.error().message
                                 : machine.driver_version.empty() ? machine.driver_problem
                                                                  : std::string();
  list.push_back({"profile: record the programs of others",
                  no_profile.empty() ? Permission::yes : Permission::no, no_profile});
  list.push_back({"kernels of a run (CUPTI tracing)", can_run ? machine.tracing : Permission::no,
                  can_run ? machine.tracing_reason : "nothing can be run"});
  list.push_back({"Tensor Core use from hardware counters",
                  can_run ? machine.counters : Permission::no,
                  can_run ? machine.counters_reason : "nothing can be run"});
  return list;
}

Json to_json(const MachineReport& machine, const Result<std::string>& plugin) {
  Json document = {{"schema", 1},
                   {"rnnadvisor", RNNADVISOR_VERSION},
                   {"built_with_cuda", machine.built_with_cuda},
                   {"driver", machine.driver_version},
                   {"cuda_driver", machine.cuda_driver_version},
                   {"cuda_runtime", machine.cuda_runtime_version},
                   {"driver_problem", machine.driver_problem},
                   {"can_run", running(machine).works == Permission::yes},
                   {"host", machine.host},
                   {"operating_system", machine.operating_system},
                   {"cpu", machine.cpu}};
  document["gpus"] = Json::array();
  for (const auto& gpu : machine.gpus) {
    document["gpus"].push_back({{"ordinal", gpu.ordinal},
                                {"name", to_valid_utf8(gpu.spec.name)},
                                {"device", gpu.spec.id},
                                {"uuid", gpu.uuid},
                                {"compute_capability", fmt::format("{}.{}", gpu.spec.compute_major,
                                                                   gpu.spec.compute_minor)},
                                {"sm_count", gpu.spec.sm_count},
                                {"memory_bytes", gpu.spec.memory_bytes},
                                {"memory_free_bytes", gpu.memory_free},
                                {"usable", gpu.usable},
                                {"problem", gpu.problem}});
  }
  document["libraries"] = Json::array();
  for (const auto& library : machine.libraries) {
    document["libraries"].push_back(
        {{"name", library.name},
         {"found", library.found},
         {"version", library.version},
         {"api_version", library.api_version > 0 ? Json(library.api_version) : Json(nullptr)},
         {"path", to_valid_utf8(library.path)},
         {"found_by", library.found_by},
         {"searched", library.searched},
         {"problem", to_valid_utf8(library.problem)}});
  }
  document["works"] = Json::array();
  for (const auto& ability : abilities(machine, plugin)) {
    document["works"].push_back(
        {{"what", ability.what}, {"works", word(ability.works)}, {"reason", ability.reason}});
  }
  return document;
}

std::string version_of(const LibraryState& library) {
  if (library.api_version == 0) return library.version;
  return library.version.empty()
             ? fmt::format("API version {}", library.api_version)
             : fmt::format("{} (API version {})", library.version, library.api_version);
}

std::string to_text(const MachineReport& machine, const Result<std::string>& plugin) {
  std::string out = "rnnadvisor " RNNADVISOR_VERSION;
  out += machine.built_with_cuda ? ", built with CUDA\n" : ", built without CUDA\n";
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out += fmt::format("  {:<14} {}\n", name, value);
  };
  line("Host", machine.host);
  line("System", machine.operating_system);
  line("CPU", machine.cpu);
  line("Driver",
       machine.driver_version.empty() ? "none: " + machine.driver_problem : machine.driver_version);
  line("CUDA driver", machine.cuda_driver_version);
  line("CUDA runtime", machine.cuda_runtime_version);
  out += "\nGPUs\n";
  if (machine.gpus.empty()) out += "  none\n";
  for (const auto& gpu : machine.gpus) {
    out += fmt::format("  {}  {}, compute capability {}.{}, {} SMs, {} free of {}\n", gpu.ordinal,
                       gpu.spec.name, gpu.spec.compute_major, gpu.spec.compute_minor,
                       gpu.spec.sm_count, format_bytes(static_cast<double>(gpu.memory_free)),
                       format_bytes(static_cast<double>(gpu.spec.memory_bytes)));
    if (!gpu.usable) out += fmt::format("     cannot be used: {}\n", gpu.problem);
  }
  out += "\nLibraries\n";
  for (const auto& library : machine.libraries) {
    if (library.found) {
      out += fmt::format("  {:<14} {}  {}  ({})\n", library.name, version_of(library), library.path,
                         library.found_by);
    } else {
      out += fmt::format("  {:<14} not found\n", library.name);
    }
    if (!library.problem.empty()) out += fmt::format("  {:<14} {}\n", "", library.problem);
    if (!library.found) {
      for (const auto& place : library.searched) {
        out += fmt::format("  {:<14}   looked in {}\n", "", place);
      }
    }
  }
  out += "\nWhat works\n";
  for (const auto& ability : abilities(machine, plugin)) {
    out += fmt::format("  {:<8} {}\n", word(ability.works), ability.what);
    if (!ability.reason.empty()) out += fmt::format("  {:<8} {}\n", "", ability.reason);
  }
  return to_valid_utf8(out);
}

int doctor_command(Context& context, bool json) {
  const auto machine = context.services.inspect_machine();
  const auto plugin = context.services.find_plugin();
  if (json) {
    context.out << to_json(machine, plugin).dump(2, ' ', false, Json::error_handler_t::replace)
                << '\n';
  } else {
    context.out << to_text(machine, plugin);
  }
  return exit_ok;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "doctor", "Say what this machine has and what therefore works",
      "Examples:\n"
      "  rnnadvisor doctor\n"
      "  RNNADVISOR_CUDNN=/opt/cudnn/lib rnnadvisor doctor --json\n"
      "\n"
      "Libraries are looked for in this order: RNNADVISOR_CUDNN, RNNADVISOR_CUPTI or "
      "RNNADVISOR_NVRTC (a file, or the folder that has it), the loader path, the wheels of "
      "the active Python, the CUDA toolkit. The exit status is 0 whatever is missing.");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON")->group(group_output);
  command->callback([json, &context] {
    context.action = [json, &context] { return doctor_command(context, *json); };
  });
}

}  // namespace rnnadvisor::cli
