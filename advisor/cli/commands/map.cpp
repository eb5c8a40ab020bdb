// rnnadvisor map: what runs and how long it takes around a configuration.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/cli/asking.h"
#include "advisor/cli/command_line.h"
#include "advisor/report/maps.h"
#include "advisor/report/words.h"

namespace rnnadvisor::cli {
namespace {

constexpr std::array<Format, 4> map_formats = {Format::text, Format::json, Format::csv,
                                               Format::html};

struct MapArguments {
  ConfigurationOptions configurations;
  OutputOptions output;
  std::string device, axes = std::string(default_axes), layer;
};

std::string write_text(const std::vector<model::ConfigurationMap>& maps,
                       const MapArguments& arguments, const AskedConfigurations& centres,
                       const advisor::TextOptions& options) {
  const std::size_t per_centre = centres.list.empty() ? 1 : maps.size() / centres.list.size();
  std::string out;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto& map = maps[i];
    const bool new_centre = i % per_centre == 0;
    if (new_centre) {
      const auto name = advisor::words::clean(map.here.id);
      out += fmt::format("{}{}{}\n", i == 0 ? "" : "\n", name.empty() ? name : name + ": ",
                         summary(map.here));
      for (const auto& line : map.remarks) out += advisor::words::clean(line) + "\n";
    }
    const auto layer = arguments.layer.empty() ? advisor::first_layer(map)
                                               : *advisor::parse_map_layer(arguments.layer);
    out += advisor::write_map_text(map, layer, options);
  }
  return out;
}

int map_command(Context& context, const MapArguments& arguments) {
  auto targets = resolve_outputs(arguments.output);
  if (!targets) return context.report(targets.error());
  for (const auto& target : *targets) {
    if (std::find(map_formats.begin(), map_formats.end(), target.format) != map_formats.end())
      continue;
    return context.report(usage(fmt::format("a map has no format {}", to_string(target.format)),
                                "use text, json, csv or html"));
  }
  auto centres = read_asked_configurations(arguments.configurations);
  if (!centres) return report_failure(context, centres);
  if (auto writable = check_writable(paths_of(*targets), arguments.output.force,
                                     arguments.configurations.files);
      !writable)
    return context.report(writable.error());
  std::optional<DeviceSpec> device;
  const bool all_known = std::all_of(centres->list.begin(), centres->list.end(),
                                     [](const auto& centre) { return centre.device.has_value(); });
  if (!arguments.device.empty() || !all_known) {
    auto chosen = choose_device(context, arguments.device);
    if (!chosen) return context.report(chosen.error());
    device = std::move(*chosen);
  }
  Result<model::PredictTime> beside;
  if (device) beside = times_beside(arguments.device, *device);
  if (!beside) return context.report(beside.error());
  const auto axes = read_map_axes(arguments.axes);
  if (!axes) return context.report(axes.error());
  const auto maps = make_maps(*centres, *axes, device, *beside, context.services);
  for (const auto& target : *targets) {
    advisor::TextOptions options;
    options.ascii = !context.terminal.utf8;
    if (target.path.empty()) {
      options.width = context.terminal.width;
      options.color = context.color_output();
    }
    const std::string written = target.format == Format::json  ? advisor::write_map_json(maps)
                                : target.format == Format::csv ? advisor::write_map_csv(maps)
                                : target.format == Format::html
                                    ? advisor::write_map_html(maps)
                                    : write_text(maps, arguments, *centres, options);
    if (target.path.empty()) {
      context.out << written;
      context.out.flush();
      continue;
    }
    if (auto result = write_file(target.path, written); !result)
      return context.report(result.error());
    context.note(fmt::format("wrote {}", target.path));
  }
  // What a profile holds was run, and its outcome is known.
  const bool all_run =
      centres->profile ||
      std::none_of(centres->list.begin(), centres->list.end(), [&](const auto& centre) {
        return advisor::why_it_does_not_run(centre.input, centre.recorded,
                                            device ? *device : *centre.device)
            .has_value();
      });
  return all_run ? exit_ok : exit_findings;
}

}  // namespace

void add_map(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "map", "Show what runs, and how fast, around a configuration",
      "Examples:\n"
      "  rnnadvisor map --hidden-size 1001 --batch-size 33 --data-type half --device h200\n"
      "  rnnadvisor map network.toml --axes all -o maps.html\n"
      "  rnnadvisor map network.toml --axes length-batch --layer speedup\n"
      "\n"
      "Sizes around those of the configuration, which is a cell itself: powers of two, the "
      "multiples of 8 and 32 beside its own, one more than those, and where an algorithm ends. "
      "Lines between cells are cliffs: the time changes by more than its interval and the work "
      "explain. The nearest better cell is named. What runs follows from rules that were measured; "
      "times are estimates from what was measured on such a device, or measured themselves where "
      "a profile has them, and absent where neither is known. No GPU is needed. The exit status is "
      "1 "
      "when the configuration itself does not run: cuDNN would refuse it, or its framework stops "
      "with an error.");
  auto arguments = std::make_shared<MapArguments>();
  add_configuration_options(*command, arguments->configurations, context);
  command->get_option("files")->description(
      "configurations: .toml, .jsonl or .json, - for JSON Lines on standard input; models: .onnx, "
      ".keras or .safetensors; or one "
      ".rnnprof, or sample:NAME");
  const auto word_option = [&](const std::string& name, std::string& target,
                               const std::string& description, std::vector<std::string> words) {
    return add_word_option(*command, name, target, description, std::move(words), context)
        ->group(group_output);
  };
  std::vector<std::string> axes, layers, formats;
  for (const auto each : model::all_map_axes) axes.emplace_back(model::to_string(each));
  axes.emplace_back(every_map);
  for (const auto each : advisor::all_map_layers) layers.emplace_back(advisor::to_string(each));
  for (const auto each : map_formats) formats.emplace_back(to_string(each));
  word_option("--axes", arguments->axes, "what changes (default: hidden-batch)", axes);
  word_option("--layer", arguments->layer,
              "text: what each cell shows (default: time, or implementation where few times are "
              "known)",
              layers);
  add_output_options(*command, arguments->output, context, formats, true);
  add_device_option(*command, arguments->device, context);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return map_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
