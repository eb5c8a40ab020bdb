// What reaches cuDNN of a layer that was described: the one place that answers which
// algorithms, math type, data type and layout the framework around it asks for, and whether it
// calls cuDNN at all. Commands, facts, reports, maps and the window all ask here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/facts/fact.h"
#include "core/config/program_context.h"
#include "core/config/read_config.h"
#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

struct FrameworkCall {
  // The call: of the layer as it was described where the framework leaves that to the program, or
  // where no call is made. In PyTorch the backward pass may have an algorithm of its own.
  RnnConfig config;
  // Whether cuDNN is called for it; nothing: something that decides is not known.
  std::optional<bool> cudnn = true;
  // The condition that keeps the framework from it: a clause of framework_model.h, "none".
  std::string_view clause = "none";
  // The framework stops with an error in place of running the layer, with cuDNN or without.
  bool stops = false;
  // The framework chooses the algorithm itself, whatever the configuration names.
  bool picks_algo = false;
  // False where how it chooses is not known; `config` then stands for it with the standard one.
  bool algo_known = true;

  bool happens() const { return cudnn != false && !stops; }
};

// Of a layer that was described and not run. Sources: framework_model.h; for PyTorch under autocast
// pytorch/pytorch aten/src/ATen/cudnn/AutocastRNN.cpp @0d0444e43c8845ef5eb43d98bc561ceb2842b99b
// (half, whichever type autocast was asked for). The answer for `config` of an answer is the same.
// Pure; may be called on any thread.
FrameworkCall framework_call(const RnnConfig& config, const ProgramContext& program,
                             const DeviceSpec* device,
                             const std::optional<Version>& cudnn = std::nullopt);

// Of a configuration of a profile; one that was recorded is a call already.
FrameworkCall framework_call(const Subject& subject);

// Why a layer that was described does not run: its framework stops, or cuDNN is expected to refuse
// the call. The one answer for check, --batch, fit and map.
struct DoesNotRun {
  std::string stage;    // "temp_space", "framework"
  std::string because;  // "hidden_size 1088 is above 1024, …"
};
std::optional<DoesNotRun> does_not_run(const FrameworkCall& call, const DeviceSpec& device,
                                       std::optional<Framework> framework);

// Of a configuration that was run as its named framework would not have called it
// (framework_disregarded()): what that framework would call. Nothing for all others.
std::optional<FrameworkCall> call_of_named_framework(const Subject& subject);

// The calls of a layer's neighbours, for maps: what framework_call() says of each. Empty where the
// program says which algorithm it wants, or it is not known how its framework chooses. With
// `recorded`, `here` is a call that was recorded, and stays what it is.
std::function<RnnConfig(const RnnConfig&)> framework_caller(const ProgramContext& program,
                                                            const DeviceSpec& device,
                                                            const RnnConfig& here,
                                                            bool recorded = false);

// A configuration to be judged without running it: the call, its sizes, and beside it what the
// user wrote where that is not what is called. Its device is the first of its profile.
Configuration configuration_to_check(const ConfigInput& input, const DeviceSpec& device);

// What a configuration of a profile was made of, to be judged anew. In a recorded one no key was
// given by a person, and what the program around it cannot set is left out.
ConfigInput input_of(const Configuration& configuration);

// A key that the user gave and that is not followed: the framework asks cuDNN for something else,
// or the key means nothing in such a program (core/config/key_scope.h).
struct IgnoredKey {
  std::string key, given;  // "algo", "persist_static"; "framework.mask", "right_padded"
  std::string used;        // "standard"; empty where nothing is, or it is not known what
  std::string why;         // "PyTorch asks cuDNN for standard"

  bool operator==(const IgnoredKey&) const = default;
};
// In the order of fields.h; empty where all that was given is followed, or nothing is known of it.
// `call`: of the same configuration.
std::vector<IgnoredKey> ignored_keys(const Configuration& configuration, const FrameworkCall& call);
std::vector<IgnoredKey> ignored_keys(const ConfigInput& input, const FrameworkCall& call);
// "algo = persist_static is ignored: PyTorch asks cuDNN for standard."; empty without keys.
std::string ignored_words(const std::vector<IgnoredKey>& keys);

}  // namespace rnnadvisor::advisor
