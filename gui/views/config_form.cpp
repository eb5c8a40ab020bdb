#include "gui/views/config_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QSpinBox>
#include <QStyle>
#include <QVBoxLayout>
#include <cmath>
#include <limits>

#include "advisor/sweep/config_fields.h"
#include "core/config/fields.h"
#include "gui/models/config_editor.h"
#include "gui/models/document.h"
#include "gui/views/parts.h"
#include "gui/views/text_size.h"

namespace rnnadvisor::gui {
namespace {

struct Group {
  const char* name;
  std::vector<std::string_view> keys;
  std::vector<std::string_view> where_it_runs;  // in Style::two_columns only
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {QT_TRANSLATE_NOOP("ConfigForm", "Network"),
       {"cell", "hidden_size", "input_size", "num_layers", "direction", "proj_size", "bias_mode",
        "input_mode"},
       {}},
      {QT_TRANSLATE_NOOP("ConfigForm", "Data"),
       {"batch_size", "seq_length", "layout", "padded_io", "seq_lengths"},
       {}},
      {QT_TRANSLATE_NOOP("ConfigForm", "Arithmetic"),
       {"data_type", "math_precision", "math_type", "algo"},
       {"backward_algo"}},
      {QT_TRANSLATE_NOOP("ConfigForm", "Use"),
       {"mode", "dropout", "clip_mode", "clip_left", "clip_right"},
       {"clip_propagate_nan", "dropout_seed", "id"}}};
  return all;
}

// Sliders move by factors; from 64 on they stop at multiples of 8 and from 512 on at multiples of
// 32, so that what misses one is asked for in the field above them.
constexpr int slider_steps_per_doubling = 16, most_doublings = 13, most_layers = 32;

int slider_to_size(int position) {
  const double value = std::exp2(static_cast<double>(position) / slider_steps_per_doubling);
  const int rounded = static_cast<int>(std::lround(value));
  const int stop = rounded < 64 ? 1 : rounded < 512 ? 8 : 32;
  return (rounded + stop / 2) / stop * stop;
}
int size_to_slider(int size) {
  return static_cast<int>(std::lround(std::log2(std::max(1, size)) * slider_steps_per_doubling));
}

}  // namespace

ConfigForm::ConfigForm(Style style, QWidget* parent) : QWidget(parent), style_(style) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(32);
  QVBoxLayout* column = nullptr;
  const std::size_t per_column = style == Style::two_columns ? 2 : groups().size();
  // The longer groups face the shorter ones.
  const std::vector<std::size_t> order = style == Style::two_columns
                                             ? std::vector<std::size_t>{0, 2, 1, 3}
                                             : std::vector<std::size_t>{0, 1, 2, 3};
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % per_column == 0) {
      if (column != nullptr) column->addStretch();
      column = new QVBoxLayout;
      column->setSpacing(6);
      row->addLayout(column, 1);
    } else {
      column->addSpacing(10);
    }
    const Group& group = groups()[order[i]];
    column->addWidget(make_label(QCoreApplication::translate("ConfigForm", group.name), "heading"));
    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(5);
    column->addLayout(form);
    for (const auto key : group.keys) add_field(form, key);
    if (style == Style::two_columns) {
      for (const auto key : group.where_it_runs) add_field(form, key);
    }
  }
  column->addStretch();
}

template <class Member>
QWidget* ConfigForm::make_control(const QString& name, QWidget*& field) {
  const auto tell = [this, name](const QString& value) {
    if (!showing_) emit edited(name, value);
  };
  constexpr bool may_be_absent = std::is_same_v<Member, std::optional<Algo>>;
  if constexpr (std::is_enum_v<Member> || may_be_absent) {
    using Enum = std::conditional_t<may_be_absent, Algo, Member>;
    auto* box = new QComboBox;
    if (may_be_absent) box->addItem(QString());  // as algo
    for (const auto spelling : Spellings<Enum>::values) box->addItem(to_qt(spelling));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(10);
    connect(box, &QComboBox::currentTextChanged, this, tell);
    return field = box;
  } else if constexpr (std::is_same_v<Member, bool>) {
    auto* box = new QCheckBox;
    connect(box, &QCheckBox::toggled, this,
            [tell](bool on) { tell(on ? QStringLiteral("true") : QStringLiteral("false")); });
    return field = box;
  } else if constexpr (std::is_same_v<Member, int>) {
    // What read_config.h takes: a size of at least 1 that an int holds.
    auto* box = new QSpinBox;
    box->setRange(1, std::numeric_limits<int>::max());
    box->setMinimumWidth(84);
    connect(box, &QSpinBox::valueChanged, this,
            [tell](int value) { tell(QString::number(value)); });
    if (style_ == Style::two_columns) return field = box;
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setRange(0, name == QLatin1String("num_layers")
                            ? size_to_slider(most_layers)
                            : slider_steps_per_doubling * most_doublings);
    slider->setAccessibleName(name + QLatin1Char(' ') + tr("slider"));
    connect(slider, &QSlider::sliderPressed, this, [this] { emit drag_began(); });
    connect(slider, &QSlider::sliderReleased, this, [this] { emit drag_ended(); });
    connect(box, &QSpinBox::valueChanged, this, [slider](int value) {
      const QSignalBlocker quiet(slider);
      slider->setValue(size_to_slider(value));
    });
    connect(slider, &QSlider::valueChanged, box,
            [box](int position) { box->setValue(slider_to_size(position)); });
    slider_ = slider;
    return field = box;
  } else if constexpr (std::is_same_v<Member, double>) {
    auto* box = new QDoubleSpinBox;
    const bool share = name == QLatin1String("dropout");
    box->setRange(share ? 0 : -1e6, share ? 0.99 : 1e6);
    box->setSingleStep(share ? 0.05 : 0.5);
    connect(box, &QDoubleSpinBox::valueChanged, this,
            [tell](double value) { tell(QString::number(value)); });
    return field = box;
  } else {
    auto* line = new QLineEdit;
    if (name == QLatin1String("seq_lengths")) line->setPlaceholderText(tr("all seq_length"));
    if (name == QLatin1String("id")) line->setPlaceholderText(tr("none"));
    connect(line, &QLineEdit::editingFinished, this, [tell, line] {
      if (line->isModified()) tell(line->text());
    });
    return field = line;
  }
}

void ConfigForm::add_field(QFormLayout* form, std::string_view wanted) {
  visit_config_fields([&]<class T>(std::string_view key, T RnnConfig::*, std::string_view meaning) {
    if (key != wanted) return;
    const QString name = to_qt(key);
    QWidget* field = nullptr;
    slider_ = nullptr;
    QWidget* control = make_control<T>(name, field);
    control->setAccessibleName(name);
    control->setAccessibleDescription(to_qt(meaning));
    control->setToolTip(to_qt(meaning));
    auto* label = make_label(name, "dim");
    label->setToolTip(to_qt(meaning));
    label->setBuddy(control);
    with_font_of(control, [this, control, label] {
      const QFontMetrics metrics = control->fontMetrics();
      control->setFixedHeight(metrics.height() + 13);
      label->setMinimumHeight(metrics.height() + 13);
      // Fields of all groups begin at one line: after the longest name that this style shows.
      label->setMinimumWidth(metrics.horizontalAdvance(style_ == Style::two_columns
                                                           ? QStringLiteral("clip_propagate_nan ")
                                                           : QStringLiteral("math_precision ")));
    });
    form->addRow(label, field);
    // Below its field, from one side to the other: the more room, the finer.
    if (slider_ != nullptr) form->addRow(slider_);
    fields_[std::string(key)] = {control, label, to_qt(meaning)};
  });
}

void ConfigForm::show_values(const RnnConfig& config) {
  showing_ = true;
  for (const auto& [key, field] : fields_) {
    const QString text = to_qt(advisor::field_text(config, key));
    if (auto* combo = qobject_cast<QComboBox*>(field.control)) {
      combo->setCurrentText(text);
    } else if (auto* check = qobject_cast<QCheckBox*>(field.control)) {
      check->setChecked(text == QLatin1String("true"));
    } else if (auto* number = qobject_cast<QSpinBox*>(field.control)) {
      number->setValue(text.toInt());
    } else if (auto* real = qobject_cast<QDoubleSpinBox*>(field.control)) {
      real->setValue(text.toDouble());
    } else if (auto* line = qobject_cast<QLineEdit*>(field.control); line->text() != text) {
      line->setText(text);
    }
  }
  showing_ = false;
}

QWidget* ConfigForm::control(std::string_view key) const {
  const auto found = fields_.find(key);
  return found == fields_.end() ? nullptr : found->second.control;
}

void ConfigForm::mark(const std::map<std::string, QString, std::less<>>& wrong) {
  for (const auto& [key, field] : fields_) {
    const auto found = wrong.find(key);
    const bool is_wrong = found != wrong.end();
    field.control->setToolTip(is_wrong ? found->second : field.meaning);
    if (field.label->property("look").toString() == QLatin1String(is_wrong ? "error" : "dim"))
      continue;
    set_look(field.label, is_wrong ? "error" : "dim");
    field.label->style()->polish(field.label);
  }
}

}  // namespace rnnadvisor::gui
