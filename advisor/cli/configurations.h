// Configurations as commands take them: files, "-" and flags; and the static profile made of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/judge/asked_configuration.h"
#include "core/config/read_config.h"
#include "core/cudnn/machine.h"
#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

struct ConfigurationOptions {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> flags;  // key, value, as typed
  // Hears what a model's file leaves open and what is remarkable about it; may be empty.
  std::function<void(const std::string&)> note = {};
};

// Without files: one configuration from the flags. With files: their configurations, each with the
// flags laid over it: keys are replaced one by one, and what neither file nor flags give follows
// from the others as resolve_defaults() says. The recurrent layers of a model (saved_model.h) are
// such configurations, too; a width that neither its file nor a flag gives is an error.
tl::expected<std::vector<ConfigInput>, std::vector<Error>> read_configurations(
    const ConfigurationOptions& options);

// What `fit` and `map` ask about: configurations, or those of one profile, which is then kept. With
// `call`, which goes with a profile, that of this call alone; -1: all.
struct AskedConfigurations {
  std::vector<advisor::AskedConfiguration> list;  // never empty
  std::optional<Profile> profile;
};
tl::expected<AskedConfigurations, std::vector<Error>> read_asked_configurations(
    const ConfigurationOptions& options, int call = -1);

// Where each of them begins in its file; a configuration made of flags has a position without a
// file.
std::vector<SourcePosition> positions_of(const std::vector<ConfigInput>& configurations);

// --device: a shipped name or a TOML file; empty: the live GPU, else nvidia-h200, and a note says
// which.
Result<DeviceSpec> choose_device(const Context& context, const std::string& name);

// The same as advisor::static_profile(), made here and now by this command.
Profile static_profile(const std::vector<ConfigInput>& configurations, const DeviceSpec& device,
                       const std::string& command_line);

// "#3 encoder, LSTM 2x512 half B32 T100": a configuration of a profile, for people.
std::string configuration_name(const Profile& profile, int configuration);

}  // namespace rnnadvisor::cli
