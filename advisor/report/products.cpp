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

int joined_steps(const ConfigurationReport& each) {
  const RnnConfig& config = each.configuration->config;
  std::int64_t products = 0;
  for (const auto& kernel : each.kernels) {
    const bool forward =
        kernel.phase == Phase::forward_training || kernel.phase == Phase::forward_inference;
    if (forward && kernel.role == KernelRole::layer_gemm) products += kernel.count;
  }
  const std::int64_t steps =
      std::int64_t{config.seq_length} * config.num_layers * config.directions();
  if (products <= 0 || products > steps) return 0;
  return static_cast<int>(steps / products);
}

std::string products_note(const ConfigurationReport& each) {
  std::string note =
      "M x N x K of the products that the layer comes to (NVIDIA, Optimizing Recurrent Layers "
      "User's Guide, Table 1); those between layers as if all time steps were joined in one.";
  const int joined = joined_steps(each);
  if (joined > 0) {
    note += fmt::format(" In the recorded forward pass one of them joined {} of {} steps.", joined,
                        each.configuration->config.seq_length);
  } else {
    note += " How many cuDNN joins is its own choice; a recording with kernels shows it.";
  }
  return note;
}

}  // namespace rnnadvisor::advisor
