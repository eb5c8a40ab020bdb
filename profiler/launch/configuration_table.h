// The configurations that programs ran: one for each that differs in what cuDNN was asked for, on a
// kind of GPU, under a framework; and what their calls say of them together.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/profile/builder.h"

namespace rnnadvisor::launch {

class ConfigurationTable {
 public:
  explicit ConfigurationTable(ProfileBuilder& builder) : builder_(builder) {}

  // The index in the profile. Sequence lengths are no part of what makes it distinct: they change
  // with every batch. The configuration has those it was first met with.
  int find(const RnnConfig& config, const ProgramContext& program, int device);
  // The lengths for CallArguments: empty where they are the configuration's own.
  std::vector<int> own_lengths(int index, const RnnConfig& config) const;

  // What one execution tells of its configuration. `device_ms` below 0: not timed, or not alone.
  struct Execution {
    Phase phase = Phase::forward_training;
    int status = 0;
    std::string reason;
    std::int64_t least_alignment = -1;
    bool device_lengths = false;
    double device_ms = -1;
  };
  void add(int index, const Execution& execution);
  // A stage that cuDNN refused before anything was executed.
  void refuse(int index, model::Stage stage, int status, const std::string& reason);
  // Forward and backward of one reserve, which may have been described differently.
  void join(int forward, int backward);

  // Writes what was gathered into the configurations of the profile.
  void finish();

 private:
  struct Gathered {
    std::int64_t least_alignment = -1;
    bool any_alignment = false, device_lengths = false, backward = false, executed = false;
    bool joined = false, mixed_algos = false;
    bool succeeded = false;
    std::map<Phase, std::vector<double>> samples_ms;
    std::map<model::Stage, std::pair<int, std::string>> failures;  // the first status and reason
  };
  void write_outcome(Configuration& configuration, const Gathered& gathered) const;

  ProfileBuilder& builder_;
  std::map<std::string, int> known_;
  std::vector<Gathered> gathered_;
};

}  // namespace rnnadvisor::launch
