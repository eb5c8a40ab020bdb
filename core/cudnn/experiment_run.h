// One experiment from its request to its result. Private to core/cudnn.
//
// In this order: sizes of everybody, groups by memory, data, comparison without dropout where there
// is dropout, and then for each group, with the original in it: memory, data, a checked run, the
// comparison, rounds of samples.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/cudnn/device_session.h"
#include "core/cudnn/experiment_device.h"

namespace rnnadvisor::experiment {

class ExperimentRun {
 public:
  using OnProgress = std::function<void(const ExperimentProgress&)>;
  using ReadClocks = std::function<GpuClocks()>;
  // All arguments must outlive the object.
  ExperimentRun(const DeviceSession& session, const ExperimentRequest& request,
                const OnProgress& on_progress, const ReadClocks& read_clocks);

  ExperimentResult run();

 private:
  using Device = std::unique_ptr<DeviceProgram>;
  struct Variant {
    Device program;        // from its measuring until its group has been timed, or it failed
    bool related = false;  // it computes what the original computes
    bool infers = false;   // where the original trains
    std::string remark;
  };

  // Those that return bool say whether the experiment goes on; the result knows why not.
  void measure_and_time();
  bool know_memory();
  bool fits(const DeviceProgram& original);
  // The variants of an original that does not run: whether they do.
  void run_alone();
  std::vector<std::vector<int>> make_groups(const DeviceProgram& original);
  void make_data();
  bool compare_without_dropout();
  bool time_group(const std::vector<int>& group, std::size_t groups_left);
  bool set_up_variants(const std::vector<int>& group, void* workspace, std::vector<int>& ready);
  bool time_ready(const std::vector<int>& ready, DeviceProgram& original, std::size_t groups_left);
  bool lose(int index, const Failure& failure);

  Attempt<Device> measured_original() const;
  Attempt<void> measure_variant(int index);
  Attempt<Outputs> outputs_without_dropout(const ExperimentVariant& variant,
                                           ExperimentScope scope) const;
  // Memory, data (or random numbers), and a checked run of every scope, once more as a graph where
  // that is wanted. The outputs of the scope that has most.
  Attempt<Outputs> set_up(DeviceProgram& program, void* workspace, const RnnConfig& before,
                          bool mapped, bool graph,
                          const std::vector<ExperimentScope>& scopes) const;
  // What a variant does where the original does `scope`; nothing: it has no such thing.
  static std::optional<ExperimentScope> scope_for(const Variant& variant, ExperimentScope scope);
  std::vector<ExperimentScope> own_scopes(const Variant& variant) const;
  void compare(int index, const Outputs& outputs);
  GpuClocks clocks() const { return read_clocks_ ? read_clocks_() : GpuClocks(); }

  Device device(Program program, const RnnConfig& dropout) const;
  double seconds() const;
  void tell(ExperimentProgress::Kind kind, int variant, int round) const;
  void trying(int variant) const { tell(ExperimentProgress::Kind::trying, variant, 0); }
  Variant& variant(int index) { return variants_[static_cast<std::size_t>(index)]; }
  VariantResult& result(int index) { return result_.variants[static_cast<std::size_t>(index)]; }
  const ExperimentVariant& wanted(int index) const {
    return request_.variants[static_cast<std::size_t>(index)];
  }
  int variant_count() const { return static_cast<int>(variants_.size()); }

  const DeviceSession& session_;
  const ExperimentRequest& request_;
  const OnProgress& on_progress_;
  const ReadClocks& read_clocks_;
  std::chrono::steady_clock::time_point begin_;
  std::vector<ExperimentScope> scopes_;
  ExperimentVariant original_;  // as a variant of itself
  std::vector<Variant> variants_;
  bool looked_at_ = false;  // its numbers are; else it is too large for that
  bool dropout_ = false;    // one of them has some that acts
  std::int64_t free_ = 0, total_ = 0, available_ = 0;  // bytes of device memory; to be taken
  std::optional<Data> data_;
  std::optional<Outputs> before_outputs_, reference_;
  ExperimentResult result_;
};

}  // namespace rnnadvisor::experiment
