#include "gui/models/exporter.h"

#include <QCoreApplication>
#include <QPointer>
#include <QSaveFile>
#include <QThreadPool>

#include "advisor/report/export.h"

namespace rnnadvisor::gui {
namespace {

std::string write(const Document& document, ExportFormat format) {
  const auto& report = document.report();
  switch (format) {
    case ExportFormat::html:
      return advisor::write_html(report);
    case ExportFormat::markdown:
      return advisor::write_markdown(report);
    case ExportFormat::text:
      return advisor::write_text(report);
    case ExportFormat::json:
      return advisor::write_json(report);
    case ExportFormat::sarif:
      return advisor::write_sarif(report);
    case ExportFormat::junit:
      return advisor::write_junit(report);
    case ExportFormat::csv:
      return advisor::write_csv(report);
    case ExportFormat::perfetto:
      return advisor::write_chrome_trace(document.profile());
    case ExportFormat::kernels:
      return advisor::write_kernels_csv(document.profile());
    case ExportFormat::calls:
      return advisor::write_calls_csv(document.profile());
  }
  return {};
}

}  // namespace

void Exporter::start(const DocumentPointer& document, ExportFormat format, const QString& path) {
  cancel();
  path_ = path;
  work_ = std::make_shared<Work>();
  emit started(path);
  QThreadPool::globalInstance()->start(
      [guard = QPointer<Exporter>(this), work = work_, document, format, path] {
        const std::string text = write(*document, format);
        if (work->stop) return;
        QSaveFile file(path);
        // In parts, so that giving up is noticed; only commit() makes a file of it.
        constexpr std::size_t part = std::size_t{8} << 20;
        bool good = file.open(QIODevice::WriteOnly);
        for (std::size_t at = 0; good && at < text.size() && !work->stop; at += part) {
          const auto count = static_cast<qint64>(std::min(part, text.size() - at));
          good = file.write(text.data() + at, count) == count;
        }
        if (work->stop) return;
        const QString problem = good && file.commit() ? QString() : file.errorString();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, work, path, problem] {
              if (!guard || guard->work_ != work) return;
              guard->work_ = nullptr;
              emit guard->ended(path, problem);
            },
            Qt::QueuedConnection);
      });
}

void Exporter::cancel() {
  if (!work_) return;
  work_->stop = true;
  work_ = nullptr;
}

}  // namespace rnnadvisor::gui
