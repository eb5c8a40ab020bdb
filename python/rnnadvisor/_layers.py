"""The recurrent layers of a model as configurations of the command (docs/configuration.md has the keys).

Layers are recognised by what they have, not by their class, so that subclasses and stand-ins are read too, and no
framework is imported. What cannot be read is left out: it is then unknown, or assumed and said so.
"""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, Optional

Configuration = Dict[str, Any]

TORCH_CELLS = {"LSTM": "lstm", "GRU": "gru", "RNN_TANH": "rnn_tanh", "RNN_RELU": "rnn_relu"}
FLAX_CELLS = {"LSTMCell": "lstm", "OptimizedLSTMCell": "lstm", "GRUCell": "gru", "SimpleCell": "rnn_tanh"}
DATA_TYPES = ("float64", "float32", "float16", "bfloat16")


@dataclass
class Found:
    """What a model has: configurations, or the file of a Keras model that the command reads itself."""

    framework: str
    configurations: list[Configuration] = field(default_factory=list)
    keras_file: bytes = b""
    notes: list[str] = field(default_factory=list)
    on_gpu: Optional[int] = None  # the number of the GPU that has the weights


def read_model(model: Any, autocast: Optional[Any] = None) -> Found:
    if is_keras(model):
        return read_keras(model)
    if hasattr(model, "named_modules"):
        return read_torch(model, autocast)
    if flax_cell(model) is not None or hasattr(model, "iter_modules"):
        return read_flax(model)
    raise TypeError(
        f"check() reads models and layers of PyTorch, Keras and Flax, not {type(model).__module__}.{type(model).__qualname__}. "
        "Of a Flax linen model give the nn.RNN or its cell. Without a model write a configuration for `rnnadvisor check`"
    )


def type_name(data_type: Any) -> str:
    """float16 of torch.float16, jax.numpy.float16 and numpy.dtype('float16'); empty where it is none that cuDNN's RNNs have."""
    name = str(getattr(data_type, "name", None) or getattr(data_type, "__name__", None) or data_type).rsplit(".", 1)[-1]
    return name if name in DATA_TYPES else ""


def _state(holder: Any, path: str) -> Any:
    """holder.a.b.c, called where it is a function; None where there is no such thing in this version."""
    try:
        for name in path.split("."):
            holder = getattr(holder, name)
        return holder() if callable(holder) else holder
    except (AttributeError, RuntimeError):
        return None


# ---- PyTorch


def read_torch(model: Any, autocast: Optional[Any]) -> Found:
    found = Found("PyTorch")
    process = torch_process(autocast)
    compiled = False
    for name, module in model.named_modules():
        # torch.compile puts the model into a module of its own.
        compiled = compiled or "_orig_mod" in name.split(".") or hasattr(module, "_orig_mod")
        path = ".".join(part for part in name.split(".") if part != "_orig_mod") or type(model).__name__
        if isinstance(getattr(module, "mode", None), str) and module.mode in TORCH_CELLS and hasattr(module, "num_layers"):
            if not has_weights(module):
                found.notes.append(f"'{path}' has no floating-point weights of its own (quantized?) and does not call cuDNN: not judged")
                continue
            found.configurations.append(torch_layer(path, module, process, compiled))
            if found.on_gpu is None:
                found.on_gpu = gpu_of(module)
        elif type(module).__name__ in ("LSTMCell", "GRUCell", "RNNCell") and hasattr(module, "weight_hh"):
            found.notes.append(
                f"'{path}' is a {type(module).__name__}, which runs step by step and never calls cuDNN: not judged. "
                f"Where a whole sequence is there, use nn.{type(module).__name__[:-4]}"
            )
    if found.configurations and autocast is None and "autocast" in process and process["autocast"] == "off":
        found.notes.append(
            "autocast is off here. If the program runs the model under autocast, call check() within it, or say autocast='float16' or 'bfloat16'"
        )
    return found


def has_weights(module: Any) -> bool:
    return type_name(getattr(getattr(module, "weight_ih_l0", None), "dtype", None)) != ""


def gpu_of(module: Any) -> Optional[int]:
    device = getattr(module.weight_ih_l0, "device", None)
    if getattr(device, "type", None) != "cuda":
        return None
    return getattr(device, "index", None) or 0


def torch_layer(path: str, module: Any, process: Configuration, compiled: bool) -> Configuration:
    training = bool(module.training)
    framework = {**process, "name": "pytorch", "batch_first": bool(module.batch_first), "module_training": training}
    if compiled:
        framework["jit_compile"] = True
    gradients = not framework.get("no_grad", False) and any(
        getattr(parameter, "requires_grad", True) for parameter in getattr(module, "parameters", list)()
    )
    if training:
        framework["needs_backward"] = gradients
    flat = flat_weights(module)
    if flat is not None:
        framework["flat_weights"] = flat
    # Nothing of bias: PyTorch asks cuDNN for biases in any case.
    configuration: Configuration = {
        "id": path,
        "cell": TORCH_CELLS[module.mode],
        "input_size": module.input_size,
        "hidden_size": module.hidden_size,
        "num_layers": module.num_layers,
        "direction": "bidirectional" if module.bidirectional else "unidirectional",
        "dropout": float(module.dropout),
        "mode": "training" if training else "inference",
    }
    if getattr(module, "proj_size", 0):
        configuration["proj_size"] = module.proj_size
    # Under autocast PyTorch asks cuDNN for half, whatever the weights are.
    if framework.get("autocast", "off") == "off":
        configuration["data_type"] = type_name(module.weight_ih_l0.dtype)
    configuration["framework"] = framework
    return configuration


def flat_weights(module: Any) -> Optional[bool]:
    """Whether the weights share one buffer. Asked of weights on a GPU alone: those on the CPU become flat on their way there."""
    weights = getattr(module, "_flat_weights", None)
    if not weights or gpu_of(module) is None:
        return None
    try:
        buffers = {weight.untyped_storage().data_ptr() for weight in weights}
    except (AttributeError, RuntimeError):
        return None
    return len(buffers) == 1


def torch_process(autocast: Optional[Any]) -> Configuration:
    """What this process has set; empty without PyTorch."""
    torch = sys.modules.get("torch")
    known: Configuration = {}
    if torch is not None and hasattr(torch, "backends"):
        known["version"] = str(torch.__version__).split("+")[0]
        known["cudnn_enabled"] = _state(torch, "backends.cudnn.enabled")
        # PyTorch 2.9 and later; reading the older name warns there, and fails where the newer one was set.
        precision = _state(torch, "backends.cudnn.rnn.fp32_precision")
        known["allow_tf32"] = _state(torch, "backends.cudnn.allow_tf32") if precision is None else precision == "tf32"
        known["deterministic"] = bool(
            _state(torch, "backends.cudnn.deterministic") or _state(torch, "are_deterministic_algorithms_enabled")
        )
        known["cublas_workspace_set"] = "CUBLAS_WORKSPACE_CONFIG" in os.environ
        known["cudnn_version"] = cudnn_version(_state(torch, "backends.cudnn.version"))
        grad = _state(torch, "is_grad_enabled")
        known["no_grad"] = None if grad is None else not grad
        known["autocast"] = autocast_type(torch)
    if autocast is not None:
        known["autocast"] = type_name(autocast) or str(autocast)
    return {key: value for key, value in known.items() if value is not None}


def autocast_type(torch: Any) -> Optional[str]:
    on = _state(torch, "is_autocast_enabled")
    if not on:
        return None if on is None else "off"
    newer = getattr(torch, "get_autocast_dtype", None)  # PyTorch 2.4 and later, where the older name warns
    return type_name(newer("cuda") if newer is not None else torch.get_autocast_gpu_dtype()) or None


def cudnn_version(number: Optional[int]) -> Optional[str]:
    """9.19.0 of 91900, 8.9.2 of 8902."""
    if not number:
        return None
    major = 10000 if number >= 90000 else 1000
    return f"{number // major}.{number % major // 100}.{number % 100}"


# ---- Keras


def is_keras(model: Any) -> bool:
    return hasattr(model, "get_config") and any(each.__module__.split(".")[0] in ("keras", "tf_keras") for each in type(model).__mro__)


def read_keras(model: Any) -> Found:
    """The description that Keras itself would save, which the command reads."""
    found = Found("Keras")
    description = keras_description(model)
    if "layers" not in description["config"]:
        description = {"class_name": "Sequential", "config": {"name": "", "layers": [description]}}
    keras = sys.modules.get(type(model).__module__.split(".")[0])
    version = str(getattr(keras, "__version__", "3.0.0"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("metadata.json", json.dumps({"keras_version": version}))
        file.writestr("config.json", json.dumps(description, default=str))
    found.keras_file = buffer.getvalue()
    return found


def keras_description(layer: Any) -> Configuration:
    to_json = getattr(layer, "to_json", None)
    if to_json is not None:
        described: Configuration = json.loads(to_json())
        return described
    description: Configuration = {"class_name": type(layer).__name__, "config": layer.get_config()}
    build = getattr(layer, "get_build_config", lambda: None)()
    if build:
        description["build_config"] = build
    return description


# ---- Flax


def flax_cell(module: Any) -> Optional[str]:
    """The cell of a module that is one or runs one."""
    if not any(each.__module__.split(".")[0] == "flax" for each in type(module).__mro__):
        return None
    cell = getattr(module, "cell", module)
    return FLAX_CELLS.get(type(cell).__name__)


def flax_modules(module: Any) -> Iterator[tuple[str, Any]]:
    """nnx models know their modules; a linen module has them only while it runs."""
    if hasattr(module, "iter_modules"):
        for path, each in module.iter_modules():
            yield ".".join(map(str, path)), each
    else:
        yield "", module


def read_flax(model: Any) -> Found:
    """Flax runs its cells in a scan and never calls cuDNN, which is what the command is told by custom_cell."""
    found = Found("Flax")
    jax = sys.modules.get("jaxlib")
    within = set()
    for path, module in flax_modules(model):
        kind = flax_cell(module)
        if kind is None or id(module) in within:
            continue
        cell = getattr(module, "cell", module)
        within.add(id(cell))
        framework: Configuration = {"name": "jax", "custom_cell": True}
        if jax is not None:
            framework["version"] = str(jax.__version__)
        configuration: Configuration = {
            "id": path or type(cell).__name__,
            "cell": kind,
            "hidden_size": getattr(cell, "hidden_features", None) or cell.features,
            "framework": framework,
        }
        if getattr(cell, "in_features", None):
            configuration["input_size"] = cell.in_features
        data_type = type_name(getattr(cell, "dtype", None)) or type_name(getattr(cell, "param_dtype", None))
        if data_type:
            configuration["data_type"] = data_type
        found.configurations.append(configuration)
    return found
