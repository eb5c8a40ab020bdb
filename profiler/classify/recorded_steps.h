// The steps of a recorded program one by one, and of a job of several ranks those of each rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/classify/step_parts.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// As step_beginnings() of program_steps.h, of one process; of any where it is below 0.
std::vector<int> step_beginnings(const Profile& profile, int device, int process);

// A step whose kernels were recorded: from the first kernel of the call that begins it to that of
// the call that begins the next one.
struct StepPiece {
  int call = -1;  // index into Profile::calls
  std::int64_t from_ns = 0, to_ns = 0;
  std::int64_t length() const { return to_ns - from_ns; }
};
// When the first kernel of each call began; -1: none was recorded. A pass over the kernels.
std::vector<std::int64_t> first_kernels(const Profile& profile);
std::vector<StepPiece> step_pieces(std::span<const std::int64_t> first_kernels,
                                   const std::vector<int>& beginnings);
// The first steps load libraries and kernels: of six steps or more, two are left out of medians.
inline constexpr std::size_t warm_up_steps = 2;
std::size_t warm_up_of(std::size_t steps);
std::vector<StepPiece> without_warm_up(std::vector<StepPiece> pieces);

struct RecordedStep : StepPiece {
  bool warm_up = false;
  bool outlier = false;  // outlier_bounds() of the other steps that are no warm-up
  // By which its kernels of collectives were longer than the shortest of those that the ranks ran
  // together: it came first, and waited. Below 0: not known.
  double collective_wait_ns = -1;
};
// Those of one process on one device.
struct ProcessSteps {
  int process = -1, device = -1;  // indices into the profile
  std::vector<RecordedStep> steps;
  // Medians of those that are no warm-up: a step, and of it waiting in collectives (below 0: not
  // known) and the rest.
  double median_ns = 0, collective_wait_ns = -1, own_ns = 0;
  double low_ns = 0, high_ns = 0;  // beyond them a step is an outlier
};
struct RecordedSteps {
  std::vector<ProcessSteps> processes;  // those with two steps or more, by rank
  // Of a job of several ranks: whether what each waited in collectives is known, and if not, why.
  enum class Waits { one_rank, known, no_collectives, do_not_match } waits = Waits::one_rank;
  // The rank whose steps take longest without what it waits: the others wait for it. Index into
  // `processes`; -1: not known.
  int slowest = -1;
};
// A pass over the kernels, two where there are collectives.
RecordedSteps recorded_steps(const Profile& profile);

// Kernels of NCCL in which ranks wait for each other; ncclKernel_… is what they were called before
// NCCL 2.19. Not those that send to one rank.
bool is_nccl(std::string_view kernel);
bool is_collective(std::string_view kernel);

// What a step is made of: with `idle_ns` the parts add up to its length.
struct StepTimes {
  PartTimes part_ns{};
  double idle_ns = 0;  // nothing ran
  double length_ns = 0;
};
StepTimes step_times(const Profile& profile, int device, const StepPiece& step,
                     std::span<const NativeRecurrence> recurrences);

}  // namespace rnnadvisor
