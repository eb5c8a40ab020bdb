#include "advisor/report/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

std::vector<Phase> phases_of(Mode mode) {
  if (mode == Mode::inference) return {Phase::forward_inference};
  return {Phase::forward_training, Phase::backward_data, Phase::backward_weights};
}

std::string_view path_words(model::Path path) {
  switch (path) {
    case model::Path::recurrent:
      return "recurrent";
    case model::Path::layer_to_layer:
      return "layer to layer";
    case model::Path::projection:
      return "projection";
  }
  return "?";
}

bool alike(const model::Gemm& a, const model::Gemm& b) {
  return a.path == b.path && a.phase == b.phase && a.m == b.m && a.n == b.n && a.k == b.k;
}

}  // namespace

std::vector<ProductRow> product_rows(const ConfigurationReport& each) {
  std::vector<ProductRow> rows;
  if (each.configuration == nullptr || !each.configuration->described()) return rows;
  const RnnConfig& config = each.configuration->config;
  for (const Phase phase : phases_of(config.mode)) {
    for (const auto& product : model::gemms(config, phase)) {
      const auto same = std::find_if(rows.begin(), rows.end(), [&](const ProductRow& row) {
        return alike(row.product, product);
      });
      if (same == rows.end()) {
        rows.push_back({product, product.layer, product.layer});
      } else {
        same->product.count += product.count;
        same->first_layer = std::min(same->first_layer, product.layer);
        same->last_layer = std::max(same->last_layer, product.layer);
      }
    }
  }
  return rows;
}

std::string layers_of(const ProductRow& row) {
  return row.first_layer == row.last_layer
             ? fmt::format("{}", row.first_layer + 1)
             : fmt::format("{} to {}", row.first_layer + 1, row.last_layer + 1);
}

std::vector<std::vector<std::string>> product_cells(const ConfigurationReport& each) {
  std::vector<std::vector<std::string>> cells = {
      {"Phase", "Product", "Layers", "M", "N", "K", "Times"}};
  for (const auto& row : product_rows(each)) {
    const auto& p = row.product;
    cells.push_back({std::string(words::phase(p.phase)), std::string(path_words(p.path)),
                     layers_of(row), fmt::format("{}", p.m), fmt::format("{}", p.n),
                     fmt::format("{}", p.k), fmt::format("{}", p.count)});
  }
  if (cells.size() == 1) cells.clear();
  return cells;
}

RecordedUnrolling recorded_unrolling(const ConfigurationReport& each, Phase phase) {
  const auto row = std::find_if(each.phases.begin(), each.phases.end(),
                                [&](const PhaseRow& r) { return r.phase == phase; });
  if (phase == Phase::backward_weights || row == each.phases.end() || !row->implementation)
    return {};
  // A product between layers that looks like one of a step counts as such: so all are counted, and
  // those of the steps taken away.
  std::int64_t seen = 0;
  for (const auto& kernel : each.kernels) {
    const bool product = kernel.role == KernelRole::layer_gemm ||
                         kernel.role == KernelRole::recurrent_gemm ||
                         kernel.role == KernelRole::gemm;
    if (product && kernel.phase == phase) seen += kernel.count;
  }
  std::int64_t of_steps = 0, matrices = 0;
  const RnnConfig& config = each.configuration->config;
  for (const auto& product : model::gemms(config, phase))
    (product.path == model::Path::layer_to_layer ? matrices : of_steps) += product.count;
  // The products of the steps are inside a persistent kernel.
  if (*row->implementation != model::Implementation::standard) of_steps = 0;
  if (matrices == 0 || seen - of_steps < matrices) return {};
  RecordedUnrolling recorded{seen - of_steps, 0};
  const std::int64_t length = config.seq_length, pieces = recorded.products / matrices;
  const std::int64_t steps = (length + pieces - 1) / pieces;
  if (recorded.products % matrices == 0 && (length + steps - 1) / steps == pieces)
    recorded.steps = steps;
  return recorded;
}

std::string products_note(const ConfigurationReport& each) {
  const RnnConfig& config = each.configuration->config;
  std::string note = fmt::format(
      "M x N x K of the products that the layer comes to (NVIDIA, Optimizing Recurrent Layers "
      "User's Guide, Table 1). Those between layers are shown for the unrolling factor F = {}: all "
      "time steps in one product of N = batch x F. cuDNN chooses F by itself.",
      config.seq_length);
  std::string recorded;
  for (const Phase phase : phases_of(config.mode)) {
    const auto seen = recorded_unrolling(each, phase);
    if (seen.products == 0) continue;
    recorded +=
        fmt::format("{}{}{} {}", recorded.empty() ? "" : "; ", words::phase(phase),
                    seen.steps > 0 ? fmt::format(" F = {},", seen.steps) : ":",
                    seen.products == 1 ? "1 product" : fmt::format("{} products", seen.products));
  }
  return note + (recorded.empty() ? " A recording with kernels shows it."
                                  : fmt::format(" Recorded, all layers together: {}.", recorded));
}

}  // namespace rnnadvisor::advisor
