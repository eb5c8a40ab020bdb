// What the overview's charts show, computed from a report.
#pragma once

#include <map>
#include <vector>

#include "gui/models/document.h"

namespace rnnadvisor::gui {

// The configurations that took the most time, most first.
std::vector<int> longest_configurations(const Document& document, std::size_t most);

// Kernels of one name, with the first of them; those that took the most time in sum, most first.
struct KernelTime {
  QString name;
  KernelRole role = KernelRole::unknown;
  int first = -1;
  std::int64_t count = 0;
  double ms = 0;
};
// What an elementwise or reducing kernel computes, from the functors in its template arguments:
// "Binary Mul", "tanh_backward"; empty where they name none.
QString kernel_functor(std::string_view name);
std::vector<KernelTime> longest_kernels(const Document& document, std::size_t most);

QString role_word(KernelRole role);

}  // namespace rnnadvisor::gui
