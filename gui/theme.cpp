#include "gui/theme.h"

#include <array>
#include <cmath>

namespace rnnadvisor::gui {
namespace {

constexpr QRgb orange = 0xffe69f00, sky = 0xff56b4e9, green = 0xff009e73, yellow = 0xfff0e442,
               blue = 0xff0072b2, vermilion = 0xffd55e00, purple = 0xffcc79a7, grey = 0xff5f6875;
// The grey is dark: one as light as the purple is the same to a person without green cones.
// The blue of Okabe and Ito is too dark for a dark ground, and a lighter one would be their sky
// blue: this one lies between blue and violet.
constexpr QRgb dark_blue = 0xff6b89ee;

double linear(double channel) {
  return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

// Fills are a little quieter on a dark ground, so that a page full of them does not glare.
QColor fill(QRgb color, bool dark) {
  return dark ? mix(QColor(color), QColor(0x12, 0x16, 0x1c), 0.10) : QColor(color);
}

}  // namespace

double contrast(const QColor& a, const QColor& b) {
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor text_on(const QColor& ground) {
  const QColor black(0x10, 0x14, 0x1a), white(Qt::white);
  return contrast(black, ground) >= contrast(white, ground) ? black : white;
}

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto part = [&](float x, float y) { return x + (y - x) * static_cast<float>(share); };
  return QColor::fromRgbF(part(a.redF(), b.redF()), part(a.greenF(), b.greenF()),
                          part(a.blueF(), b.blueF()));
}

Theme light_theme() {
  Theme t;
  t.dark = false;
  t.window = QColor(0xf3f5f8);
  t.panel = QColor(0xffffff);
  t.raised = QColor(0xe9edf3);
  t.border = QColor(0xd3dae4);
  t.grid = QColor(0xe3e8ef);
  t.text = QColor(0x18202b);
  t.dim_text = QColor(0x4f5b6b);
  t.disabled_text = QColor(0x8d97a5);
  t.accent = QColor(0x0b62a8);
  t.text_on_accent = QColor(0xffffff);
  t.selection = QColor(0xcfe5f7);
  t.text_on_selection = QColor(0x0d2238);
  t.evidence = QColor(0xb3004f);
  t.error = QColor(0xb3261e);
  t.warning = QColor(0x8a5200);
  t.opportunity = QColor(0x0b62a8);
  t.info = QColor(0x4f5b6b);
  t.good = QColor(0x006b4f);
  t.idle = QColor(0xdfe4eb);
  return t;
}

Theme dark_theme() {
  Theme t;
  t.dark = true;
  t.window = QColor(0x14181e);
  t.panel = QColor(0x1c2129);
  t.raised = QColor(0x29303b);
  t.border = QColor(0x363f4c);
  t.grid = QColor(0x2a313c);
  t.text = QColor(0xe7ebf1);
  t.dim_text = QColor(0xa7b1bf);
  t.disabled_text = QColor(0x6c7684);
  t.accent = QColor(0x6fbcf5);
  t.text_on_accent = QColor(0x0d1a26);
  t.selection = QColor(0x1f3f5d);
  t.text_on_selection = QColor(0xf2f7fc);
  t.evidence = QColor(0xff7eb6);
  t.error = QColor(0xff8f85);
  t.warning = QColor(0xf2b84b);
  t.opportunity = QColor(0x6fbcf5);
  t.info = QColor(0xa7b1bf);
  t.good = QColor(0x4fd1a5);
  t.idle = QColor(0x2b323d);
  return t;
}

QColor Theme::color_of(advisor::Severity severity) const {
  switch (severity) {
    case advisor::Severity::error:
      return error;
    case advisor::Severity::warning:
      return warning;
    case advisor::Severity::opportunity:
      return opportunity;
    case advisor::Severity::info:
      break;
  }
  return info;
}

QColor Theme::color_of(advisor::Standing standing) const {
  switch (standing) {
    case advisor::Standing::error:
      return error;
    case advisor::Standing::warning:
      return warning;
    case advisor::Standing::opportunity:
      return opportunity;
    case advisor::Standing::fine:
      return good;
    case advisor::Standing::refused:
    case advisor::Standing::unjudged:
      break;
  }
  return dim_text;
}

// Standard stands out, since it is what there usually is something to gain from.
QColor Theme::color_of(model::Implementation implementation) const {
  switch (implementation) {
    case model::Implementation::standard:
      return fill(orange, dark);
    case model::Implementation::persistent:
      return fill(green, dark);
    case model::Implementation::persistent_dynamic:
      return fill(sky, dark);
    case model::Implementation::persistent_small_h:
      return fill(dark ? dark_blue : blue, dark);
    case model::Implementation::none:
      break;
  }
  return fill(grey, dark);
}

QColor Theme::color_of(KernelRole role) const {
  switch (role) {
    case KernelRole::recurrent_gemm:
      return fill(orange, dark);
    case KernelRole::layer_gemm:
      return fill(sky, dark);
    case KernelRole::weight_gemm:
      return fill(dark ? dark_blue : blue, dark);
    case KernelRole::gemm:
      return fill(0xff8fb8d8, dark);
    case KernelRole::pointwise:
      return fill(purple, dark);
    case KernelRole::persistent:
      return fill(green, dark);
    case KernelRole::reduction:
      return fill(vermilion, dark);
    case KernelRole::layout_change:
      return fill(yellow, dark);
    case KernelRole::conversion:
      return fill(0xffc9b458, dark);
    case KernelRole::initialisation:
      return fill(0xffb9c0ca, dark);
    case KernelRole::copy:
      return fill(0xff9aa86a, dark);
    case KernelRole::other:
    case KernelRole::algorithm_search:
    case KernelRole::unknown:
      break;
  }
  return fill(grey, dark);
}

QColor Theme::color_of(Phase phase) const {
  switch (phase) {
    case Phase::forward_inference:
      return fill(dark ? dark_blue : blue, dark);
    case Phase::forward_training:
      return fill(sky, dark);
    case Phase::backward_data:
      return fill(orange, dark);
    case Phase::backward_weights:
      return fill(purple, dark);
  }
  return fill(grey, dark);
}

QColor Theme::series(int n) const {
  const std::array<QRgb, 8> order = {
      dark ? dark_blue : blue, orange, green, purple, sky, vermilion, 0xffc9b458, grey};
  return fill(order[static_cast<std::size_t>(n < 0 ? 0 : n) % order.size()], dark);
}

}  // namespace rnnadvisor::gui
