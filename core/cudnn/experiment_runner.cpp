#include "core/cudnn/experiment_runner.h"

#include "core/cudnn/experiment_run.h"

namespace rnnadvisor {

struct ExperimentRunner::State {
  std::unique_ptr<DeviceSession> session;
  std::function<GpuClocks()> read_clocks;
};

ExperimentRunner::ExperimentRunner(std::unique_ptr<State> state) : state_(std::move(state)) {}
ExperimentRunner::~ExperimentRunner() = default;

Result<std::unique_ptr<ExperimentRunner>> ExperimentRunner::create(
    int ordinal, std::function<GpuClocks()> read_clocks) {
  auto state = std::make_unique<State>();
  auto session = DeviceSession::open(ordinal);
  if (!session) return fail(session.error());
  state->session = std::move(*session);
  state->read_clocks = std::move(read_clocks);
  return std::unique_ptr<ExperimentRunner>(new ExperimentRunner(std::move(state)));
}

ExperimentResult ExperimentRunner::run(
    const ExperimentRequest& request,
    const std::function<void(const ExperimentProgress&)>& on_progress) {
  return experiment::ExperimentRun(*state_->session, request, on_progress, state_->read_clocks)
      .run();
}

}  // namespace rnnadvisor
