// rnnadvisor import: a recording of another tool becomes a .rnnprof file.
#include <fmt/format.h>

#include <filesystem>

#include "advisor/cli/command_line.h"
#include "advisor/samples/samples.h"
#include "core/base/text.h"
#include "profiler/import/open_recording.h"
#include "profiler/profile/file.h"
#include "profiler/profile/recorder.h"

namespace rnnadvisor::cli {
namespace {

struct ImportArguments {
  std::string input, output, device;
  bool force = false;
};

// "trace.json.gz" becomes "trace.rnnprof", in the folder where it is called.
std::string default_output(const std::string& input) {
  auto path = std::filesystem::path(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a folder
  auto name = path.filename().string();
  for (const std::string_view ending :
       {".gz", ".json", ".pt.trace", ".trace", ".xplane.pb", ".log", ".sqlite"})
    if (name.size() > ending.size() && name.ends_with(ending))
      name.resize(name.size() - ending.size());
  return name + ".rnnprof";
}

int import_command(Context& context, const ImportArguments& arguments) {
  const std::string output =
      arguments.output.empty() ? default_output(arguments.input) : arguments.output;
  if (auto writable = check_writable({output}, arguments.force, {arguments.input}); !writable)
    return context.report(writable.error());
  import_trace::ImportOptions options;
  if (!arguments.device.empty()) {
    auto device = find_device(arguments.device);
    if (!device) return context.report(device.error());
    options.device = std::move(*device);
  }
  auto profile = import_trace::import_recording(arguments.input, options);
  if (!profile) return context.report(profile.error());
  profile->environment.command_line = context.command_line;
  if (auto written = write_profile(*profile, output, arguments.force); !written)
    return context.report(written.error());
  for (const auto& note : profile->notes)
    if (note.severity != NoteSeverity::info) context.note(note.text);
  context.note(
      fmt::format("wrote {} with {} of {}", output,
                  plural(static_cast<long long>(profile->calls.size()), "RNN call"),
                  plural(static_cast<long long>(profile->configurations.size()), "configuration")));
  return exit_ok;
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "import", "Make a profile of another tool's recording",
      "Examples:\n"
      "  rnnadvisor import trace.json.gz -o trace.rnnprof\n"
      "  rnnadvisor import log/resnet/ -o ranks.rnnprof\n"
      "  rnnadvisor import /tmp/jax-trace/ -o jax.rnnprof\n"
      "  rnnadvisor advise trace.json.gz\n"
      "\n"
      "Read are traces of torch.profiler (export_chrome_trace(), or a folder of "
      "tensorboard_trace_handler() with a file for each rank), profiles of jax.profiler "
      "(HOST.xplane.pb, or the folder that start_trace() was given) and logs of cuDNN's calls "
      "(CUDNN_LOGLEVEL_DBG=3), plain or compressed with gzip, and databases of Nsight Systems "
      "(nsys export --type sqlite). "
      "What kind of file it is follows from what is in it. Record PyTorch with record_shapes=True: "
      "without it a trace does not tell what layers were given. Every command that takes a profile "
      "opens "
      "such a file directly; import keeps the result.");
  auto arguments = std::make_shared<ImportArguments>();
  add_path_option(*command, "file", arguments->input, "the recording", context)->required();
  add_path_option(*command, "-o,--output", arguments->output,
                  "the profile to write; default: the name of the file with .rnnprof, here",
                  context);
  command
      ->add_option("--device", arguments->device,
                   "the GPU, where the recording does not tell: a name as in check --device")
      ->type_name("GPU");
  command->add_flag("--force", arguments->force, "replace a file that exists")->group(group_output);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return import_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
