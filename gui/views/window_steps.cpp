// A step of the program on the timeline.
#include <algorithm>

#include "gui/models/steps.h"
#include "gui/views/main_window.h"
#include "gui/views/view_name.h"

namespace rnnadvisor::gui {

// The step measured, with what it is made of in words.
void MainWindow::show_step(int device, int call) {
  if (!document_) return;
  const auto step = step_of(*document_, device, call);
  if (!step) return;
  {
    const ViewState::Jump jump(state_);
    state_.highlight({});
    go(view_name::timeline);
    state_.select({ItemKind::call, call});
    const auto margin = std::max<std::int64_t>(step->length() / 20, 1000);
    state_.set_visible({step->from_ns - margin, step->to_ns + margin});
    state_.measure(TimeRange{step->from_ns, step->to_ns});
  }
  show_notice(step_account_text(*document_, device, *step));
}

}  // namespace rnnadvisor::gui
