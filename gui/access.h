// What is painted, for people who do not see it: a role, what is shown, and what is selected, as a
// screen reader asks for them (QAccessible). Widgets that paint themselves derive from Described.
// Everything is called on the thread of the window.
#pragma once

#include <QAccessibleWidget>
#include <QCoreApplication>
#include <QString>

namespace rnnadvisor::gui {

class Described {
 public:
  virtual ~Described() = default;
  virtual QAccessible::Role described_role() const = 0;
  // What is shown, in a sentence or two; never empty.
  virtual QString described_content() const = 0;
  // What is selected or under the keyboard's mark; empty: nothing is.
  virtual QString described_selection() const = 0;
  // Makes the class known to QAccessible; called by constructors.
  static void install();
};

class DescribedInterface : public QAccessibleWidget {
 public:
  DescribedInterface(QWidget* widget, const Described* described)
      : QAccessibleWidget(widget, described->described_role()), described_(described) {}
  QString text(QAccessible::Text what) const override {
    QString selection = described_->described_selection();
    if (what == QAccessible::Value) return selection;
    if (what != QAccessible::Description) return QAccessibleWidget::text(what);
    // What changes comes first, for it is read out when it does.
    const QString content = described_->described_content();
    return selection.isEmpty() ? content
                               : QCoreApplication::translate("Described", "Selected: %1\n%2")
                                     .arg(selection, content);
  }

 private:
  const Described* described_;
};

inline void Described::install() {
  static const bool once = [] {
    QAccessible::installFactory([](const QString& name, QObject* object) -> QAccessibleInterface* {
      // Asked for every class of an object, the most derived first.
      if (object == nullptr || name != QLatin1String(object->metaObject()->className()))
        return nullptr;
      const auto* described = dynamic_cast<const Described*>(object);
      return described != nullptr && object->isWidgetType()
                 ? new DescribedInterface(static_cast<QWidget*>(object), described)
                 : nullptr;
    });
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace rnnadvisor::gui
