#include "gui/views/explorer_view.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "advisor/sweep/config_fields.h"
#include "gui/models/exploration_pages.h"
#include "gui/models/tables.h"
#include "gui/views/config_form.h"
#include "gui/views/map_panel.h"

namespace rnnadvisor::gui {
ExplorerView::ExplorerView(QWidget* parent) : View(parent) {
  const auto shipped = shipped_devices();
  devices_.assign(shipped.begin(), shipped.end());
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].id == "nvidia-h200") device_ = static_cast<int>(i);
  }
  for (const auto& [key, value] :
       {std::pair{"data_type", "half"}, {"math_type", "tensor_op"}, {"hidden_size", "1024"}})
    static_cast<void>(editor_.set(key, value));

  auto* side = new QScrollArea;
  side->setWidgetResizable(true);
  side->setFrameShape(QFrame::NoFrame);
  side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  side->setMinimumWidth(330);
  auto* panel = new QWidget;
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(18, 16, 18, 16);
  column->setSpacing(6);
  add_undo();
  add_controls(column);
  side->setWidget(panel);

  auto* right = new QWidget;
  auto* results = new QVBoxLayout(right);
  results->setContentsMargins(0, 12, 0, 0);
  results->setSpacing(6);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(18, 0, 18, 0);
  title_ = make_label({}, "headline");
  title_->setWordWrap(true);
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
  verdict_->setAccessibleName(tr("Verdict"));
  limits_->setAccessibleName(tr("Why not persistent"));
  gemms_->setAccessibleName(tr("Products"));
  tabs_->addTab(verdict_, tr("Verdict"));
  maps_ = new MapPanel;
  tabs_->addTab(maps_, tr("Maps"));
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
  predicted_ = new ChartWidget;
  predicted_note_ = make_label({}, "small");
  predicted_note_->setWordWrap(true);
  const std::array<std::pair<QString, QWidget*>, 4> cards = {
      {{tr("Roofline"), roofline_},
       {tr("Measured and predicted time"), predicted_},
       {tr("Time at the device's ceilings"), times_},
       {tr("Memory"), memory_}}};
  for (const auto& [name, chart] : cards) {
    auto* card = new Card(name);
    chart->setAccessibleName(name);
    card->body()->addWidget(chart);
    if (chart == memory_) card->body()->addWidget(memory_note_);
    if (chart == predicted_) card->body()->addWidget(predicted_note_);
    stack->addWidget(card);
  }
  stack->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidget(charts);
  scroll->setMinimumWidth(220);
  charts_scroll_ = scroll;
  split_ = new BesideOrBelow({560, 420});
  split_->addWidget(tabs_);
  split_->addWidget(scroll);
  split_->setStretchFactor(0, 3);
  split_->setStretchFactor(1, 2);
  split_->setSizes({560, 420});
  tabs_->setUsesScrollButtons(true);
  tabs_->setMinimumWidth(260);
  connect(split_, &QSplitter::splitterMoved, this, [this] { divided_by_hand_ = true; });
  connect(split_, &BesideOrBelow::turned, this, [this] {
    divided_by_hand_ = false;
    give_charts_room();
  });
  results->addWidget(split_, 1);

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
  connect(maps_, &MapPanel::configuration_chosen, this, &ExplorerView::take_cell);
  connect(hold_, &QPushButton::clicked, this, [this] { held_ ? release() : hold(); });
  connect(copy, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(command_of(input(), device(), QStringLiteral("check")));
  });
  connect(run, &QPushButton::clicked, this, [this] { emit run_requested(input()); });
}

void ExplorerView::add_controls(QVBoxLayout* column) {
  auto* heading = new QHBoxLayout;
  heading->addWidget(make_label(tr("Configuration"), "heading"), 1);
  for (auto* action : {undo_, redo_}) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("choice"));
    button->setDefaultAction(action);
    button->setAccessibleName(action->text());
    button->setFocusPolicy(Qt::StrongFocus);
    heading->addWidget(button);
  }
  column->addLayout(heading);
  picker_ = new QComboBox;
  picker_->setAccessibleName(tr("Configuration of the profile"));
  picker_->setPlaceholderText(tr("of no profile"));
  picker_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  picker_->setMaxVisibleItems(24);
  // Also what is chosen already: it comes back as it was.
  connect(picker_, &QComboBox::activated, this,
          [this](int row) { show_source(picker_->itemData(row).toInt()); });
  column->addWidget(picker_);
  column->addSpacing(6);
  column->addWidget(make_label(tr("Device"), "heading"));
  device_box_ = new QComboBox;
  device_box_->setAccessibleName(tr("Device"));
  for (const auto& device : devices_) device_box_->addItem(to_qt(device.name));
  device_box_->setCurrentIndex(device_);
  connect(device_box_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index < 0) return;
    before_change(QStringLiteral("device"));
    choose_device(index);
    changed();
    by_hand_now();
  });
  column->addWidget(device_box_);
  source_text_ = make_label({}, "small");
  // One line, whatever it says: what is below must not move while a slider is held.
  source_text_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  source_text_->setTextFormat(Qt::RichText);
  source_text_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  connect(source_text_, &QLabel::linkActivated, this,
          [this] { show_source(source_ >= 0 ? source_ : first_described()); });
  source_text_->installEventFilter(this);
  column->addWidget(source_text_);
  tell_source();
  column->addSpacing(10);
  form_ = new ConfigForm(ConfigForm::Style::one_column);
  connect(form_, &ConfigForm::edited, this, &ExplorerView::set_parameter);
  connect(form_, &ConfigForm::drag_began, this, [this] { history_.set_dragging(true); });
  connect(form_, &ConfigForm::drag_ended, this, [this] { history_.set_dragging(false); });
  for (auto* child : form_->findChildren<QWidget*>()) child->installEventFilter(this);
  column->addWidget(form_);
  column->addStretch();
  fill_controls();
}

void ExplorerView::fill_controls() {
  form_->show_values(input().config);
  const QSignalBlocker quiet(device_box_);
  device_box_->setCurrentIndex(device_);
}

QWidget* ExplorerView::first_focus() { return form_->control("hidden_size"); }

QString ExplorerView::table_text() const {
  if (tabs_->currentWidget() == maps_) return maps_->text();
  if (!now_.document) return {};
  if (tabs_->currentWidget() == gemms_) return products_table(now_);
  if (tabs_->currentWidget() == limits_) return conditions_table(now_);
  return exploration_table(now_, held_ ? &*held_ : nullptr);
}

void ExplorerView::set_rules(std::shared_ptr<const advisor::RuleSet> rules) {
  rules_ = std::move(rules);
  changed();
}

bool ExplorerView::set_parameter(const QString& key, const QString& value) {
  ConfigEditor next = editor_;
  const bool good = next.set(key.toStdString(), value.toStdString()).has_value();
  if (good) {
    if (next.input().config != input().config || !more_.empty()) before_change(key);
    editor_ = next;
    more_.clear();
  }
  fill_controls();
  if (good) changed();
  if (good) by_hand_now();
  return good;
}

void ExplorerView::show_configuration(const ConfigInput& input, const DeviceSpec& device,
                                      const std::vector<RnnConfig>& changed_calls, int source) {
  before_change({});
  source_ = source;
  edited_ = false;
  of_change_ = !changed_calls.empty();
  const auto same = std::find_if(devices_.begin(), devices_.end(),
                                 [&](const auto& d) { return d.id == device.id; });
  if (same != devices_.end()) {
    choose_device(static_cast<int>(same - devices_.begin()));
  } else {
    devices_.push_back(device);
    const QSignalBlocker quiet(device_box_);
    device_box_->addItem(to_qt(device.name));
    choose_device(static_cast<int>(devices_.size()) - 1);
  }
  editor_.take(input);
  more_.clear();
  release();
  if (!changed_calls.empty()) {
    changed();
    hold();
    ConfigInput after = input;
    after.config = changed_calls.front();
    after.given = {};
    editor_.take(after);
    more_.assign(changed_calls.begin() + 1, changed_calls.end());
  }
  fill_controls();
  changed();
  tell_source();
}

void ExplorerView::choose_device(int index) {
  device_ = index;
  predict_ = predict_for_ ? predict_for_(device()) : model::PredictTime();
}

void ExplorerView::set_predict_for(advisor::PredictFor predict_for) {
  predict_for_ = std::move(predict_for);
  choose_device(device_);
  changed();
}

void ExplorerView::show_maps() { tabs_->setCurrentWidget(maps_); }

// What a cell changes is set as if it had been typed, so that what follows goes on following.
void ExplorerView::take_cell(const RnnConfig& config) {
  before_change({});
  more_.clear();
  for (const char* key : {"data_type", "math_precision", "math_type", "hidden_size", "input_size",
                          "proj_size", "seq_length", "batch_size", "seq_lengths"}) {
    const std::string wanted = advisor::field_text(config, key);
    if (advisor::field_text(input().config, key) != wanted)
      static_cast<void>(editor_.set(key, wanted));
  }
  fill_controls();
  changed();
  by_hand_now();
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
  now_ = explore(input(), device(), rules_, predict_, more_);
  if (document_) now_.measured = measured_in(*document_, now_);
  editor_.choose_algo(now_.config().algo);
  form_->show_values(input().config);
  std::map<std::string, QString, std::less<>> wrong;
  for (const auto& violation : now_.violations) {
    for (const auto& key : violation.keys) wrong[key] = to_qt(violation.message);
  }
  form_->mark(wrong);
  auto* algo = form_->control("algo");
  algo->setEnabled(!now_.framework_chooses);
  if (now_.framework_chooses)
    algo->setToolTip(tr("%1 chooses the algorithm itself").arg(to_qt(now_.report().framework)));
  show_results();
}

void ExplorerView::set_theme(const Theme& theme) {
  theme_ = theme;
  for (auto* chart : {roofline_, times_, memory_, predicted_}) chart->set_theme(theme);
  maps_->set_theme(theme);
  tell_source();  // a label's links keep the colour of when they were set
  if (now_.document) show_results();
}

}  // namespace rnnadvisor::gui
