// The steps of a profile's program one by one, for people: strips of them, and what one is made of.
#pragma once

#include <memory>
#include <vector>

#include "advisor/report/charts.h"
#include "gui/models/document.h"
#include "profiler/classify/recorded_steps.h"

namespace rnnadvisor::gui {

struct StepStrip {
  QString title;  // whose they are; empty where there is one process
  std::unique_ptr<advisor::chart::Columns> chart;
};
struct StepStrips {
  std::vector<StepStrip> strips;  // the slowest rank first, the first `most`
  QStringList notes;              // what marks an outlier, and what is known of ranks
  static constexpr std::size_t most = 8, most_columns = 300;
};
// Empty where no program was recorded with the kernels of two steps or more.
StepStrips step_strips(const Document& document);

// The step that begins with this call on this device; nothing where there is none.
std::optional<StepPiece> step_of(const Document& document, int device, int call);
// "Step of 12.3 ms: forward 3.10 ms, …, idle 2.80 ms".
QString step_account_text(const Document& document, int device, const StepPiece& step);

}  // namespace rnnadvisor::gui
