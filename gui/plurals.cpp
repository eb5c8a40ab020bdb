#include "gui/plurals.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QTranslator>

namespace rnnadvisor::gui {
namespace {

// Asked by tr() for every text; a null string means the text as it is written.
class Plurals : public QTranslator {
 public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char*, const char* source, const char*, int count) const override {
    if (count < 0) return {};  // no number
    static const QRegularExpression either(QStringLiteral("\\(([^()|]*)\\|([^()|]*)\\)"));
    static const QRegularExpression ending(QStringLiteral("\\((e?s)\\)"));
    const bool one = count == 1;
    return QString::fromUtf8(source)
        .replace(either, one ? QStringLiteral("\\1") : QStringLiteral("\\2"))
        .replace(ending, one ? QString() : QStringLiteral("\\1"));
  }
};

}  // namespace

void install_plurals() {
  QCoreApplication::installTranslator(new Plurals(QCoreApplication::instance()));
}

}  // namespace rnnadvisor::gui
