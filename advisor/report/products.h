// The matrix products of a configuration as a table: M, N, K and how many, by phase and path (Table
// 1 of NVIDIA's "Optimizing Recurrent Layers User's Guide", core/model/gemm.h).
#pragma once

#include <string>
#include <vector>

#include "advisor/report/report.h"
#include "core/model/gemm.h"

namespace rnnadvisor::advisor {

// Products of equal dimensions of one phase and path together.
struct ProductRow {
  model::Gemm product;  // `count` is that of all layers and directions of the row
  int first_layer = 0, last_layer = 0;
};

// Of the phases of the configuration's mode; empty where its sizes are not known.
std::vector<ProductRow> product_rows(const ConfigurationReport& each);
// "1", "2 to 4": layers of a row, counted from 1.
std::string layers_of(const ProductRow& row);
// The head, then a row for each product.
std::vector<std::vector<std::string>> product_cells(const ConfigurationReport& each);
// What must be known of the table: the unrolling factor that it is for, and those that recorded
// kernels show.
std::string products_note(const ConfigurationReport& each);

// Layer-to-layer products that the recorded kernels of one call of `phase` hold, over all layers
// and directions, and the guide's unrolling factor F that follows where all layers were joined
// alike: the time steps of one product, the last one may have fewer. 0: not known.
struct RecordedUnrolling {
  std::int64_t products = 0;
  std::int64_t steps = 0;
};
RecordedUnrolling recorded_unrolling(const ConfigurationReport& each, Phase phase);

}  // namespace rnnadvisor::advisor
