#include "gui/models/exporter.h"

#include <QPointer>
#include <optional>
#include <utility>

#include "advisor/report/export.h"
#include "core/base/out_of_memory.h"
#include "core/base/output_file.h"
#include "gui/models/background.h"

namespace rnnadvisor::gui {
namespace {

// Reports are one text. Traces and tables, of which a large profile has gigabytes, come in pieces.
// False: the sink ended it.
bool write(const Document& document, ExportFormat format, const advisor::PredictFor& predict_for,
           const std::vector<advisor::ChecklistRow>& checklist, const advisor::TextSink& sink) {
  std::optional<advisor::Report> noted;
  if (!checklist.empty()) noted.emplace(document.report()).checklist = checklist;
  const auto& report = noted ? *noted : document.report();
  switch (format) {
    case ExportFormat::html:
      return sink(advisor::write_html(report, predict_for));
    case ExportFormat::markdown:
      return sink(advisor::write_markdown(report));
    case ExportFormat::text:
      return sink(advisor::write_text(report));
    case ExportFormat::json:
      return sink(advisor::write_json(report));
    case ExportFormat::sarif:
      return sink(advisor::write_sarif(report));
    case ExportFormat::junit:
      return sink(advisor::write_junit(report));
    case ExportFormat::csv:
      return sink(advisor::write_csv(report));
    case ExportFormat::perfetto:
      return advisor::write_chrome_trace(document.profile(), sink);
    case ExportFormat::kernels:
      return advisor::write_kernels_csv(document.profile(), sink);
    case ExportFormat::calls:
      return advisor::write_calls_csv(document.profile(), sink);
  }
  return true;
}

// Nothing is left of what was stopped or failed: only commit() puts the file in its place.
Result<void> write_to(const std::string& path, const Document& document, ExportFormat format,
                      const advisor::PredictFor& predict_for,
                      const std::vector<advisor::ChecklistRow>& checklist,
                      const std::atomic<bool>& stop) {
  if (auto good = document.check_output(to_qt(path)); !good) return good;
  auto file = OutputFile::open(path);
  if (!file) return fail(std::move(file.error()));
  Result<void> written;
  write(document, format, predict_for, checklist, [&](std::string_view text) {
    if (!stop && written) written = file->write(text);
    return !stop && written.has_value();
  });
  if (stop || !written) return written;
  return file->commit();
}

}  // namespace

void Exporter::start(const DocumentPointer& document, ExportFormat format, const QString& path,
                     std::vector<advisor::ChecklistRow> checklist) {
  cancel();
  path_ = path;
  work_ = std::make_shared<Work>();
  emit started(path);
  in_background([guard = QPointer<Exporter>(this), work = work_, document, format, path,
                 predict_for = predict_for_, checklist = std::move(checklist)] {
    const auto written = or_out_of_memory(path.toStdString(), [&] {
      return write_to(path.toStdString(), *document, format, predict_for, checklist, work->stop);
    });
    if (!written && written.error().code == ErrorCode::out_of_memory)
      missing_memory_is_dealt_with();
    if (work->stop) return;
    const QString problem = written ? QString() : to_qt(to_text(written.error()));
    on_window_thread([guard, work, path, problem] {
      if (!guard || guard->work_ != work) return;
      guard->work_ = nullptr;
      emit guard->ended(path, problem);
    });
  });
}

void Exporter::cancel() {
  if (!work_) return;
  work_->stop = true;
  work_ = nullptr;
}

}  // namespace rnnadvisor::gui
