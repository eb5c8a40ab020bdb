#include "gui/views/explorer_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <array>
#include <cmath>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/fields.h"
#include "gui/models/exploration_pages.h"
#include "gui/models/overview_charts.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

constexpr int most_size = 1 << 20;

struct Group {
  const char* name;
  std::vector<std::string_view> keys;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {QT_TRANSLATE_NOOP("Explorer", "Network"),
       {"cell", "hidden_size", "input_size", "num_layers", "direction", "proj_size", "bias_mode",
        "input_mode"}},
      {QT_TRANSLATE_NOOP("Explorer", "Data"),
       {"batch_size", "seq_length", "layout", "padded_io", "seq_lengths"}},
      {QT_TRANSLATE_NOOP("Explorer", "Arithmetic"),
       {"data_type", "math_precision", "math_type", "algo"}},
      {QT_TRANSLATE_NOOP("Explorer", "Use"),
       {"mode", "dropout", "clip_mode", "clip_left", "clip_right"}}};
  return all;
}

// Sliders move by factors; from 64 on they stop at multiples of 8, so that what misses one is asked
// for in the field beside them.
int slider_to_size(int position) {
  const double value = std::exp2(position / 8.0);
  const int rounded = static_cast<int>(std::lround(value));
  return rounded < 64 ? rounded : (rounded + 4) / 8 * 8;
}
int size_to_slider(int size) {
  return static_cast<int>(std::lround(std::log2(std::max(1, size)) * 8));
}

template <class Member>
QString text_of(const Member& value) {
  if constexpr (std::is_same_v<Member, bool>) {
    return value ? QStringLiteral("true") : QStringLiteral("false");
  } else if constexpr (std::is_enum_v<Member>) {
    return to_qt(to_string(value));
  } else if constexpr (std::is_same_v<Member, std::vector<int>>) {
    QStringList numbers;
    for (const int n : value) numbers << QString::number(n);
    return numbers.join(QLatin1Char(','));
  } else if constexpr (std::is_same_v<Member, std::string>) {
    return to_qt(value);
  } else {
    return QString::number(value);
  }
}

}  // namespace

ExplorerView::ExplorerView(QWidget* parent) : View(parent) {
  const auto shipped = shipped_devices();
  devices_.assign(shipped.begin(), shipped.end());
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].id == "nvidia-h200") device_ = static_cast<int>(i);
  }
  input_.config.data_type = DataType::half;
  input_.config.math_type = MathType::tensor_op;
  input_.config.hidden_size = 1024;
  set_ = {"data_type", "math_type", "hidden_size"};
  resolve_defaults(input_.config, std::vector<std::string_view>(set_.begin(), set_.end()));

  auto* side = new QScrollArea;
  side->setWidgetResizable(true);
  side->setFrameShape(QFrame::NoFrame);
  side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  side->setMinimumWidth(330);
  auto* panel = new QWidget;
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(18, 16, 18, 16);
  column->setSpacing(6);
  add_controls(column);
  side->setWidget(panel);

  auto* right = new QWidget;
  auto* results = new QVBoxLayout(right);
  results->setContentsMargins(0, 12, 0, 0);
  results->setSpacing(6);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(18, 0, 18, 0);
  title_ = make_label({}, "headline");
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  top->addWidget(title_, 1);
  hold_ = new QPushButton(tr("Compare"));
  hold_->setToolTip(tr("Keeps this configuration beside the ones that follow"));
  auto* copy = new QPushButton(tr("Copy"));
  auto* run = new QPushButton(tr("Run…"));
  copy->setToolTip(tr("Copies a command that judges this configuration"));
  run->setToolTip(tr("Runs it on the GPU of this machine and records a profile"));
  for (auto* button : {hold_, copy, run}) top->addWidget(button);
  results->addLayout(top);

  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  verdict_ = new PageBrowser;
  gemms_ = new PageBrowser;
  limits_ = new PageBrowser;
  tabs_->addTab(verdict_, tr("Verdict"));
  tabs_->addTab(limits_, tr("Why not persistent"));
  tabs_->addTab(gemms_, tr("Products"));
  auto* charts = new QWidget;
  auto* stack = new QVBoxLayout(charts);
  stack->setContentsMargins(14, 4, 18, 14);
  stack->setSpacing(12);
  roofline_ = new ChartWidget;
  times_ = new ChartWidget;
  memory_ = new ChartWidget;
  memory_note_ = make_label({}, "small");
  memory_note_->setWordWrap(true);
  const std::array<std::pair<QString, QWidget*>, 3> cards = {
      {{tr("Roofline"), roofline_},
       {tr("Time it cannot go below"), times_},
       {tr("Memory"), memory_}}};
  for (const auto& [name, chart] : cards) {
    auto* card = new Card(name);
    chart->setAccessibleName(name);
    card->body()->addWidget(chart);
    if (chart == memory_) card->body()->addWidget(memory_note_);
    stack->addWidget(card);
  }
  stack->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(charts);
  auto* split = new QSplitter;
  split->addWidget(tabs_);
  split->addWidget(scroll);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setSizes({560, 420});
  split->setChildrenCollapsible(false);
  results->addWidget(split, 1);

  auto* outer = new QSplitter;
  outer->addWidget(side);
  outer->addWidget(right);
  outer->setStretchFactor(1, 1);
  outer->setSizes({340, 980});
  outer->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(outer);

  connect(tabs_, &QTabWidget::currentChanged, this, [this] { show_results(); });
  for (auto* page : {verdict_, gemms_, limits_})
    connect(page, &PageBrowser::link_activated, this, &View::link_activated);
  connect(hold_, &QPushButton::clicked, this, [this] { held_ ? release() : hold(); });
  connect(copy, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(command_of(input_, device(), QStringLiteral("check")));
  });
  connect(run, &QPushButton::clicked, this, [this] { emit run_requested(input_); });
}

void ExplorerView::add_controls(QVBoxLayout* column) {
  column->addWidget(make_label(tr("Device"), "heading"));
  device_box_ = new QComboBox;
  device_box_->setAccessibleName(tr("Device"));
  for (const auto& device : devices_) device_box_->addItem(to_qt(device.name));
  device_box_->setCurrentIndex(device_);
  connect(device_box_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (filling_ || index < 0) return;
    device_ = index;
    changed();
  });
  column->addWidget(device_box_);
  for (const auto& group : groups()) {
    column->addSpacing(10);
    column->addWidget(make_label(QCoreApplication::translate("Explorer", group.name), "heading"));
    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(5);
    column->addLayout(form);
    for (const auto wanted : group.keys) {
      visit_config_fields([&]<class T>(std::string_view key, T RnnConfig::*,
                                       std::string_view meaning) {
        if (key != wanted) return;
        const QString name = to_qt(key);
        QWidget* field = nullptr;
        QWidget* control = nullptr;
        if constexpr (std::is_enum_v<T>) {
          auto* box = new QComboBox;
          for (const auto spelling : Spellings<T>::values) box->addItem(to_qt(spelling));
          connect(box, &QComboBox::currentTextChanged, this,
                  [this, name](const QString& text) { set_parameter(name, text); });
          box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
          box->setMinimumContentsLength(10);
          field = control = box;
        } else if constexpr (std::is_same_v<T, bool>) {
          auto* box = new QCheckBox;
          connect(box, &QCheckBox::toggled, this, [this, name](bool on) {
            set_parameter(name, on ? QStringLiteral("true") : QStringLiteral("false"));
          });
          field = control = box;
        } else if constexpr (std::is_same_v<T, int>) {
          auto* row = new QWidget;
          auto* layout = new QHBoxLayout(row);
          layout->setContentsMargins(0, 0, 0, 0);
          layout->setSpacing(8);
          auto* box = new QSpinBox;
          box->setRange(1, most_size);
          box->setMinimumWidth(84);
          auto* slider = new QSlider(Qt::Horizontal);
          slider->setRange(0, key == "num_layers" ? 32 : 8 * 13);
          slider->setAccessibleName(name + QLatin1Char(' ') + tr("slider"));
          connect(box, &QSpinBox::valueChanged, this, [this, name, slider](int value) {
            const QSignalBlocker quiet(slider);
            slider->setValue(size_to_slider(value));
            set_parameter(name, QString::number(value));
          });
          connect(slider, &QSlider::valueChanged, box,
                  [box](int position) { box->setValue(slider_to_size(position)); });
          layout->addWidget(box);
          layout->addWidget(slider, 1);
          field = row;
          control = box;
        } else if constexpr (std::is_same_v<T, double>) {
          auto* box = new QDoubleSpinBox;
          const bool share = key == "dropout";
          box->setRange(share ? 0 : -1e6, share ? 0.99 : 1e6);
          box->setSingleStep(share ? 0.05 : 0.5);
          connect(box, &QDoubleSpinBox::valueChanged, this,
                  [this, name](double value) { set_parameter(name, QString::number(value)); });
          field = control = box;
        } else {
          auto* line = new QLineEdit;
          line->setPlaceholderText(tr("all seq_length"));
          connect(line, &QLineEdit::editingFinished, this,
                  [this, name, line] { set_parameter(name, line->text()); });
          field = control = line;
        }
        control->setAccessibleName(name);
        control->setToolTip(to_qt(meaning));
        auto* label = make_label(name, "dim");
        label->setToolTip(to_qt(meaning));
        label->setBuddy(control);
        label->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("math_precision ")));
        form->addRow(label, field);
        controls_.emplace(std::string(key), control);
      });
    }
  }
  column->addStretch();
  fill_controls();
}

void ExplorerView::fill_controls() {
  filling_ = true;
  visit_config_fields([&]<class T>(std::string_view key, T RnnConfig::* member, std::string_view) {
    const auto found = controls_.find(key);
    if (found == controls_.end()) return;
    const auto& value = input_.config.*member;
    QWidget* control = found->second;
    if (auto* combo = qobject_cast<QComboBox*>(control)) {
      combo->setCurrentText(text_of(value));
    } else if (auto* check = qobject_cast<QCheckBox*>(control)) {
      check->setChecked(text_of(value) == QLatin1String("true"));
    } else if (auto* number = qobject_cast<QSpinBox*>(control)) {
      number->setValue(text_of(value).toInt());
    } else if (auto* real = qobject_cast<QDoubleSpinBox*>(control)) {
      real->setValue(text_of(value).toDouble());
    } else if (auto* line = qobject_cast<QLineEdit*>(control)) {
      line->setText(text_of(value));
    }
  });
  device_box_->setCurrentIndex(device_);
  filling_ = false;
}

QWidget* ExplorerView::first_focus() {
  const auto found = controls_.find("hidden_size");
  return found == controls_.end() ? nullptr : found->second;
}

QString ExplorerView::table_text() const {
  const auto* page = qobject_cast<const PageBrowser*>(tabs_->currentWidget());
  return page != nullptr ? page->toPlainText() : QString();
}

void ExplorerView::set_rules(std::shared_ptr<const advisor::RuleSet> rules) {
  rules_ = std::move(rules);
  changed();
}

bool ExplorerView::set_parameter(const QString& key, const QString& value) {
  if (filling_) return true;
  ConfigInput next = input_;
  const std::string name = key.toStdString();
  if (name == "seq_lengths" && value.trimmed().isEmpty()) {
    next.config.seq_lengths.clear();
  } else if (!set_field(next, name, value.toStdString())) {
    fill_controls();
    return false;
  }
  set_.insert(name);
  if (name == "seq_lengths") {
    // The lengths say how many sequences there are, and how long the longest is.
    set_.erase("batch_size");
    set_.erase("seq_length");
    if (next.config.seq_lengths.empty()) set_.insert({"batch_size", "seq_length"});
  }
  if ((name == "batch_size" || name == "seq_length") && !next.config.seq_lengths.empty())
    next.config.seq_lengths.clear();
  // A size equal to the hidden size follows it.
  if (name == "hidden_size") {
    if (input_.config.input_size == input_.config.hidden_size) set_.erase("input_size");
    if (input_.config.proj_size == input_.config.hidden_size) set_.erase("proj_size");
  }
  if (name == "data_type") set_.erase("math_precision");
  if (name == "layout") set_.erase("padded_io");
  resolve_defaults(next.config, std::vector<std::string_view>(set_.begin(), set_.end()));
  input_ = std::move(next);
  fill_controls();
  changed();
  return true;
}

void ExplorerView::show_configuration(const ConfigInput& input, const DeviceSpec& device,
                                      const std::optional<RnnConfig>& changed_config) {
  const auto same = std::find_if(devices_.begin(), devices_.end(),
                                 [&](const auto& d) { return d.id == device.id; });
  if (same != devices_.end()) {
    device_ = static_cast<int>(same - devices_.begin());
  } else {
    devices_.push_back(device);
    filling_ = true;
    device_box_->addItem(to_qt(device.name));
    filling_ = false;
    device_ = static_cast<int>(devices_.size()) - 1;
  }
  input_ = input;
  set_.clear();
  visit_config_fields([&](std::string_view key, auto, std::string_view) { set_.emplace(key); });
  release();
  if (changed_config) {
    changed();
    hold();
    input_.config = *changed_config;
  }
  fill_controls();
  changed();
}

void ExplorerView::hold() {
  if (!now_.document) return;
  held_ = now_;
  hold_->setText(tr("Stop comparing"));
  show_results();
}

void ExplorerView::release() {
  held_.reset();
  hold_->setText(tr("Compare"));
  if (now_.document) show_results();
}

void ExplorerView::changed() {
  if (!rules_) return;
  now_ = explore(input_, device(), rules_);
  input_.config.algo = now_.config().algo;
  if (const auto algo = controls_.find("algo"); algo != controls_.end()) {
    algo->second->setEnabled(!now_.framework_chooses);
    algo->second->setToolTip(now_.framework_chooses
                                 ? tr("The program is one of PyTorch, which chooses the algorithm")
                                 : QString());
    filling_ = true;
    static_cast<QComboBox*>(algo->second)->setCurrentIndex(static_cast<int>(input_.config.algo));
    filling_ = false;
  }
  show_results();
}

void ExplorerView::set_theme(const Theme& theme) {
  theme_ = theme;
  for (auto* chart : {roofline_, times_, memory_}) chart->set_theme(theme);
  if (now_.document) show_results();
}

void ExplorerView::show_results() {
  if (!now_.document) return;
  const auto& report = now_.report();
  title_->setText(to_qt(report.summary));
  title_->setToolTip(title_->text());
  // Only the page that is seen is written: changes must follow a slider.
  const Exploration* held = held_ ? &*held_ : nullptr;
  if (tabs_->currentWidget() == verdict_)
    verdict_->show_page(exploration_verdict(now_, held, theme_), true);
  if (tabs_->currentWidget() == gemms_) gemms_->show_page(exploration_gemms(now_, theme_), true);
  if (tabs_->currentWidget() == limits_) limits_->show_page(exploration_limits(now_, theme_), true);

  auto roofline = std::make_unique<Roofline>();
  roofline->peak_flops = report.peak_flops;
  roofline->bandwidth = report.peak_bandwidth;
  roofline->peak_name = to_qt(report.pipe);
  auto times = std::make_unique<StackedBars>();
  times->legend = false;
  const auto add = [&](const Exploration& e, const QString& suffix, bool faint) {
    for (const auto& phase : e.phases) {
      QColor color = theme_.color_of(phase.phase);
      if (faint) color = mix(color, theme_.panel, 0.5);
      const QString name = to_qt(words::phase(phase.phase)) + suffix;
      roofline->points.push_back(
          {phase.cost.intensity, 0, faint ? QString() : name, color,
           tr("%1 FLOP per byte").arg(to_qt(words::number(phase.cost.intensity)))});
      StackedBars::Row row;
      row.label = name;
      row.note = to_qt(format_milliseconds(phase.bound.bound_ms));
      const double steps = phase.bound.sequential_ms;
      const bool sequential = steps >= phase.bound.roofline_ms;
      row.segments.push_back({phase.bound.bound_ms,
                              color,
                              name,
                              sequential                 ? tr("by its time steps")
                              : phase.bound.memory_bound ? tr("by memory")
                                                         : tr("by arithmetic"),
                              {}});
      times->rows.push_back(std::move(row));
    }
  };
  if (held_) add(*held_, tr(" (held)"), true);
  add(now_, {}, false);
  roofline_->set_chart(std::move(roofline));
  times_->set_chart(std::move(times));

  auto memory = std::make_unique<StackedBars>();
  const auto bar = [&](const Exploration& e, const QString& label) {
    StackedBars::Row row;
    row.label = label;
    int n = 0;
    for (const auto& part : memory_parts(e.report().memory))
      row.segments.push_back({static_cast<double>(part.bytes),
                              theme_.series(n++),
                              part.name,
                              to_qt(format_bytes(static_cast<double>(part.bytes))),
                              {}});
    row.note = to_qt(format_bytes(static_cast<double>(e.report().memory.total)));
    memory->rows.push_back(std::move(row));
  };
  if (held_) bar(*held_, tr("held"));
  bar(now_, held_ ? tr("now") : QString());
  memory_->set_chart(std::move(memory));
  const double whole = static_cast<double>(now_.device().memory_bytes);
  memory_note_->setText(
      tr("%1 of %2 · %3")
          .arg(to_qt(words::percent(whole > 0 ? static_cast<double>(report.memory.total) / whole
                                              : 0)),
               to_qt(format_bytes(whole)), to_qt(to_string(report.memory.exactness))));
}

}  // namespace rnnadvisor::gui
