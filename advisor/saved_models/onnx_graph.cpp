#include "advisor/saved_models/onnx_graph.h"

namespace rnnadvisor::advisor::onnx {
namespace {

constexpr std::size_t most_values = 200'000;   // of one graph
constexpr std::size_t most_nodes = 2'000'000;  // of one graph
constexpr std::size_t most_dimensions = 16;

// TensorProto: sizes and type; its data is passed over, wherever it is.
std::pair<std::string, Tensor> read_tensor(FileBytes& file, const WireField& field) {
  std::pair<std::string, Tensor> named;
  std::vector<std::int64_t> sizes;
  WireReader reader(file, field);
  for (WireField part; reader.next(part);) {
    if (part.number == 1) append_wire_numbers(file, part, sizes, most_dimensions);
    if (part.number == 2) named.second.type = static_cast<int>(part.value);
    if (part.number == 8) named.first = wire_text(file, part);
  }
  for (const auto size : sizes) named.second.shape.push_back({size, {}});
  return named;
}

// TensorShapeProto
std::vector<Dimension> read_shape(FileBytes& file, const WireField& field) {
  std::vector<Dimension> shape;
  WireReader reader(file, field);
  for (WireField dimension; shape.size() < most_dimensions && reader.next(dimension);) {
    if (dimension.number != 1 || dimension.type != WireType::bytes) continue;
    auto& added = shape.emplace_back();
    WireReader parts(file, dimension);
    for (WireField part; parts.next(part);) {
      if (part.number == 1 && part.type == WireType::varint)
        added.size = static_cast<std::int64_t>(part.value);
      if (part.number == 2) added.symbol = wire_text(file, part);
    }
  }
  return shape;
}

// ValueInfoProto, of a tensor.
std::pair<std::string, Tensor> read_value_info(FileBytes& file, const WireField& field) {
  std::pair<std::string, Tensor> named;
  WireReader reader(file, field);
  for (WireField part; reader.next(part);) {
    if (part.number == 1) named.first = wire_text(file, part);
    if (part.number != 2 || part.type != WireType::bytes) continue;
    WireReader type(file, part);
    for (WireField tensor; type.next(tensor);) {
      if (tensor.number != 1 || tensor.type != WireType::bytes) continue;
      WireReader parts(file, tensor);
      for (WireField each; parts.next(each);) {
        if (each.number == 1) named.second.type = static_cast<int>(each.value);
        if (each.number == 2 && each.type == WireType::bytes)
          named.second.shape = read_shape(file, each);
      }
    }
  }
  return named;
}

}  // namespace

const Tensor* Scope::find(std::string_view name) const {
  if (name.empty()) return nullptr;
  for (const Scope* scope = this; scope != nullptr; scope = scope->around)
    if (const auto found = scope->values.find(name); found != scope->values.end())
      return &found->second;
  return nullptr;
}

Attribute read_attribute(FileBytes& file, const WireField& field) {
  Attribute attribute;
  WireReader reader(file, field);
  for (WireField part; reader.next(part);) {
    const bool bytes = part.type == WireType::bytes;
    switch (part.number) {
      case 1:
        attribute.name = wire_text(file, part);
        break;
      case 3:
        attribute.number = static_cast<std::int64_t>(part.value);
        break;
      case 4:
        attribute.text = wire_text(file, part);
        break;
      case 5:
        if (bytes) attribute.tensors = {part};
        break;
      case 6:
      case 11:
        if (bytes && attribute.graphs.size() < 1000) attribute.graphs.push_back(part);
        break;
      case 8:
        append_wire_numbers(file, part, attribute.numbers, most_dimensions);
        break;
      case 9:
        if (attribute.texts.size() < 16) attribute.texts.push_back(wire_text(file, part));
        break;
      case 21:
        attribute.refers = true;
        break;
      default:
        break;
    }
  }
  return attribute;
}

Node read_node(FileBytes& file, const WireField& field) {
  Node node;
  WireReader reader(file, field);
  for (WireField part; reader.next(part);) {
    if (part.type != WireType::bytes) continue;
    switch (part.number) {
      case 1:
        if (node.inputs.size() < 8) node.inputs.push_back(wire_text(file, part));
        break;
      case 2:
        if (node.output.empty()) node.output = wire_text(file, part);
        break;
      case 3:
        node.name = wire_text(file, part);
        break;
      case 4:
        node.op = wire_text(file, part);
        break;
      case 5:
        if (node.attributes.size() < 1000) node.attributes.push_back(part);
        break;
      case 7:
        node.domain = wire_text(file, part);
        break;
      default:
        break;
    }
  }
  return node;
}

void pass_on_sizes(FileBytes& file, const Node& node, Scope& scope) {
  const auto* input = scope.find(node.input(0));
  if (node.op != "Transpose" || !node.standard() || input == nullptr || input->shape.empty() ||
      scope.values.size() > most_values)
    return;
  Tensor output = *input;
  std::vector<std::int64_t> order;
  for (const auto& attribute : node.attributes)
    if (auto read = read_attribute(file, attribute); read.name == "perm") order = read.numbers;
  const auto rank = output.shape.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const auto from = i < order.size() ? static_cast<std::size_t>(order[i]) : rank - 1 - i;
    if (from >= rank) return;
    output.shape[i] = input->shape[from];
  }
  scope.values.emplace(node.output, std::move(output));
}

std::vector<WireField> read_scope(FileBytes& file, const WireField& graph, bool function,
                                  Scope& scope, bool& whole) {
  std::vector<WireField> nodes;
  WireReader reader(file, graph);
  const std::uint32_t node_number = function ? 7 : 1;
  for (WireField part; reader.next(part);) {
    if (part.type != WireType::bytes) continue;
    if (part.number == node_number) {
      nodes.push_back(part);
      const Node node = read_node(file, part);
      if (node.op == "Constant" && node.standard() && !node.attributes.empty()) {
        for (const auto& tensor : read_attribute(file, node.attributes.front()).tensors)
          scope.values.insert_or_assign(node.output, read_tensor(file, tensor).second);
      }
    } else if (function ? part.number == 12 : part.number >= 11 && part.number <= 13) {
      // A value that is an initializer, too, has the initializer's sizes.
      scope.values.insert(read_value_info(file, part));
    } else if (!function && part.number == 5) {
      auto [name, tensor] = read_tensor(file, part);
      scope.values.insert_or_assign(std::move(name), std::move(tensor));
    }
    if (scope.values.size() > most_values || nodes.size() > most_nodes) {
      whole = false;
      return nodes;
    }
  }
  whole = whole && !reader.damaged();
  return nodes;
}

}  // namespace rnnadvisor::advisor::onnx
