#!/usr/bin/env python3
"""Writes the models beside it: python3 make_models.py

They were written with Python 3.11, onnx 1.12.0 and PyTorch 1.13.1 of Debian 12 (python3-onnx,
python3-torch). The .onnx files are onnx's and PyTorch's own; of the .safetensors file the names,
sizes and types are those of PyTorch's state_dict(), written as the format's README says. Keras was
not at hand: the .keras file is written from keras/src/saving and the get_config() of its layers
(3.15), with keys as in saved models that are public.
"""
import io
import json
import os
import struct
import zipfile

import onnx
import torch
from onnx import TensorProto, helper

here = os.path.dirname(os.path.abspath(__file__))


def weights(name, *dims):
    count = 1
    for d in dims:
        count *= d
    return helper.make_tensor(name, TensorProto.FLOAT, dims, bytes(4 * count), raw=True)


def recurrent(op, x, y, gates, inputs, hidden, directions=1, bias=True, **attributes):
    """A node and its initializers."""
    name = attributes["name"]
    initializers = [weights(name + ".W", directions, gates * hidden, inputs),
                    weights(name + ".R", directions, gates * hidden, hidden)]
    names = [x, name + ".W", name + ".R"]
    if bias:
        initializers.append(weights(name + ".B", directions, 2 * gates * hidden))
        names.append(name + ".B")
    return helper.make_node(op, names, [y], hidden_size=hidden, **attributes), initializers


def save(path, nodes, initializers, inputs, outputs, functions=(), external=False):
    graph = helper.make_graph(nodes, "model", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14), helper.make_opsetid("local", 1)],
                              functions=list(functions), producer_name="make_models", producer_version="1")
    model.ir_version = 8
    path = os.path.join(here, path)
    if external:
        onnx.save_model(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
        os.remove(os.path.join(here, "weights.bin"))  # sizes stand in the model
    else:
        onnx.save_model(model, path)


def value(name, *dims, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


node, tensors = recurrent("LSTM", "x", "y", 4, 24, 8, 2, name="encoder", direction="bidirectional")
save("lstm_external.onnx", [node], tensors, [value("x", 20, 4, 24)], [value("y", 20, 2, 4, 8)], external=True)

node, tensors = recurrent("GRU", "x", "y", 3, 10, 16, bias=False, name="gru", linear_before_reset=0, direction="reverse")
save("gru_reset_before.onnx", [node], tensors, [value("x", "T", "N", 10)], [value("y", "T", 1, "N", 16)])

node, tensors = recurrent("LSTM", "x", "y", 4, 10, 16, name="batch_first", layout=1)
save("lstm_layout.onnx", [node], tensors, [value("x", "N", 50, 10)], [value("y", "N", 50, 1, 16)])

first, more = recurrent("RNN", "x", "y", 1, 10, 16, 2, name="mixed", direction="bidirectional",
                        activations=["Tanh", "Relu"])
second, tensors = recurrent("RNN", "x", "z", 1, 10, 16, 2, name="relu", direction="bidirectional",
                            activations=["Relu", "Relu"])
third, clipped = recurrent("LSTM", "x", "c", 4, 10, 16, name="clipped", clip=3.0, input_forget=1)
save("rnn_activations.onnx", [first, second, third], more + tensors + clipped, [value("x", 7, "N", 10)],
     [value("y", 7, 2, "N", 16), value("z", 7, 2, "N", 16), value("c", 7, 1, "N", 16)])

# Inside If, Loop and a function; the weights stand in the graph around.
then, tensors = recurrent("LSTM", "x", "then_y", 4, 6, 8, name="lstm_then")
other, more = recurrent("GRU", "x", "else_y", 3, 6, 8, name="gru_else", linear_before_reset=1)
loop, inner = recurrent("LSTM", "x", "loop_y", 4, 6, 8, name="lstm_loop")
branch = helper.make_node("If", ["flag"], ["y"], name="choose",
                          then_branch=helper.make_graph([then], "then", [], [value("then_y", 5, 1, 3, 8)]),
                          else_branch=helper.make_graph([other], "else", [], [value("else_y", 5, 1, 3, 8)]))
body = helper.make_graph([helper.make_node("Identity", ["go"], ["go_on"]), loop], "body",
                         [value("i", kind=TensorProto.INT64), value("go", kind=TensorProto.BOOL)],
                         [value("go_on", kind=TensorProto.BOOL), value("loop_y", 5, 1, 3, 8)])
repeat = helper.make_node("Loop", ["times", "flag"], ["ys"], name="repeat", body=body)
inside = helper.make_node("GRU", ["a", "w", "r"], ["b"], name="gru_inside", hidden_size=8, linear_before_reset=1)
function = helper.make_function("local", "Wrapped", ["a", "w", "r"], ["b"], [inside], [helper.make_opsetid("", 14)])
call = helper.make_node("Wrapped", ["x", "gru_else.W", "gru_else.R"], ["f"], domain="local")
save("nested.onnx", [branch, repeat, call], tensors + more + inner,
     [value("x", 5, 3, 6), value("flag", kind=TensorProto.BOOL), value("times", kind=TensorProto.INT64)],
     [value("y", 5, 1, 3, 8), value("ys", "R", 5, 1, 3, 8), value("f", 5, 1, 3, 8)], functions=[function])

torch.manual_seed(0)
with torch.no_grad():
    module = torch.nn.LSTM(6, 8, num_layers=2, bidirectional=True, batch_first=True)
    torch.onnx.export(module, torch.zeros(2, 9, 6), os.path.join(here, "torch_lstm.onnx"), opset_version=14,
                      input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "batch", 1: "time"}})


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(10, 6)
        self.encoder = torch.nn.LSTM(6, 16, num_layers=2, bidirectional=True, proj_size=4)
        self.middle = torch.nn.GRU(8, 5, bias=False, dtype=torch.float16)
        self.decoder = torch.nn.RNN(5, 7, nonlinearity="relu", dtype=torch.float64)
        self.step = torch.nn.LSTMCell(7, 3)


def save_safetensors(path, state):
    types = {torch.float32: "F32", torch.float16: "F16", torch.float64: "F64"}
    header, data = {"__metadata__": {"format": "pt"}}, io.BytesIO()
    for name, tensor in state.items():
        begin = data.tell()
        data.write(tensor.numpy().tobytes())
        header[name] = {"dtype": types[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [begin, data.tell()]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(here, path), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data.getvalue())


save_safetensors("torch_projection.safetensors", Network().state_dict())
save_safetensors("no_recurrence.safetensors", torch.nn.Linear(3, 2).state_dict())


def keras_layer(kind, config, shape=None, module="keras.layers"):
    layer = {"module": module, "class_name": kind, "config": config, "registered_name": None}
    if shape is not None:
        layer["build_config"] = {"input_shape": shape}
    return layer


def policy(name):
    return {"module": "keras", "class_name": "DTypePolicy", "config": {"name": name}, "registered_name": None}


def keras_recurrent(kind, name, units, dtype, **more):
    config = {"name": name, "trainable": True, "dtype": policy(dtype), "return_sequences": True, "return_state": False,
              "go_backwards": False, "stateful": False, "unroll": False, "zero_output_for_mask": False, "units": units,
              "activation": "tanh", "recurrent_activation": "sigmoid", "use_bias": True,
              "kernel_initializer": {"module": "keras.initializers", "class_name": "GlorotUniform",
                                     "config": {"seed": None}, "registered_name": None},
              "dropout": 0.0, "recurrent_dropout": 0.0, "seed": None}
    config.update(more)
    return config


shape = [None, 100, 40]
both = {"name": "bidirectional", "trainable": True, "dtype": policy("mixed_float16"), "merge_mode": "concat",
        "layer": keras_layer("LSTM", keras_recurrent("LSTM", "forward_lstm", 64, "mixed_float16"), shape),
        "backward_layer": keras_layer("LSTM", keras_recurrent("LSTM", "backward_lstm", 64, "mixed_float16",
                                                              go_backwards=True), shape)}
tensor = {"class_name": "__keras_tensor__",
          "config": {"shape": [None, 100, 128], "dtype": "float16", "keras_history": ["bidirectional", 0, 0]}}
gru = keras_layer("GRU", keras_recurrent("GRU", "gru", 32, "float32", reset_after=False))
gru["name"] = "gru"
gru["inbound_nodes"] = [{"args": [tensor], "kwargs": {"training": False, "mask": None}}]
layers = [keras_layer("InputLayer", {"batch_shape": shape, "dtype": "float32", "sparse": False, "name": "input_layer"}),
          keras_layer("Bidirectional", both, shape), gru,
          keras_layer("Sequential", {"name": "head", "trainable": True, "dtype": policy("float32"), "layers": [
              keras_layer("LSTM", keras_recurrent("LSTM", "dropped", 16, "float32", recurrent_dropout=0.2),
                          [None, 100, 32]),
              keras_layer("SimpleRNN", keras_recurrent("SimpleRNN", "simple", 8, "float32", activation="relu"),
                          [None, 100, 16]),
              keras_layer("RNN", {"name": "loop", "cell": keras_layer("LSTMCell", {"name": "cell", "units": 8})},
                          [None, 100, 8])]})]
model = keras_layer("Functional", {"name": "model", "trainable": True, "layers": layers, "input_layers":
                                   [["input_layer", 0, 0]], "output_layers": [["head", 0, 0]]},
                    shape, module="keras.src.models.functional")
model["compile_config"] = {"optimizer": "adam", "loss": "mse", "jit_compile": False}
for path, method in ("bidirectional.keras", zipfile.ZIP_STORED), ("bidirectional_deflated.keras", zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(os.path.join(here, path), "w", method) as archive:
        for name, text in (("metadata.json", json.dumps({"keras_version": "3.15.0", "date_saved": "2026-11-28@12:00:00"})),
                           ("config.json", json.dumps(model)), ("model.weights.h5", "")):
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 28, 12, 0, 0)), text, method)
