// rnnadvisor worker: the process in which configurations run on one GPU. Started by `run` and
// `sweep`, not by people.
#include "advisor/cli/command_line.h"

namespace rnnadvisor::cli {

void add_worker(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, "worker", "Run configurations from standard input (internal)", "");
  command->group("");  // hidden
  auto device = std::make_shared<int>(0);
  auto directory = std::make_shared<std::string>();
  command->add_option("--device", *device, "CUDA ordinal")->required();
  command->add_option("--directory", *directory, "where results go")->required();
  command->callback([device, directory, &context] {
    context.action = [device, directory, &context] {
      return context.services.worker(*device, *directory);
    };
  });
}

}  // namespace rnnadvisor::cli
