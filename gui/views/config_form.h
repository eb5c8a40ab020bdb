// ConfigForm: a control for every parameter of a configuration, in groups, with what it means as a
// hint. It shows values and says what was typed; it decides nothing.
#pragma once

#include <QWidget>
#include <map>
#include <string>

#include "core/config/rnn_config.h"

class QFormLayout;
class QLabel;
class QSlider;

namespace rnnadvisor::gui {

class ConfigForm : public QWidget {
  Q_OBJECT
 public:
  enum class Style {
    one_column,   // beside something else; sizes have sliders
    two_columns,  // alone; also the parameters that matter only where it runs
  };
  explicit ConfigForm(Style style, QWidget* parent = nullptr);

  void show_values(const RnnConfig& config);
  // Of a key, or nullptr.
  QWidget* control(std::string_view key) const;
  // Labels of these keys stand out; the messages about them are elsewhere.
  void mark(const std::map<std::string, QString, std::less<>>& wrong);

 signals:
  void edited(const QString& key, const QString& value);
  // A slider is held, and let go.
  void drag_began();
  void drag_ended();

 private:
  void add_field(QFormLayout* form, std::string_view key);
  template <class Member>
  QWidget* make_control(const QString& name, QWidget*& field);

  Style style_;
  bool showing_ = false;
  QSlider* slider_ = nullptr;  // of the field that is being made
  struct Field {
    QWidget* control = nullptr;
    QLabel* label = nullptr;
    QString meaning;
  };
  std::map<std::string, Field, std::less<>> fields_;
};

}  // namespace rnnadvisor::gui
