// What was tried becomes part of the profile.
#pragma once

#include <span>
#include <string>

#include "advisor/whatif/search.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// The profile with one experiment for each trial, and with the configurations that were changed
// (origin `run`) behind its own, each with the timings that are of it alone. Nothing that was there
// is changed or lost; indices stay. `device` is where it was tried and is added if the profile does
// not know it. An experiment whose calls are those of the original names no changed configuration.
Profile with_trials(Profile profile, std::span<const Trial> trials, const DeviceSpec& device);

// One trial that was made in a framework rather than in cuDNN calls: `where` "pytorch", with the
// code that was run. `changed` configurations are added as above.
void add_experiment(Profile& profile, Experiment experiment,
                    std::span<const Configuration> changed);

// The configuration of the profile's program that is this layer: the same cell, sizes and types,
// and as far as there is one the same batch, length and algorithm; -1: none.
int configuration_of_layer(const Profile& profile, const RnnConfig& layer);

// The experiments that another run of the program left in its profile `tried` (`where` "program"),
// each with the configuration of `profile` that is the same layer. Without one an experiment is
// left out.
void add_experiments_of(Profile& profile, const Profile& tried);

}  // namespace rnnadvisor::advisor
