#include "advisor/cli/configurations.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "advisor/judge/asked_configuration.h"
#include "advisor/samples/samples.h"
#include "core/base/text.h"
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

}  // namespace

tl::expected<std::vector<ConfigInput>, std::vector<Error>> read_configurations(
    const ConfigurationOptions& options) {
  std::vector<ConfigInput> inputs;
  std::vector<Error> errors;
  if (options.files.empty()) {
    if (options.flags.empty()) {
      return tl::unexpected(std::vector{
          usage("there is no configuration",
                "give a file (.toml, .jsonl, .json, or - for standard input) or flags such as "
                "--cell lstm --hidden-size 1024")});
    }
    ConfigInput input;
    lay_over(options.flags, input, errors);
    resolve_defaults(input);
    inputs.push_back(std::move(input));
  }
  for (const auto& file : options.files) {
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
        return name.ends_with(".rnnprof") || name.starts_with("sample:");
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
