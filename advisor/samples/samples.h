// Recorded profiles and sweep files that travel in the program, and reading a profile or a sweep by
// path or as "sample:NAME". Views are of constants of the program. From any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/sweep/plan.h"
#include "core/base/embedded.h"
#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

std::span<const EmbeddedFile> sample_profiles();  // names end in .rnnprof
std::span<const EmbeddedFile> sample_sweeps();    // names end in .toml

// By name without its ending. An unknown name is an error that lists the known ones and the
// nearest.
Result<std::string_view> find_sample_profile(std::string_view name);
Result<std::string_view> find_sample_sweep(std::string_view name);

// Wherever a command takes a profile: a path, or sample:NAME.
Result<Profile> load_profile(const std::string& path);

// Wherever a command takes a sweep: a path, or sample:NAME.
tl::expected<SweepPlan, std::vector<Error>> load_sweep(const std::string& path);

// "gnmt" of "gnmt.rnnprof".
std::string_view without_ending(std::string_view file_name);

}  // namespace rnnadvisor::advisor
