// The configurations that programs ran: one for each that differs in what cuDNN was asked for, on a
// kind of GPU, under a framework; and what their calls say of them together. The forward and the
// backward pass of one layer are one configuration, also where they ask for different algorithms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/profile/builder.h"

namespace rnnadvisor {

// Whether a profile may hold it: what the reader of configurations takes, no more.
bool can_be_held(const RnnConfig& config);

class ConfigurationTable {
 public:
  explicit ConfigurationTable(ProfileBuilder& builder, Origin origin = Origin::captured)
      : builder_(builder), origin_(origin) {}

  // The index in the profile. Sequence lengths are no part of what makes it distinct: they change
  // with every batch. The configuration has those it was first met with.
  int find(const RnnConfig& config, const ProgramContext& program, int device);
  // The lengths for CallArguments: empty where they are the configuration's own.
  std::vector<int> own_lengths(int index, const RnnConfig& config) const;

  // The configuration of a backward pass: that of its forward pass, with another algorithm where
  // `backward` asks for one. Nothing where the two differ in anything else. A forward pass with
  // which the configuration was met before goes backward as the first one that did; where this one
  // does otherwise it gets a configuration of its own, and the answer differs from `forward`.
  std::optional<int> join(int forward, const RnnConfig& backward);
  // Forward and backward of one reserve that are two configurations nevertheless.
  void join_others(int forward, int backward);

  // What one execution tells beyond its call in the profile. `device_ms` below 0: not timed, or not
  // alone.
  struct Execution {
    int call = -1;  // index into Profile::calls; its configuration may change until finish()
    std::int64_t least_alignment = -1;
    bool device_lengths = false;
    double device_ms = -1;
  };
  void add(const Execution& execution) { executions_.push_back(execution); }
  // A stage that cuDNN refused before anything was executed.
  void refuse(int index, model::Stage stage, int status, const std::string& reason);

  // Writes what was gathered into the configurations of the profile.
  void finish();

 private:
  struct Gathered {
    std::int64_t least_alignment = -1;
    bool any_alignment = false, device_lengths = false, backward = false, executed = false;
    bool joined = false, mixed_algos = false;
    int first = -1;              // the configuration that the forward pass alone leads to
    std::optional<Algo> paired;  // with which its backward pass is called; nothing: not seen yet
    bool succeeded = false;
    std::map<Phase, std::vector<double>> samples_ms;
    std::map<model::Stage, std::pair<int, std::string>> failures;  // the first status and reason
  };
  int add_configuration(Configuration configuration);
  void describe(Configuration& configuration) const;
  void gather(const Execution& execution);
  void write_outcome(Configuration& configuration, const Gathered& gathered) const;

  ProfileBuilder& builder_;
  Origin origin_;
  std::map<std::string, int> known_;
  // By the configuration of the forward pass alone and the algorithm of the backward pass.
  std::map<std::pair<int, Algo>, int> pairs_;
  std::vector<Execution> executions_;
  std::vector<Gathered> gathered_;
};

}  // namespace rnnadvisor
