#include "gui/views/map_panel.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <array>

#include "advisor/facts/framework_call.h"
#include "gui/models/document.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {

namespace words = advisor::words;
using advisor::MapLayer;

MapPanel::MapPanel(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("map_page"));  // of the style sheet
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 14, 18, 14);
  column->setSpacing(10);

  auto* choices = new QHBoxLayout;
  choices->setSpacing(4);
  axes_box_ = new QComboBox;
  axes_box_->setAccessibleName(tr("Axes of the map"));
  const std::array<QString, 3> names = {tr("Hidden size × batch"), tr("Hidden size × type"),
                                        tr("Length × batch")};
  for (const auto& name : names) axes_box_->addItem(name);
  connect(axes_box_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index >= 0) set_axes(model::all_map_axes[static_cast<std::size_t>(index)]);
  });
  choices->addWidget(axes_box_);
  choices->addSpacing(8);
  layers_ = new QButtonGroup(this);
  const std::array<QString, 3> titles = {tr("Time"), tr("Speedup"), tr("Kernels")};
  const std::array<QString, 3> hints = {
      tr("Time of the training step or of inference, with the algorithm that is asked for"),
      tr("How many times faster than the standard algorithm the fastest one is"),
      tr("Which implementation runs")};
  for (int i = 0; i < 3; ++i) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("choice"));
    button->setCheckable(true);
    button->setText(titles[static_cast<std::size_t>(i)]);
    button->setToolTip(hints[static_cast<std::size_t>(i)]);
    button->setAccessibleName(tr("Layer: %1").arg(button->text()));
    layers_->addButton(button, i);
    choices->addWidget(button);
  }
  layers_->button(0)->setChecked(true);
  connect(layers_, &QButtonGroup::idClicked, this,
          [this](int id) { set_layer(advisor::all_map_layers[static_cast<std::size_t>(id)]); });
  choices->addStretch();
  column->addLayout(choices);

  advice_ = make_label({});
  advice_->setWordWrap(true);
  column->addWidget(advice_);
  chart_ = new ChartWidget;
  chart_->setAccessibleName(tr("Map around this configuration"));
  // The chart alone scrolls: what is chosen and what the map says stay where they can be read.
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* content = new QWidget;
  content->setObjectName(QStringLiteral("map_page"));
  auto* around = new QVBoxLayout(content);
  around->setContentsMargins(0, 0, 0, 0);
  around->addWidget(chart_);
  around->addStretch();
  scroll->setWidget(content);
  column->addWidget(scroll, 1);
  note_ = make_label({}, "small");
  note_->setWordWrap(true);
  column->addWidget(note_);
  connect(chart_, &ChartWidget::link_activated, this, &MapPanel::choose);
}

void MapPanel::set_subject(Subject subject) {
  subject_ = std::move(subject);
  stale_ = true;
  make_map();
}

void MapPanel::set_axes(model::MapAxes axes) {
  const QSignalBlocker quiet(axes_box_);
  axes_box_->setCurrentIndex(static_cast<int>(axes));
  axes_ = axes;
  stale_ = true;
  make_map();
}

void MapPanel::set_layer(MapLayer layer) {
  layer_ = layer;
  layers_->button(static_cast<int>(layer))->setChecked(true);
  show_map();
}

void MapPanel::set_theme(const Theme& theme) {
  theme_ = theme;
  chart_->set_theme(theme);
  show_map();
}

void MapPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  make_map();
}

void MapPanel::make_map() {
  if (!stale_ || !subject_ || !isVisible()) return;
  stale_ = false;
  work_.start(
      this,
      [subject = *subject_, axes = axes_](const std::stop_token& stop) {
        model::MapRequest request;
        request.here = subject.here;
        request.axes = axes;
        request.predict = subject.predict;
        request.call = advisor::framework_caller(subject.program, subject.device, subject.here);
        request.keep_going = [&stop] { return !stop.stop_requested(); };
        return model::build_map(request, subject.device);
      },
      [this](model::ConfigurationMap map) {
        if (map.cells.empty()) return;
        map_ = std::move(map);
        show_map();
        emit map_made();
      },
      [this] {
        advice_->setText(tr("There is not enough memory on this machine for the map."));
        advice_->setVisible(true);
      });
}

void MapPanel::show_map() {
  if (!map_) return;
  // Without times there is only what runs, and the others say why they cannot be chosen.
  const bool times = map_->has_times;
  for (int i = 0; i < 2; ++i) layers_->button(i)->setEnabled(times);
  const MapLayer layer = times ? layer_ : MapLayer::implementation;
  layers_->button(static_cast<int>(layer))->setChecked(true);
  QStringList advice;
  for (const auto& line : words::map_advice(*map_)) advice << to_qt(line);
  advice_->setText(advice.join(QLatin1Char('\n')));
  advice_->setVisible(!advice.isEmpty());
  chart_->set_chart(std::make_unique<chart::HeatMap>(chart::map_chart(*map_, {layer})));
  QStringList notes = {to_qt(words::map_basis(*map_))};
  if (const auto note = words::map_note(*map_); !note.empty()) notes << to_qt(note);
  note_->setText(notes.join(QLatin1Char(' ')));
}

void MapPanel::choose(const QString& link) {
  const auto place = cell_of(link);
  // Of a map that is being replaced nothing is chosen: it is not around this configuration.
  if (!place || !map_ || busy()) return;
  if (place->row >= static_cast<int>(map_->rows.ticks.size()) ||
      place->column >= static_cast<int>(map_->columns.ticks.size()))
    return;
  emit configuration_chosen(model::config_at(*map_, place->row, place->column));
}

QString MapPanel::text() const {
  const auto* map = dynamic_cast<const chart::HeatMap*>(chart_->chart());
  if (map == nullptr || map->cells.empty()) return {};
  const auto& faces = map->layers.front().faces;
  std::string text = map->row_title;
  for (const auto& column : map->columns) text += '\t' + column;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (i % map->columns.size() == 0) text += '\n' + map->rows[i / map->columns.size()];
    text += '\t' + faces[i].text;
  }
  return to_qt(text);
}

std::optional<chart::HeatMap::Place> cell_of(const QString& link) {
  const auto parts = link.split(QLatin1Char('/'));
  if (parts.size() != 3 || parts[0] != QLatin1String("cell")) return std::nullopt;
  bool row_good = false, column_good = false;
  const chart::HeatMap::Place place = {parts[1].toInt(&row_good), parts[2].toInt(&column_good)};
  if (!row_good || !column_good || place.row < 0 || place.column < 0) return std::nullopt;
  return place;
}

}  // namespace rnnadvisor::gui
