"""A change of RNN layers inside the user's program, for `rnnadvisor try --change`: whole steps with and without it take turns, and the plugin
(profiler/plugin/steps.h) times them and says whose turn it is.

The program's layers stay what they are: class, parameters, hooks, state dict, random numbers. Where the change's turn is, the call of an nn.LSTM, GRU or RNN
runs the forward() of the module that emit.py writes, on the layer's own parameters, and nothing of it is left behind. Before that, outputs and gradients
of one real call are compared; a layer whose results move is left alone, and so is one that is no plain nn.LSTM, GRU or RNN.

What to change is asked of the command, which knows the rules: a file for each layer in the folder RNNADVISOR_CHANGES, and its answer beside it.
Nothing here may end or disturb the program: whatever goes wrong makes a layer keep its own forward()."""
import json
import os
import sys
import threading
import weakref

from . import emit
from .plan import make_plan
from .problem import NotApplicable, Problem
from .request import Call

CALLS_BEFORE = 3         # the first ones load kernels
CALLS_FOR_TRAINING = 16  # a program that trains has made a training call by then
SETTINGS = ("allow_tf32", "accumulate")  # that can be changed while the program runs; the module does what accumulate is for
SETTING_WORDS = {"cuda_graph": "a CUDA graph", "batch_first": "another layout", "inference_mode": "evaluation mode", "model_type": "the model's data type",
                 "cudnn_enabled": "cuDNN"}
TYPES = {"torch.float16": "half", "torch.float32": "float", "torch.float64": "double", "torch.bfloat16": "bfloat16"}
# Relative L2 of a tensor, by the coarsest type that computes.
LIMITS = {"half": 2e-3, "bfloat16": 2e-2, "tf32": 2e-3, "float": 1e-5, "double": 1e-10}


class Plugin:
    """The plugin in this process, or none."""

    def __init__(self):
        import ctypes
        program = ctypes.CDLL(None)
        self.wanted, self.tell = program.rnnadvisor_change_wanted, program.rnnadvisor_change_ready  # AttributeError: not loaded

    def ready(self, possible):
        self.tell(1 if possible else 0)

    def awaited(self):
        self.tell(-1)


class Layer:
    """What is known of one module. `state`: new, asked, ready, or out."""

    def __init__(self, number):
        self.number, self.state, self.calls = number, "new", 0
        self.changed, self.plan, self.call = None, None, None


def calling_line():
    """(file, line) of the program that calls the layer: the innermost frame that is neither ours nor PyTorch's."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.split(".")[0] not in ("torch", __package__.split(".")[0]):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return "", 0


def _first(args, kwargs):
    return args[0] if args else kwargs.get("input")


def describe(torch, module, given, training):
    """The call as docs/configuration.md has it."""
    packed = isinstance(given, torch.nn.utils.rnn.PackedSequence)
    x = given.data if packed else given
    cell = {"LSTM": "lstm", "GRU": "gru", "RNN_TANH": "rnn_tanh", "RNN_RELU": "rnn_relu"}[module.mode]
    kind = x.device.type
    autocast = torch.is_autocast_enabled() if kind == "cuda" else False
    weight = getattr(module, "weight_ih_l0")
    data_type = TYPES[str(torch.get_autocast_gpu_dtype() if autocast else weight.dtype)]
    call = {
        "cell": cell, "input_size": module.input_size, "hidden_size": module.hidden_size, "num_layers": module.num_layers,
        "direction": "bidirectional" if module.bidirectional else "unidirectional", "bias_mode": "double_bias" if module.bias else "no_bias",
        "data_type": data_type, "dropout": float(module.dropout), "mode": "training" if training else "inference",
    }
    if module.proj_size:
        call["proj_size"] = module.proj_size
    if packed:
        counts = given.batch_sizes.tolist()
        lengths = [sum(1 for count in counts if count > row) for row in range(counts[0])]
        if given.unsorted_indices is not None:
            lengths = [lengths[at] for at in given.unsorted_indices.tolist()]
        call.update(seq_length=len(counts), batch_size=counts[0], seq_lengths=lengths)
    else:
        three = x if x.dim() == 3 else x.unsqueeze(0 if module.batch_first else 1)
        call.update(seq_length=three.size(1 if module.batch_first else 0), batch_size=three.size(0 if module.batch_first else 1))
    flat = [weight.untyped_storage().data_ptr() for group in module.all_weights for weight in group] if hasattr(weight, "untyped_storage") else [0]
    call["framework"] = {
        "name": "pytorch", "cudnn_enabled": bool(torch.backends.cudnn.enabled), "allow_tf32": bool(torch.backends.cudnn.allow_tf32), "packed_sequence": packed,
        "batch_first": bool(module.batch_first), "flat_weights": len(set(flat)) == 1, "module_training": bool(module.training),
        "no_grad": not torch.is_grad_enabled(),
        "autocast": {"torch.float16": "float16", "torch.bfloat16": "bfloat16"}.get(str(torch.get_autocast_gpu_dtype()), "off") if autocast else "off",
    }
    return call


def trains(torch, module):
    return module.training and torch.is_grad_enabled() and any(weight.requires_grad for weight in module.parameters())


def as_class(module, kind, function):
    """What `function` returns while the module is of another class with the same parameters."""
    own = module.__class__
    object.__setattr__(module, "__class__", kind)
    try:
        return function()
    finally:
        object.__setattr__(module, "__class__", own)


def limit_of(call, plan):
    """How far results may move, as Comparison.worst() measures it."""
    computes = {call.data_type, plan.parts.get("data_type", {}).get("compute_type", call.data_type)}
    if "float" in computes and (call.allow_tf32 or plan.settings.get("allow_tf32")):
        computes.add("tf32")
    limit = max(LIMITS[name] for name in computes)
    return limit ** 0.5 if call.cell == "rnn_relu" else limit  # rounding moves values across zero, which switches whole gradients


class Comparison:
    """Outputs and gradients of a layer both ways, on one call of the program; without dropout, whose masks would differ."""

    def __init__(self, torch, module, args, kwargs, training):
        self.torch, self.module, self.training = torch, module, training
        self.given = _first(args, kwargs)
        self.hx = args[1] if len(args) > 1 else kwargs.get("hx")

    def results(self, kind):
        torch, module, leaves = self.torch, self.module, {}

        def leaf(name, tensor):
            made = tensor.detach()
            if self.training and made.is_floating_point():
                made = leaves[name] = made.clone().requires_grad_()
            return made

        given, hx = self.given, self.hx
        if isinstance(given, torch.nn.utils.rnn.PackedSequence):
            given = torch.nn.utils.rnn.PackedSequence(leaf("dx", given.data), *given[1:])
        else:
            given = leaf("dx", given)
        if hx is not None:
            hx = tuple(leaf(name, state) for name, state in zip(("dh0", "dc0"), hx)) if isinstance(hx, (tuple, list)) else leaf("dh0", hx)
        with torch.enable_grad() if self.training else torch.no_grad():
            y, ends = as_class(module, kind, lambda: module.forward(given, hx))
            ends = list(ends) if isinstance(ends, (tuple, list)) else [ends]
            tops = [y.data if isinstance(y, torch.nn.utils.rnn.PackedSequence) else y, *ends]
            found = dict(zip(("y", "h_n", "c_n"), tops))
            if not self.training:
                return found
            for name, weight in module.named_parameters():
                if weight.requires_grad:
                    leaves["d" + name] = weight
            generator = torch.Generator(device=tops[0].device).manual_seed(1)
            down = [torch.randn(top.shape, generator=generator, device=top.device).to(top.dtype) for top in tops]
            gradients = torch.autograd.grad(tops, list(leaves.values()), down, allow_unused=True)
        found.update((name, gradient) for name, gradient in zip(leaves, gradients) if gradient is not None)
        return {name: value.detach() for name, value in found.items()}

    def worst(self, kind, tf32):
        """(relative error, tensor) where both ways differ most; infinite where values that are not finite differ. `kind`: the changed class; `tf32`: the
        setting that goes with it."""
        torch, own_tf32 = self.torch, self.torch.backends.cudnn.allow_tf32
        dropout, self.module.dropout = self.module.dropout, 0.0
        devices = [self.given.data.device] if self.given.data.device.type == "cuda" else []
        try:
            with torch.random.fork_rng(devices):
                own = self.results(type(self.module))
                torch.backends.cudnn.allow_tf32 = tf32
                other = self.results(kind)
        finally:
            self.module.dropout, torch.backends.cudnn.allow_tf32 = dropout, own_tf32
        found = (0.0, "y")
        for name, a in own.items():
            b = other[name]
            if not bool((a.isfinite() == b.isfinite()).all()):
                return float("inf"), name
            a, b = (value.double().nan_to_num(0, 0, 0) for value in (a, b))
            size, apart = float(a.norm()), float((a - b).norm())
            error = apart / size if size > 0 else 0.0 if apart == 0 else float("inf")
            found = max(found, (error, name))
        return found


class Trying:
    """All layers of the process."""

    def __init__(self, torch, plugin, folder):
        self.torch, self.plugin, self.folder = torch, plugin, folder
        self.layers, self.lock, self.count = weakref.WeakKeyDictionary(), threading.RLock(), 0
        self.told, self.tf32, self.own_tf32 = None, None, None
        self.kinds = (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)

    def install(self):
        base = self.torch.nn.Module.__call__
        for kind in self.kinds:
            def call(module, *args, **kwargs):
                return self.called(base, module, args, kwargs)
            kind.__call__ = call

    def called(self, base, module, args, kwargs):
        torch = self.torch
        if type(module) not in self.kinds or torch.jit.is_tracing() or torch.jit.is_scripting():
            return base(module, *args, **kwargs)
        layer = self.layers.get(module)
        if layer is None or layer.state not in ("ready", "out"):
            try:
                with self.lock:
                    layer = self.proceed(module, args, kwargs)
            except Exception as error:  # ours; the program goes on
                self.end(layer, module, "the layer keeps its own forward(): {}: {}".format(type(error).__name__, error))
                layer = self.layers.get(module)
        wanted = layer is not None and layer.state == "ready" and self.plugin.wanted()
        self.switch(wanted)
        if not wanted or layer.changed is None:
            return base(module, *args, **kwargs)
        return as_class(module, layer.changed, lambda: base(module, *args, **kwargs))

    def switch(self, wanted):
        """TF32 is a setting of the whole process, and the backward pass reads it, too."""
        if self.tf32 is None or self.torch.backends.cudnn.allow_tf32 == (self.tf32 if wanted else self.own_tf32):
            return
        self.torch.backends.cudnn.allow_tf32 = self.tf32 if wanted else self.own_tf32

    def proceed(self, module, args, kwargs):
        torch, layer = self.torch, self.layers.get(module)
        if layer is None:
            layer = self.layers[module] = Layer(self.count)
            self.count += 1
        layer.calls += 1
        given = _first(args, kwargs)
        training = trains(torch, module)
        if layer.state == "new":
            if layer.calls < CALLS_BEFORE or (not training and layer.calls < CALLS_FOR_TRAINING):
                return layer
            x = given.data if isinstance(given, torch.nn.utils.rnn.PackedSequence) else given
            layer.training, layer.call = training, describe(torch, module, given, training)
            layer.state = "asked"
            self.plugin.awaited()
            file, line = calling_line()
            self.write(layer, "layer", {"call": layer.call, "file": file, "line": line,
                                        "gpu": torch.cuda.get_device_name(x.device) if x.device.type == "cuda" else ""})
        elif layer.state == "asked" and training == layer.training:
            answer = self.read(layer)
            if answer is not None:
                self.decide(layer, module, answer, args, kwargs)
        return layer

    def decide(self, layer, module, answer, args, kwargs):
        if not answer.get("candidates"):
            return self.end(layer, module, answer.get("none") or "no change of this layer is worth a try")
        refused = ""
        for candidate in answer["candidates"]:
            transforms = [(one["kind"], one.get("parameters", {})) for one in candidate["transforms"]]
            try:
                call = Call(layer.call)
                plan = make_plan(call, transforms)
                others = [SETTING_WORDS.get(name, name) for name in plan.settings if name not in SETTINGS]
                if others:
                    raise NotApplicable("{} cannot be switched on and off while the program runs; `advise --verify --torch` measures it".format(others[0]))
            except (NotApplicable, Problem) as reason:
                refused = refused or reason.what
                continue
            return self.compare(layer, module, plan, call, candidate, args, kwargs)
        return self.end(layer, module, refused)

    def compare(self, layer, module, plan, call, candidate, args, kwargs):
        torch, text = self.torch, emit.module_text(plan, call)
        changed = emit.load_class(text, plan, call) if text else None
        limit = limit_of(call, plan)
        own = bool(torch.backends.cudnn.allow_tf32)
        error, tensor = Comparison(torch, module, args, kwargs, layer.training).worst(changed or type(module), plan.settings.get("allow_tf32", own))
        about = {"transforms": candidate["transforms"], "error": error if error < float("inf") else None, "tensor": tensor, "limit": limit,
                 "module": text, "class": emit.class_name(plan, call) if text else "", "file": emit.module_name(plan) + ".py" if text else ""}
        if not error <= limit:
            return self.end(layer, module, "its results differ", **about)
        layer.changed, layer.state = changed, "ready"
        if "allow_tf32" in plan.settings:
            self.tf32, self.own_tf32 = plan.settings["allow_tf32"], own
        self.write(layer, "result", {"status": "changed", **about})
        self.tell()

    def end(self, layer, module, reason, **about):
        """The layer keeps its own forward()."""
        try:
            if layer is None:
                layer = self.layers[module] = self.layers.get(module) or Layer(self.count)
            layer.state = "out"
            self.write(layer, "result", {"status": "kept", "reason": reason, **about})
            self.tell()
        except Exception:
            pass

    def tell(self):
        """Once nothing is open: whether there is anything to time."""
        layers = list(self.layers.values())
        if any(layer.state == "asked" for layer in layers):
            return
        possible = any(layer.state == "ready" for layer in layers)
        if possible != self.told and (possible or not any(layer.state == "new" for layer in layers)):
            self.told = possible
            self.plugin.ready(possible)

    def path(self, layer, what):
        return os.path.join(self.folder, "{}-{}.{}.json".format(os.getpid(), layer.number, what))

    def write(self, layer, what, content):
        path = self.path(layer, what)
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(content, file)
        os.replace(path + ".part", path)

    def read(self, layer):
        try:
            with open(self.path(layer, "answer"), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None


def start():
    """When torch.nn has its RNN layers. Does nothing where the plugin is not in the process."""
    import torch
    try:
        plugin = Plugin()
    except (AttributeError, OSError):
        return
    Trying(torch, plugin, os.environ["RNNADVISOR_CHANGES"]).install()
