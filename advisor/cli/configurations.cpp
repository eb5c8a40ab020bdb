#include "advisor/cli/configurations.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include "advisor/judge/asked_configuration.h"
#include "advisor/samples/samples.h"
#include "advisor/saved_models/saved_model.h"
#include "core/base/text.h"
#include "core/config/fields.h"
#include "profiler/import/open_recording.h"
#include "profiler/profile/environment.h"

namespace rnnadvisor::cli {
namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

std::string flag_name(std::string_view key) {
  std::string name = "--";
  for (const char c : key == "framework.name" ? std::string_view("framework") : key) {
    name += c == '_' ? '-' : c;
  }
  return name;
}

void lay_over(const Flags& flags, ConfigInput& input, std::vector<Error>& errors) {
  for (const auto& [key, value] : flags) {
    if (auto result = set_field(input, key, value); !result) {
      Error error = std::move(result.error());
      error.message = fmt::format("{}: {}", flag_name(key), error.message);
      if (std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(error);
    }
  }
}

// What a file says of fields that a flag replaces the source of.
void lay_over_file(const Flags& flags, ConfigInput& input, std::vector<Error>& errors) {
  // A projection as wide as the layer says that there is none, whatever the width becomes.
  if (!input.config.has_projection()) forget_given(input, "proj_size");
  // Lengths say how many there are and which is the longest.
  const bool lengths = std::any_of(flags.begin(), flags.end(),
                                   [](const auto& flag) { return flag.first == "seq_lengths"; });
  if (lengths) {
    forget_given(input, "seq_length");
    forget_given(input, "batch_size");
  }
  lay_over(flags, input, errors);
  resolve_defaults(input);
}

std::string field_text(const ConfigInput& input, std::string_view wanted) {
  std::string text;
  visit_config_fields([&](std::string_view key, auto member, std::string_view) {
    if (key != wanted) return;
    using Value = std::remove_cvref_t<decltype(input.config.*member)>;
    if constexpr (std::is_same_v<Value, int>) {
      text = fmt::format("{}", input.config.*member);
    } else if constexpr (std::is_enum_v<Value>) {
      text = to_string(input.config.*member);
    }
  });
  return text;
}

// What layers of a model leave open after the flags, with the names in the model.
using Assumed = std::map<std::string, std::set<std::string>>;

bool is_width(std::string_view key) { return key == "hidden_size" || key == "input_size"; }

// The first width that a layer leaves open, which must come from somewhere; empty: none.
std::string missing_width(const advisor::SavedLayer& layer, const ConfigInput& input) {
  for (const auto& field : layer.open)
    if (is_width(field.key) && !is_given(input, field.key)) return field.key;
  return {};
}

// A width that some layer leaves open is given to those that do, not in place of what others hold.
Flags flags_for(const advisor::SavedLayer& layer, const std::vector<advisor::SavedLayer>& all,
                const Flags& flags) {
  const auto opens = [](const advisor::SavedLayer& of, std::string_view key) {
    return std::any_of(of.open.begin(), of.open.end(),
                       [&](const auto& field) { return field.key == key; });
  };
  Flags own;
  for (const auto& flag : flags)
    if (!is_width(flag.first) || opens(layer, flag.first) ||
        std::none_of(all.begin(), all.end(),
                     [&](const auto& each) { return opens(each, flag.first); }))
      own.push_back(flag);
  return own;
}

// Fields other than widths are assumed, and `assumed` hears so.
void close_open_fields(const advisor::SavedLayer& layer, const ConfigInput& input,
                       Assumed& assumed) {
  for (const auto& field : layer.open) {
    if (is_given(input, field.key)) continue;
    if (field.key == "seq_length" && !input.config.seq_lengths.empty()) continue;
    auto& symbols =
        assumed[fmt::format("{} {}", flag_name(field.key), field_text(input, field.key))];
    if (!field.symbol.empty()) symbols.insert(fmt::format("'{}'", printable(field.symbol)));
  }
}

void read_model(const std::string& file, const ConfigurationOptions& options,
                std::vector<ConfigInput>& inputs, std::vector<Error>& errors) {
  auto model = advisor::read_saved_model(file);
  if (!model) {
    errors.push_back(std::move(model.error()));
    return;
  }
  const auto note = [&](const std::string& text) {
    if (options.note) options.note(printable(fmt::format("{}: {}", file, text)));
  };
  if (model->layers.empty()) {
    Error error = usage(fmt::format("'{}' has no recurrent layer that can be judged", file),
                        "give a model with LSTM, GRU or RNN layers");
    if (!model->holds.empty())
      error.notes.push_back(fmt::format("it holds: {}", fmt::join(model->holds, ", ")));
    for (const auto& remark : model->remarks) error.notes.push_back(printable(remark));
    errors.push_back(std::move(error));
    return;
  }
  const bool named = model->producer.starts_with(model->format);
  note(fmt::format("{}{}, {}", named ? "" : model->format,
                   named || model->producer.empty() ? model->producer : " of " + model->producer,
                   plural(static_cast<long long>(model->layers.size()), "recurrent layer")));
  for (const auto& remark : model->remarks) note(remark);
  Assumed assumed;
  const std::size_t before = inputs.size();
  std::vector<Error> left_out;
  for (const auto& layer : model->layers) {
    ConfigInput input = layer.input;
    lay_over_file(flags_for(layer, model->layers, options.flags), input, errors);
    if (const std::string width = missing_width(layer, input); !width.empty()) {
      left_out.push_back(usage(fmt::format("'{}': layer '{}': the file does not hold its {}", file,
                                           printable(input.config.id), width),
                               fmt::format("give {}", flag_name(width))));
      continue;
    }
    close_open_fields(layer, input, assumed);
    inputs.push_back(input);
    for (const auto& remark : layer.remarks)
      note(fmt::format("layer '{}': {}", printable(input.config.id), remark));
  }
  // Of several layers those are judged that can be.
  if (inputs.size() == before) errors.insert(errors.end(), left_out.begin(), left_out.end());
  for (const auto& each : left_out)
    if (inputs.size() > before)
      note(fmt::format("left out: {}; {} for it", each.message, each.remedy));
  std::vector<std::string> words;
  for (const auto& [word, symbols] : assumed)
    words.push_back(symbols.empty()
                        ? word
                        : fmt::format("{} ({} in the model)", word, fmt::join(symbols, ", ")));
  if (!words.empty())
    note(fmt::format("the file leaves open, and is assumed: {}", fmt::join(words, ", ")));
}

}  // namespace

tl::expected<std::vector<ConfigInput>, std::vector<Error>> read_configurations(
    const ConfigurationOptions& options) {
  std::vector<ConfigInput> inputs;
  std::vector<Error> errors;
  if (options.files.empty()) {
    if (options.flags.empty()) {
      return tl::unexpected(std::vector{
          usage("there is no configuration",
                "give a file (.toml, .jsonl, .json, .onnx, .keras, .safetensors, or - for "
                "standard input) or flags such as "
                "--cell lstm --hidden-size 1024")});
    }
    ConfigInput input;
    lay_over(options.flags, input, errors);
    resolve_defaults(input);
    inputs.push_back(std::move(input));
  }
  for (const auto& file : options.files) {
    if (advisor::names_saved_model(file)) {
      read_model(file, options, inputs, errors);
      continue;
    }
    auto read = read_config_file(file);
    if (!read) {
      errors.insert(errors.end(), read.error().begin(), read.error().end());
      continue;
    }
    if (read->empty()) {
      errors.push_back(usage(fmt::format("'{}' holds no configuration", file), ""));
    }
    for (auto& input : *read) {
      if (!options.flags.empty()) lay_over_file(options.flags, input, errors);
      inputs.push_back(std::move(input));
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return inputs;
}

tl::expected<AskedConfigurations, std::vector<Error>> read_asked_configurations(
    const ConfigurationOptions& options, int call) {
  const auto one = [](Error error) { return tl::unexpected(std::vector{std::move(error)}); };
  const auto& files = options.files;
  AskedConfigurations asked;
  if (std::none_of(files.begin(), files.end(), [](const std::string& name) {
        return name.ends_with(".rnnprof") || name.starts_with("sample:") ||
               import_trace::is_foreign_trace(name);
      })) {
    if (call >= 0) return one(usage("--call goes with a profile", "give a .rnnprof file"));
    auto inputs = read_configurations(options);
    if (!inputs) return tl::unexpected(std::move(inputs.error()));
    for (auto& input : *inputs) asked.list.emplace_back().input = std::move(input);
    return asked;
  }
  if (files.size() > 1) return one(usage("a profile is read alone", "give one profile"));
  if (!options.flags.empty()) {
    return one(usage("options that name a configuration key do not go with a profile",
                     "leave them out, or give the configuration itself"));
  }
  auto profile = advisor::load_profile(files.front());
  if (!profile) return one(std::move(profile.error()));
  const auto calls = profile->calls.size();
  if (call >= 0 && static_cast<std::size_t>(call) >= calls) {
    return one(usage(fmt::format("--call {}: the profile has {}", call,
                                 plural(static_cast<long long>(calls), "call")),
                     calls == 0 ? "leave --call out" : "they are numbered from 0"));
  }
  asked.list =
      advisor::asked_configurations(*profile, call >= 0 ? std::optional(call) : std::nullopt);
  if (asked.list.empty()) {
    return one(usage(fmt::format("'{}' has no configuration that cuDNN ran", files.front()),
                     "give one with calls of cuDNN, or a configuration file"));
  }
  asked.profile = std::move(*profile);
  return asked;
}

std::vector<SourcePosition> positions_of(const std::vector<ConfigInput>& configurations) {
  std::vector<SourcePosition> positions;
  positions.reserve(configurations.size());
  for (const auto& input : configurations) positions.push_back(input.position);
  return positions;
}

Result<DeviceSpec> choose_device(const Context& context, const std::string& name) {
  if (!name.empty()) return find_device(name);
  if (auto live = context.services.live_device()) {
    context.note(
        fmt::format("judging for this machine's {} (--device chooses another)", live->name));
    return std::move(*live);
  }
  auto shipped = find_device("nvidia-h200");
  if (shipped) {
    context.note(
        fmt::format("no GPU here: judging for an {} (--device chooses another)", shipped->name));
  }
  return shipped;
}

std::string configuration_name(const Profile& profile, int configuration) {
  const auto& config = profile.configurations[static_cast<std::size_t>(configuration)].config;
  const auto id = config.id.empty() ? std::string() : printable(config.id) + ", ";
  return fmt::format("#{} {}{}", configuration, id, printable(summary(config)));
}

Profile static_profile(const std::vector<ConfigInput>& configurations, const DeviceSpec& device,
                       const std::string& command_line) {
  Profile profile = advisor::static_profile(configurations, device);
  profile.environment = describe_process(command_line);
  return profile;
}

}  // namespace rnnadvisor::cli
