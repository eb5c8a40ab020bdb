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
// What must be known of the table: how many steps one layer-to-layer product joins, seen where
// kernels were recorded.
std::string products_note(const ConfigurationReport& each);
// Steps that one layer-to-layer product of the forward pass was seen to join; 0 where nothing
// tells.
int joined_steps(const ConfigurationReport& each);

}  // namespace rnnadvisor::advisor
