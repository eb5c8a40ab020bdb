#include "gui/models/run_problem.h"

#include <QStringList>

#include "advisor/report/words.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {
namespace {

constexpr QLatin1String error_mark("rnnadvisor: "), remedy_mark("remedy: ");

QString clean_sentence(const QString& text) {
  QString clean = to_qt(advisor::words::clean(text.trimmed().toStdString()));
  if (clean.isEmpty()) return clean;
  clean[0] = clean[0].toUpper();
  return clean.endsWith(QLatin1Char('.')) ? clean : clean + QLatin1Char('.');
}

// Remarks come in the same shape, but lead nowhere.
bool is_remark(const QString& line) {
  return line.startsWith(QLatin1String("rnnadvisor: wrote ")) ||
         line.startsWith(QLatin1String("rnnadvisor: interrupted"));
}

}  // namespace

RunProblem parse_run_problem(const QString& errors) {
  RunProblem problem;
  const QStringList lines = errors.split(QLatin1Char('\n'));
  for (qsizetype i = lines.size(); i-- > 0;) {
    if (!lines[i].startsWith(error_mark) || is_remark(lines[i])) continue;
    problem.what = clean_sentence(lines[i].mid(error_mark.size()));
    for (auto n = i + 1; n < lines.size() && lines[n].startsWith(QLatin1String("  ")); ++n) {
      const QString more = lines[n].trimmed();
      if (more.startsWith(remedy_mark))
        problem.remedy = clean_sentence(more.mid(remedy_mark.size()));
    }
    break;
  }
  return problem;
}

}  // namespace rnnadvisor::gui
