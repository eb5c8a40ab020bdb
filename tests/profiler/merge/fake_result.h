// Profiles of configurations that were never run, for tests of what is done with results.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/config/read_config.h"
#include "core/device/device_spec.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor {

// What a run of one configuration would have left: its sizes and one timing.
inline Profile fake_result(const ConfigInput& input, Outcome outcome = Outcome::completed) {
  ProfileBuilder builder;
  builder.profile().environment.rnnadvisor_version = "test";
  auto device = find_device("nvidia-h200");
  Configuration configuration;
  configuration.config = input.config;
  configuration.program = input.program;
  configuration.given = input.given;
  configuration.origin = Origin::run;
  configuration.outcome = outcome;
  configuration.device = builder.add_device(*device);
  if (outcome == Outcome::completed) {
    PhaseTiming timing;
    timing.phase = Phase::forward_training;
    timing.ms = {1.5, 1.4, 1.6, 0.96, 7};
    timing.samples_ms = {1.4, 1.5, 1.5, 1.5, 1.5, 1.5, 1.6};
    timing.converged = true;
    configuration.timings.push_back(timing);
  }
  const int index = builder.add_configuration(std::move(configuration));
  RnnCall call;
  call.configuration = index;
  call.host_start_ns = 1000;
  call.host_end_ns = 2000;
  const int added = builder.add_call(call);
  KernelRecord kernel;
  kernel.start_ns = 1100;
  kernel.end_ns = 1900;
  kernel.name = "kernel of " + input.config.id;
  kernel.call = added;
  builder.add_kernel(kernel);
  return builder.finish();
}

inline ConfigInput fake_input(const std::string& id, int batch_size = 8) {
  ConfigInput result;
  result.config.id = id;
  result.config.batch_size = batch_size;
  return result;
}

inline Profile fake_profile(const std::vector<std::pair<std::string, Outcome>>& results) {
  ProfileBuilder builder;
  for (const auto& [id, outcome] : results) builder.append(fake_result(fake_input(id), outcome));
  return builder.finish();
}

inline std::vector<std::string> ids_of(const Profile& profile) {
  std::vector<std::string> list;
  for (const auto& configuration : profile.configurations) list.push_back(configuration.config.id);
  return list;
}

// Every kernel still belongs to the call of the configuration that it names.
inline void expect_consistent(const Profile& profile) {
  ASSERT_EQ(profile.kernels.call.size(), profile.kernels.size());
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const int call = profile.kernels.call[i];
    ASSERT_GE(call, 0);
    ASSERT_LT(call, static_cast<int>(profile.calls.size()));
    const int configuration = profile.calls[static_cast<std::size_t>(call)].configuration;
    ASSERT_GE(configuration, 0);
    ASSERT_LT(configuration, static_cast<int>(profile.configurations.size()));
    EXPECT_EQ(
        profile.text(profile.kernels.name[i]),
        "kernel of " + profile.configurations[static_cast<std::size_t>(configuration)].config.id);
  }
}

}  // namespace rnnadvisor
