// The explorer's controls: steps back and forward, sliders, the line of state, the picker.
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QSpinBox>

#include "gui/views/config_form.h"
#include "gui/views/explorer_view.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class ExplorerStepsTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(two_layers);
    window_->go(QStringLiteral("explorer"));
    QTest::qWait(10);
  }
  ExplorerView* explorer() { return window_->findChild<ExplorerView*>(); }
  const RnnConfig& config() { return explorer()->input().config; }
  bool set(const char* key, const char* value) {
    return explorer()->set_parameter(QString::fromUtf8(key), QString::fromUtf8(value));
  }
  QSlider* slider(const char* name) {
    for (auto* each : explorer()->findChildren<QSlider*>())
      if (each->accessibleName().startsWith(QString::fromUtf8(name))) return each;
    return nullptr;
  }
};

TEST_F(ExplorerStepsTest, GoBackAndForward) {
  const RnnConfig own = config();
  EXPECT_FALSE(explorer()->undo_action()->isEnabled());
  ASSERT_TRUE(set("hidden_size", "1000"));
  ASSERT_TRUE(set("data_type", "double"));
  const RnnConfig last = config();
  // By the keyboard, also from within a field, which has an undo of its own.
  auto* field = explorer()->findChild<ConfigForm*>()->control("hidden_size");
  QApplication::setActiveWindow(window_.get());
  field->setFocus();
  QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(config().hidden_size, 1000);
  EXPECT_EQ(config().data_type, own.data_type);
  explorer()->undo_action()->trigger();
  EXPECT_EQ(config(), own);
  EXPECT_TRUE(words().contains(QStringLiteral("From ")));
  EXPECT_FALSE(explorer()->undo_action()->isEnabled());
  QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  explorer()->redo_action()->trigger();
  EXPECT_EQ(config(), last);
  EXPECT_FALSE(explorer()->redo_action()->isEnabled());
  // What follows still follows.
  explorer()->undo_action()->trigger();
  ASSERT_TRUE(set("hidden_size", "640"));
  EXPECT_EQ(config().input_size, own.input_size == own.hidden_size ? 640 : own.input_size);
  EXPECT_FALSE(explorer()->redo_action()->isEnabled());
}

TEST_F(ExplorerStepsTest, ADragOfASliderIsOneStepAndSnaps) {
  const int before = config().hidden_size;
  auto* hidden = slider("hidden_size");
  ASSERT_NE(hidden, nullptr);
  hidden->setSliderDown(true);
  for (int at = hidden->minimum(); at <= hidden->maximum(); ++at) {
    hidden->setSliderPosition(at);
    const int size = config().hidden_size;
    if (size >= 512) {
      EXPECT_EQ(size % 32, 0) << size;
    } else if (size >= 64) {
      EXPECT_EQ(size % 8, 0) << size;
    }
  }
  EXPECT_EQ(config().hidden_size, 8192);
  hidden->setSliderDown(false);
  explorer()->undo_action()->trigger();
  EXPECT_EQ(config().hidden_size, before);
  // As wide as what stands above it.
  auto* form = explorer()->findChild<ConfigForm*>();
  EXPECT_GT(hidden->width(), form->width() * 9 / 10);
  // Factors, not sums, have the same length.
  auto* box = static_cast<QSpinBox*>(form->control("hidden_size"));
  std::vector<int> places;
  for (const int size : {64, 128, 256, 512, 1024}) {
    box->setValue(size);
    places.push_back(hidden->value());
  }
  for (std::size_t i = 2; i < places.size(); ++i)
    EXPECT_EQ(places[i] - places[i - 1], places[1] - places[0]);
  // The field takes what the slider passes over.
  box->setValue(1001);
  EXPECT_EQ(config().hidden_size, 1001);
}

TEST_F(ExplorerStepsTest, TheControlsStayWhereTheyAre) {
  auto* field = explorer()->findChild<ConfigForm*>()->control("hidden_size");
  const auto place = [&] {
    QTest::qWait(5);
    return field->mapTo(explorer(), QPoint(0, 0));
  };
  const QPoint before = place();
  ASSERT_TRUE(set("hidden_size", "1000"));
  EXPECT_EQ(place(), before);
  picture("explorer-steps");
  ASSERT_TRUE(set("seq_length", "99999999"));  // which cuDNN refuses
  EXPECT_EQ(place(), before);
  open(QStringLiteral("sample:guide-figure-10"));
  window_->go(QStringLiteral("explorer"));
  EXPECT_EQ(place(), before);
}

TEST_F(ExplorerStepsTest, EveryConfigurationOfTheProfileCanBeChosen) {
  explorer()->undo_action()->trigger();
  open(QStringLiteral("sample:guide-figure-10"));
  window_->go(QStringLiteral("explorer"));
  const auto& all = window_->document()->profile().configurations;
  auto* picker = explorer()->picker();
  ASSERT_EQ(picker->count(), static_cast<int>(all.size()));
  for (const int row : {picker->count() - 1, 1, 0}) {
    picker->setCurrentIndex(row);
    emit picker->activated(row);
    EXPECT_EQ(config(), all[static_cast<std::size_t>(row)].config);
    EXPECT_EQ(picker->currentIndex(), row);
  }
  explorer()->undo_action()->trigger();
  EXPECT_EQ(config(), all[1].config);
  EXPECT_EQ(picker->currentIndex(), 1);
  // Changed by hand it is still that one, and choosing it again takes the change back.
  ASSERT_TRUE(set("hidden_size", "1000"));
  EXPECT_EQ(picker->currentIndex(), 1);
  emit picker->activated(1);
  EXPECT_EQ(config(), all[1].config);
}

// "explorer,hidden_size=1000" is what the slider would have made of it.
TEST_F(ExplorerStepsTest, ALinkSetsWhatFollowsAsAControlDoes) {
  const RnnConfig own = config();
  ASSERT_EQ(own.input_size, own.hidden_size);
  const auto go = [&](const char* place) {
    window_->go_to(*parse_place(QString::fromUtf8(place)));
  };
  go("explorer,hidden_size=1000");
  EXPECT_EQ(config().hidden_size, 1000);
  EXPECT_EQ(config().input_size, 1000);
  EXPECT_EQ(config().proj_size, 1000);
  EXPECT_EQ(window_->place().explorer,
            (ExplorerChanges{{QStringLiteral("hidden_size"), QStringLiteral("1000")}}));
  // A width that differs from the hidden size is part of the place.
  ASSERT_TRUE(set("input_size", QByteArray::number(own.input_size).constData()));
  const Place place = window_->place();
  const RnnConfig wanted = config();
  ASSERT_TRUE(set("hidden_size", "256"));
  window_->go_to(place);
  EXPECT_EQ(config(), wanted);
  EXPECT_EQ(window_->place(), place);
}

}  // namespace
}  // namespace rnnadvisor::gui
