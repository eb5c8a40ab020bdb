// The matrix products of a configuration: the table, and a drawing as Figures 3 to 5 of NVIDIA's
// "Optimizing Recurrent Layers User's Guide" have it, with this layer's own sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/products.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::html {
namespace {

constexpr std::size_t most_drawn = 12;
constexpr double longest = 96;  // side of a matrix

// A matrix with its sizes below and beside it. Sides are logarithmic: those of one product differ
// by up to the length of the sequence.
void matrix(Svg& svg, double x, double y, double rows, double columns, std::string_view down,
            std::string_view across, std::string_view type) {
  svg.rect(x, y, columns, rows, type);
  svg.text(x - 6, y + rows / 2 + 4, down, "value-small", "end");
  svg.text(x + columns / 2, y + rows + 14, across, "value-small", "middle");
}

}  // namespace

std::string products_figure(const ConfigurationReport& each) {
  const auto rows = product_rows(each);
  const std::size_t drawn = std::min(rows.size(), most_drawn);
  if (drawn == 0) return {};
  std::int64_t largest = 1;
  for (std::size_t i = 0; i < drawn; ++i) {
    const auto& p = rows[i].product;
    largest = std::max({largest, p.m, p.n, p.k});
  }
  const auto side = [&](std::int64_t size) {
    return 8 + (longest - 8) * std::log1p(static_cast<double>(size)) /
                   std::log1p(static_cast<double>(largest));
  };
  constexpr double height = longest + 56, width = 620;
  Svg svg(width, height * static_cast<double>(drawn), fmt::format("products-{}", each.index),
          "Dimensions of the matrix products",
          "For each product: a matrix of M x K times one of K x N gives one of M x N.");
  for (std::size_t i = 0; i < drawn; ++i) {
    const auto& p = rows[i].product;
    const double y = height * static_cast<double>(i) + 26;
    const double m = side(p.m), n = side(p.n), k = side(p.k);
    std::string path(model::to_string(p.path));
    std::replace(path.begin(), path.end(), '_', ' ');
    svg.text(4, y - 10,
             fmt::format("{}, {}, {} times", words::phase(p.phase), path, format_count(p.count)),
             "direct");
    const auto text = [](char name, std::int64_t size) { return fmt::format("{} {}", name, size); };
    matrix(svg, 80, y, m, k, text('M', p.m), text('K', p.k), "m0");
    svg.text(210, y + longest / 2, "×", "direct", "middle");
    matrix(svg, 290, y, k, n, text('K', p.k), text('N', p.n), "m1");
    svg.text(420, y + longest / 2, "=", "direct", "middle");
    matrix(svg, 500, y, m, n, text('M', p.m), text('N', p.n), "m2");
  }
  return fmt::format(
      "<figure><figcaption>Dimensions of the products <span class=\"muted\">(sides are "
      "logarithmic{})</span></figcaption>{}</figure>",
      drawn < rows.size() ? fmt::format("; the first {} of {}", drawn, rows.size()) : "",
      svg.take());
}

}  // namespace rnnadvisor::advisor::html
