// What the window looks like: a few views of a recorded sample, in both themes, with fonts of the
// tree.
#include "tests/gui/pictures.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QSettings>
#include <QTest>
#include <algorithm>

#include "gui/views/flat_style.h"
#include "gui/views/main_window.h"

namespace rnnadvisor::gui {
namespace {

struct Picture {
  const char* name;
  const char* view;
  ThemeChoice theme;
};

class WindowPictures : public testing::TestWithParam<Picture> {};

TEST_P(WindowPictures, LooksAsItDid) {
  QSettings().clear();
  QApplication::setStyle(new FlatStyle);
  MainWindow window;
  window.resize(1280, 720);
  window.set_theme_choice(GetParam().theme);
  window.show();
  window.open(QStringLiteral("sample:programs/pytorch-two-layers"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window.loading(); }, 30000));
  window.go(QString::fromUtf8(GetParam().view));
  // A cursor that blinks is no difference.
  if (QWidget* focus = QApplication::focusWidget()) focus->clearFocus();
  QTest::qWait(100);
  const QImage picture = window.grab().toImage();
  compare_picture(picture, QStringLiteral(RNNADVISOR_SOURCE_DIR "/tests/gui/views/pictures/%1.png")
                               .arg(QString::fromUtf8(GetParam().name)));
}

std::string name_of(const testing::TestParamInfo<Picture>& of) {
  std::string name = of.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Views, WindowPictures,
                         testing::Values(Picture{"overview-light", "overview", ThemeChoice::light},
                                         Picture{"findings-dark", "findings", ThemeChoice::dark},
                                         Picture{"timeline-light", "timeline", ThemeChoice::light},
                                         Picture{"explorer-dark", "explorer", ThemeChoice::dark}),
                         name_of);

}  // namespace
}  // namespace rnnadvisor::gui
