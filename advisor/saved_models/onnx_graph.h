// What of an ONNX file says something of its recurrent nodes. Field numbers: onnx/onnx.proto of
// github.com/onnx/onnx.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/protobuf_wire.h"

namespace rnnadvisor::advisor::onnx {

// A dimension: a size, or a symbol, or neither.
struct Dimension {
  std::int64_t size = -1;
  std::string symbol;
};

struct Tensor {
  int type = 0;  // TensorProto.DataType; 0: not known
  std::vector<Dimension> shape;
};

// The values that a graph names; those of the graphs around it are seen, too.
struct Scope {
  std::map<std::string, Tensor, std::less<>> values;
  const Scope* around = nullptr;

  const Tensor* find(std::string_view name) const;
};

struct Attribute {
  std::string name, text;
  std::int64_t number = 0;
  std::vector<std::string> texts;
  std::vector<std::int64_t> numbers;
  std::vector<WireField> graphs, tensors;
  bool refers = false;  // to an attribute of the function around it: has no value here
};

struct Node {
  std::string name, op, domain, output;
  std::vector<std::string> inputs;  // the first eight; no recurrent operator has more
  std::vector<WireField> attributes;

  bool standard() const { return domain.empty() || domain == "ai.onnx"; }
  std::string input(std::size_t i) const { return i < inputs.size() ? inputs[i] : std::string(); }
};

Node read_node(FileBytes& file, const WireField& field);
Attribute read_attribute(FileBytes& file, const WireField& field);

// Gives the output of a Transpose the sizes of its input, where they are known.
void pass_on_sizes(FileBytes& file, const Node& node, Scope& scope);

// Fills `scope` with the initializers, constants, inputs and other values of known shape of a graph
// (GraphProto) or a function (FunctionProto), and returns its nodes. `whole` becomes false where
// the bytes are damaged or hold too much.
std::vector<WireField> read_scope(FileBytes& file, const WireField& graph, bool function,
                                  Scope& scope, bool& whole);

}  // namespace rnnadvisor::advisor::onnx
