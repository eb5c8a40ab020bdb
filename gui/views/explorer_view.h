// Explorer: every parameter of a configuration, and what follows from it on a device, while it is
// moved. Works without a profile. A second configuration can be held beside it.
#pragma once

#include "advisor/report/maps.h"
#include "gui/charts/chart.h"
#include "gui/models/config_editor.h"
#include "gui/models/edit_history.h"
#include "gui/models/exploration.h"
#include "gui/models/link.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

class QAction;
class QComboBox;
class QPushButton;
class QScrollArea;
class QTabWidget;

namespace rnnadvisor::gui {

class ConfigForm;
class MapPanel;

class ExplorerView : public View {
  Q_OBJECT
 public:
  explicit ExplorerView(QWidget* parent = nullptr);
  void set_rules(std::shared_ptr<const advisor::RuleSet> rules);
  // Shows the first configuration of a profile that is opened, unless the user has set one by hand.
  void set_document(DocumentPointer document) override;
  void set_theme(const Theme& theme) override;
  QWidget* first_focus() override;
  QString table_text() const override;

  // A configuration of a profile; with `changed` what a suggestion makes of it, side by side: the
  // calls, not empty. The controls are those of the first; what is changed by hand is one call.
  // `source`: which configuration of the open profile it is; -1: it is of no profile.
  void show_configuration(const ConfigInput& input, const DeviceSpec& device,
                          const std::vector<RnnConfig>& changed = {}, int source = -1);
  // It was set by hand elsewhere, and no profile that is opened replaces it.
  void by_hand_now();
  // What tells it from the first configuration of the profile, for a link; empty: nothing does.
  ExplorerChanges changes() const;
  // The same again. Errors: a device or a configuration that is not there, a value that is none;
  // then nothing changes.
  Result<void> restore(const ExplorerChanges& changes);
  const ConfigInput& input() const { return editor_.input(); }
  const Exploration& exploration() const { return now_; }
  const std::optional<Exploration>& held() const { return held_; }
  // As typed or chosen by a person: "hidden_size", "1000". False when it is no valid value.
  bool set_parameter(const QString& key, const QString& value);
  // Steps back and forward: a drag, a value that was typed, a configuration that was chosen.
  QAction* undo_action() { return undo_; }
  QAction* redo_action() { return redo_; }
  // Of all configurations of the open profile.
  QComboBox* picker() { return picker_; }
  void hold();  // keeps what is shown to compare with what comes
  void release();
  // What predicts the times of a device; called on the thread of the window, what it returns on
  // others too. Without one there are no times.
  void set_predict_for(advisor::PredictFor predict_for);
  // The tab with the maps.
  void show_maps();
  MapPanel* maps() { return maps_; }

 signals:
  void run_requested(const rnnadvisor::ConfigInput& input);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Step {
    ConfigEditor editor;
    std::vector<RnnConfig> more;
    int device, source;
    bool edited, of_change;
  };
  Step step() const { return {editor_, more_, device_, source_, edited_, of_change_}; }
  void take_step(const Step& step);
  void before_change(const QString& what);
  void add_undo();
  void fill_picker();
  void add_controls(QVBoxLayout* column);
  void fill_controls();
  void changed();
  void show_results();
  void give_charts_room();
  void arrange();
  void show_predicted();
  void show_map();
  void choose_device(int index);
  void take_cell(const RnnConfig& config);
  int first_described() const;  // of the open profile; -1: none
  void show_source(int configuration);
  void tell_source();
  const DeviceSpec& device() const { return devices_[static_cast<std::size_t>(device_)]; }

  Theme theme_ = light_theme();
  DocumentPointer document_;
  int source_ = -1;         // the configuration of the document that was begun with; -1: of none
  bool edited_ = false;     // by hand, since then
  bool of_change_ = false;  // it stands beside what a suggestion makes of it
  std::shared_ptr<const advisor::RuleSet> rules_;
  std::vector<DeviceSpec> devices_;
  int device_ = 0;
  ConfigEditor editor_;
  std::vector<RnnConfig> more_;  // further calls of the change that is shown
  advisor::PredictFor predict_for_;
  model::PredictTime predict_;  // of the device
  Exploration now_;
  std::optional<Exploration> held_;

  EditHistory<Step> history_;

  ConfigForm* form_ = nullptr;
  QComboBox* picker_ = nullptr;
  QAction *undo_ = nullptr, *redo_ = nullptr;
  QComboBox* device_box_ = nullptr;
  QPushButton* hold_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  PageBrowser *verdict_ = nullptr, *gemms_ = nullptr, *limits_ = nullptr;
  ChartWidget *roofline_ = nullptr, *memory_ = nullptr, *times_ = nullptr, *predicted_ = nullptr;
  MapPanel* maps_ = nullptr;
  QScrollArea* charts_scroll_ = nullptr;
  BesideOrBelow* split_ = nullptr;  // the page and the charts
  int charts_width_ = 0;            // that they need
  bool divided_by_hand_ = false;
  QLabel *title_ = nullptr, *memory_note_ = nullptr, *predicted_note_ = nullptr,
         *source_text_ = nullptr;
};

}  // namespace rnnadvisor::gui
