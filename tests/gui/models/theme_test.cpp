#include "gui/theme.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace rnnadvisor::gui {
namespace {

constexpr double wcag_aa = 4.5;

double linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

// What a person without red or green cones sees of linear sRGB: Viénot, Brettel and Mollon 1999.
using Matrix = std::array<std::array<double, 3>, 3>;
constexpr Matrix all_cones = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix no_red = {{{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}}};
constexpr Matrix no_green = {
    {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}}};

// CIE 1976 L*a*b*, white D65.
std::array<double, 3> lab(const QColor& color, const Matrix& seen) {
  const std::array<double, 3> in = {linear(color.redF()), linear(color.greenF()),
                                    linear(color.blueF())};
  std::array<double, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i)
    rgb[i] = std::max(0.0, seen[i][0] * in[0] + seen[i][1] * in[1] + seen[i][2] * in[2]);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505);
  const double y = f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(const QColor& a, const QColor& b, const Matrix& seen) {
  const auto p = lab(a, seen), q = lab(b, seen);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

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

// 2.3 is what an eye can just tell of large patches side by side (Mahy and others 1994); bars and
// legends stand apart and are small.
constexpr double told_apart = 15;

TEST_P(ThemeTest, FamiliesAreToldApartByColourBlindPeople) {
  std::vector<QColor> families, phases, series;
  for (const auto role :
       {KernelRole::recurrent_gemm, KernelRole::layer_gemm, KernelRole::weight_gemm,
        KernelRole::pointwise, KernelRole::persistent, KernelRole::reduction, KernelRole::unknown})
    families.push_back(theme.color_of(role));
  for (const auto phase : {Phase::forward_inference, Phase::forward_training, Phase::backward_data,
                           Phase::backward_weights})
    phases.push_back(theme.color_of(phase));
  for (int i = 0; i < 6; ++i) series.push_back(theme.series(i));
  for (const auto& colors : {families, phases, series}) {
    for (const Matrix& seen : {all_cones, no_red, no_green}) {
      for (std::size_t i = 0; i < colors.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_GE(difference(colors[i], colors[j], seen), told_apart)
              << colors[i].name().toStdString() << " and " << colors[j].name().toStdString();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Bool());

TEST(Contrast, IsThatOfWcag) {
  EXPECT_DOUBLE_EQ(contrast(Qt::black, Qt::white), 21);
  EXPECT_DOUBLE_EQ(contrast(Qt::white, Qt::white), 1);
  EXPECT_NEAR(contrast(QColor(0x777777), Qt::white), 4.48, 0.01);  // WebAIM's contrast checker
}

}  // namespace
}  // namespace rnnadvisor::gui
