// Maps around the configuration of the explorer: which axes, which layer, and what the map says.
// A map is made on a thread of its own, and only while it is seen.
#pragma once

#include <QWidget>
#include <optional>

#include "advisor/report/map_view.h"
#include "core/config/program_context.h"
#include "gui/charts/chart.h"
#include "gui/timeline/background.h"

class QButtonGroup;
class QComboBox;
class QLabel;

namespace rnnadvisor::gui {

// Of the link of a cell (advisor/report/charts.h).
std::optional<chart::HeatMap::Place> cell_of(const QString& link);

class MapPanel : public QWidget {
  Q_OBJECT
 public:
  explicit MapPanel(QWidget* parent = nullptr);

  struct Subject {
    RnnConfig here;
    ProgramContext program;
    DeviceSpec device;
    model::PredictTime predict;  // called on another thread; may be empty
  };
  // The old map stays until the new one is made.
  void set_subject(Subject subject);
  void set_theme(const Theme& theme);
  void set_axes(model::MapAxes axes);
  void set_layer(advisor::MapLayer layer);

  // What is shown; nothing before the first map.
  const std::optional<model::ConfigurationMap>& map() const { return map_; }
  advisor::MapLayer layer() const { return layer_; }
  bool busy() const { return work_.busy(); }
  ChartWidget* chart() { return chart_; }
  QString text() const;  // for the clipboard: the map as a table

 signals:
  void map_made();
  void configuration_chosen(const rnnadvisor::RnnConfig& config);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void make_map();
  void show_map();
  void choose(const QString& link);

  Theme theme_ = light_theme();
  std::optional<Subject> subject_;
  bool stale_ = false;  // the subject or the axes changed since the map was begun
  model::MapAxes axes_ = model::MapAxes::hidden_batch;
  advisor::MapLayer layer_ = advisor::MapLayer::time;
  std::optional<model::ConfigurationMap> map_;
  QComboBox* axes_box_ = nullptr;
  QButtonGroup* layers_ = nullptr;
  QLabel *advice_ = nullptr, *note_ = nullptr;
  ChartWidget* chart_ = nullptr;
  timeline::Background work_;  // last: it ends before what it writes to goes
};

}  // namespace rnnadvisor::gui
