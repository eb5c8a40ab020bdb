#include "core/config/key_scope.h"

#include <fmt/format.h>

#include <algorithm>

namespace rnnadvisor {
namespace {

// "LSTM", "GRU": cells that a key belongs to.
std::string_view cell_title(Cell cell) { return cell == Cell::gru ? "GRU" : "LSTM"; }

// "PyTorch, TensorFlow, Keras"; empty where no framework, or every one, is left out.
std::string frameworks_title(unsigned frameworks) {
  if (frameworks == detail::all || frameworks == detail::named) return {};
  std::string text;
  const auto add = [&](unsigned some, std::string_view title) {
    if ((frameworks & some) != some) return;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", title);
    frameworks &= ~some;
  };
  add(detail::cudnn_api, "cuDNN API");
  add(detail::pytorch, framework_title(Framework::pytorch));
  add(detail::frameworks(Framework::tensorflow), framework_title(Framework::tensorflow));
  add(detail::keras, "Keras");
  add(detail::keras2, framework_title(Framework::keras2));
  add(detail::keras3, framework_title(Framework::keras3));
  add(detail::jax, framework_title(Framework::jax));
  add(detail::onnxruntime, framework_title(Framework::onnxruntime));
  return text;
}

}  // namespace

std::string_view framework_title(std::optional<Framework> framework) {
  switch (framework.value_or(Framework::cudnn_api)) {
    case Framework::pytorch:
      return "PyTorch";
    case Framework::keras2:
      return "Keras 2";
    case Framework::keras3:
      return "Keras 3";
    case Framework::tensorflow:
      return "TensorFlow";
    case Framework::jax:
      return "JAX";
    case Framework::onnxruntime:
      return "ONNX Runtime";
    case Framework::cudnn_api:
      break;
  }
  return {};
}

std::string meaning_with_scope(std::string_view key, std::string_view meaning) {
  const auto scope = std::find_if(key_scopes.begin(), key_scopes.end(),
                                  [&](const KeyScope& each) { return each.key == key; });
  if (scope == key_scopes.end()) return std::string(meaning);
  std::string where = frameworks_title(scope->frameworks);
  if (scope->cell) where += fmt::format("{}{}", where.empty() ? "" : " ", cell_title(*scope->cell));
  return where.empty() ? std::string(meaning) : fmt::format("{}: {}", where, meaning);
}

std::string why_out_of_scope(const KeyScope& scope, std::optional<Framework> framework, Cell cell) {
  if (!scope.has(framework.value_or(Framework::cudnn_api))) {
    const std::string of = scope.frameworks == detail::cudnn_api
                               ? "programs that call cuDNN themselves"
                           : scope.frameworks == detail::named ? "a framework"
                                                               : frameworks_title(scope.frameworks);
    const auto title = framework_title(framework);
    const std::string here = !framework      ? "no framework is named"
                             : title.empty() ? "this program calls cuDNN itself"
                                             : fmt::format("the framework is {}", title);
    return fmt::format("it is a setting of {}, and {}", of, here);
  }
  if (scope.cell && *scope.cell != cell)
    return fmt::format("it is a setting of {} layers, and the cell is {}", cell_title(*scope.cell),
                       to_string(cell));
  return {};
}

}  // namespace rnnadvisor
