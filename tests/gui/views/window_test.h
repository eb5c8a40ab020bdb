// What tests of the whole window begin with: one that is shown, with nothing remembered.
#pragma once

#include <gtest/gtest.h>

#include <QLabel>
#include <QSettings>
#include <QTest>
#include <QTextBrowser>
#include <memory>
#include <optional>

#include "gui/views/main_window.h"

namespace rnnadvisor::gui {

inline const QString two_layers = QStringLiteral("sample:programs/pytorch-two-layers");

class WindowTest : public testing::Test {
 protected:
  void SetUp() override {
    QSettings().clear();
    window_ = std::make_unique<MainWindow>();
    window_->resize(1280, 720);
    window_->show();
  }
  // Comes back when the file is open, or was found not to be one.
  void open(const QString& path, const std::optional<Place>& at = std::nullopt) {
    window_->open(path, at);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 60000));
    QTest::qWait(20);
  }
  // Every text that is shown.
  QString words() const {
    QString all;
    for (const auto* label : window_->findChildren<QLabel*>())
      if (label->isVisible()) all += label->text() + QLatin1Char('\n');
    for (const auto* page : window_->findChildren<QTextBrowser*>())
      if (page->isVisible()) all += page->toPlainText() + QLatin1Char('\n');
    return all;
  }
  // For a person to look at, where RNNADVISOR_PICTURES names a folder: at two sizes, light and
  // dark.
  void picture(const char* name) {
    const QString folder = qEnvironmentVariable("RNNADVISOR_PICTURES");
    if (folder.isEmpty()) return;
    const QSize before = window_->size();
    for (const QSize size : {QSize(1024, 700), QSize(1600, 900)}) {
      window_->resize(size);
      for (const bool dark : {false, true}) {
        window_->set_theme_choice(dark ? ThemeChoice::dark : ThemeChoice::light);
        QTest::qWait(60);
        window_->grab().save(QStringLiteral("%1/%2-%3%4.png")
                                 .arg(folder, QString::fromUtf8(name))
                                 .arg(size.width())
                                 .arg(dark ? QStringLiteral("-dark") : QString()));
      }
    }
    window_->set_theme_choice(ThemeChoice::light);
    window_->resize(before);
  }
  std::unique_ptr<MainWindow> window_;
};

}  // namespace rnnadvisor::gui
