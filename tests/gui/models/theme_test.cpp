#include "gui/theme.h"

#include <gtest/gtest.h>

#include <array>

namespace rnnadvisor::gui {
namespace {

constexpr double wcag_aa = 4.5;

class ThemeTest : public testing::TestWithParam<bool> {
 protected:
  Theme theme = GetParam() ? dark_theme() : light_theme();
};

TEST_P(ThemeTest, TextCanBeReadOnEverySurface) {
  for (const QColor& ground : {theme.window, theme.panel, theme.raised}) {
    for (const QColor& text : {theme.text, theme.dim_text, theme.accent, theme.error, theme.warning,
                               theme.opportunity, theme.info, theme.good}) {
      EXPECT_GE(contrast(text, ground), wcag_aa)
          << text.name().toStdString() << " on " << ground.name().toStdString();
    }
  }
  EXPECT_GE(contrast(theme.text_on_accent, theme.accent), wcag_aa);
  // Marks and gains keep their colours in a selected row.
  for (const QColor& text : {theme.text_on_selection, theme.error, theme.warning, theme.opportunity,
                             theme.info, theme.good})
    EXPECT_GE(contrast(text, theme.selection), wcag_aa) << text.name().toStdString();
}

TEST_P(ThemeTest, LabelsCanBeReadOnEverySpan) {
  for (int role = 0; role <= static_cast<int>(KernelRole::unknown); ++role) {
    const QColor fill = theme.color_of(static_cast<KernelRole>(role));
    EXPECT_GE(contrast(text_on(fill), fill), wcag_aa) << role;
  }
  for (int i = 0; i < 8; ++i)
    EXPECT_GE(contrast(text_on(theme.series(i)), theme.series(i)), wcag_aa) << i;
}

// Graphical objects need 3 to 1 against what is around them (WCAG 1.4.11); fills have no text in
// them, and an outline where they do not reach it.
TEST_P(ThemeTest, EvidenceStandsOut) {
  EXPECT_GE(contrast(theme.evidence, theme.window), 3);
  EXPECT_GE(contrast(theme.evidence, theme.panel), 3);
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Bool());

TEST(Contrast, IsThatOfWcag) {
  EXPECT_DOUBLE_EQ(contrast(Qt::black, Qt::white), 21);
  EXPECT_DOUBLE_EQ(contrast(Qt::white, Qt::white), 1);
  EXPECT_NEAR(contrast(QColor(0x777777), Qt::white), 4.48, 0.01);  // WebAIM's contrast checker
}

}  // namespace
}  // namespace rnnadvisor::gui
