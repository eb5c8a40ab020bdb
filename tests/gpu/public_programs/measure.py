#!/usr/bin/env python3
"""Whole training steps of the public programs with a change switched on and off while they run, untraced.

measure.py DEST/programs.jsonl OUTPUT_FOLDER [--only NAME,…] [--seconds SECONDS] [--jobs N] [--without FILE]
  Starts each program of fetch.py's list under this file (`--inside`), several at once; one of them has the GPU. Writes OUTPUT_FOLDER/NAME.json.
  --without FILE   {"NAME": ["change", …]}: what is not switched on in a program
A change that ends the program is left out, and the program starts again; the results say why.

A step lasts from one backward pass to the next: data, forward pass, backward pass and optimizer. Blocks of steps take turns, in random order: the
program as it is written, the same again as control, and each change:
  TF32 for matrices   torch.set_float32_matmul_precision("high"); recurrent layers use TF32 as PyTorch is
  autocast float16    forward passes under torch.autocast
  graph of network    the forward and backward pass of the outermost modules with a recurrent layer (torch.cuda.make_graphed_callables), up to 24 shapes
  graph to backward   all that a step launches from its first module to the end of the backward pass, captured once for each shape. What the program
                      computes between modules it computes again. While a step is captured, tensors of the CPU are made on the GPU in place of copied,
                      and what is read back is 0: what the program would have to move out of its step. Packed sequences are padded
  graph of step       the same with the optimizer (capturable)
  cuDNN on            torch.backends.cudnn.enabled
  half layers         recurrent layers in half with the sizes that the first answer names (HALF_SIZES), everything else as it is
  padded              pack_padded_sequence and pad_packed_sequence pass the padded tensor, the last states are gathered
"""
import argparse
import concurrent.futures
import fcntl
import json
import os
import pathlib
import random
import runpy
import signal
import subprocess
import sys
import time
import traceback
import types

AS_WRITTEN, CONTROL, TF32, HALF, PADDED = "as written", "as written, again", "TF32 for matrices", "autocast float16", "padded"
NETWORK, BACKWARD, STEP, CUDNN, LAYERS = "graph of network", "graph to backward", "graph of step", "cuDNN on", "half layers"
LEAST_ROUNDS, MOST_ROUNDS = 7, 15
BLOCK_SECONDS = 0.05
MOST_AGAIN = 12          # a block is timed anew where a graph was captured in it
WARM = 2                 # steps of a block before its time is taken; 8 the first time
# Units, inputs, sequences: a size is rounded up to a multiple, and to at least as much.
HALF_SIZES = {"awd_lstm_lm": ((512, 128), (1, 128), 24), "speaker_verification": ((1, 1), (128, 1), 24), "vae_lagging_encoder": ((1, 1), (1, 1), 16),
              "world_models_mdrnn": ((1, 1), (128, 1), 0), "zaremba": ((1, 512), (1, 1), 0), "sha_rnn": ((1, 1), (1, 1), 0),
              "voicefilter": ((512, 1), (1, 512), 0), "tacotron2_amp": ((1, 1), (1, 1), 0)}
SEPARATE_LAYERS = ("speaker_verification", "voicefilter")
SEPARATE_DIRECTIONS = ("voicefilter",)
ALREADY_HALF = ("crnn_autocast", "gnmt_fp16", "sha_rnn", "tacotron2_amp")
BACKWARDS = {"text_autoencoders": 2}  # backward passes of a step
WHOLE = {"ppo_atari_lstm": 16, **BACKWARDS}  # backward passes between two rollouts: a block has a multiple of them
# Methods that the program calls in place of the module.
ENTRIES = {"compile": {"CompILE": "forward"}, "performance_rnn": {"PerformanceRNN": "generate"}}


class Stop(BaseException):
    pass


class Inside:
    """In the program's process. `now` is the change that is on."""

    def __init__(self, options):
        self.options, self.now, self.depth = options, AS_WRITTEN, 0
        self.steps, self.block, self.step_seconds = 0, None, []
        self.order, self.random, self.uses_packing, self.seen = [], random.Random(1), False, set()
        self.found = {"program": options.inside, "samples_ms": {}, "graphs": {}, "graph_failures": [], "eager_calls": 0}
        self.context, self.turn, self.cache = None, None, {}
        self.graphs, self.capture, self.replay, self.at = {}, None, None, 0
        self.optimizers, self.optimizer_steps, self.steps_left, self.counting = [], [], 0, 0
        self.halves, self.zeros, self.kept, self.graphing, self.stream = {}, [], [], False, None
        self.backwards, self.passes = BACKWARDS.get(options.inside, 1), 0

    def my_turn(self):
        self.turn = open(self.options.folder / "turn", "w")
        fcntl.flock(self.turn, fcntl.LOCK_EX)
        self.began = time.monotonic()

    def around(self):
        """While something is captured: what cannot be in a graph goes around it."""
        torch, tree = self.torch, self.torch.utils._pytree
        aten = torch.ops.aten
        from torch.utils._python_dispatch import TorchDispatchMode

        class AroundCapture(TorchDispatchMode):
            def __init__(self):
                super().__init__()
                self.made, self.kept = set(), []

            def chosen(self, index):
                """Indices that are known without reading anything back: of the CPU as many zeros on the GPU, of a mask on the GPU all places."""
                if index is not None and index.is_cuda and index.dtype in (torch.bool, torch.uint8):
                    return list(self.everywhere(index).unbind(1))
                if index is None or index.is_cuda:
                    return [index]
                shapes = [one.shape for one in index.nonzero(as_tuple=True)] if index.dtype in (torch.bool, torch.uint8) else [index.shape]
                return [torch.zeros(shape, dtype=torch.long, device="cuda") for shape in shapes]

            def everywhere(self, mask):
                rest, indices = torch.arange(mask.numel(), device="cuda"), []
                for size in reversed(mask.shape):
                    indices.insert(0, rest % size)
                    rest = rest // size
                return torch.stack(indices, 1)

            def __torch_dispatch__(self, op, types, args=(), names=None):
                names = names or {}
                for one in tree.arg_tree_leaves(*args, **names):
                    if isinstance(one, torch.Tensor) and one.is_cuda and one.untyped_storage().data_ptr() not in self.made:
                        self.kept.append(one)  # made by the program before; a replay reads it again
                out = self.run(op, args, names)
                for one in tree.tree_leaves(out):
                    if isinstance(one, torch.Tensor) and one.is_cuda:
                        self.made.add(one.untyped_storage().data_ptr())
                return out

            def run(self, op, args, names):
                first = args[0] if args else None
                if op is aten._local_scalar_dense.default and first.is_cuda:
                    return torch.zeros((), dtype=first.dtype).item() if first.dtype is not torch.bool else True  # what is checked is in order
                if op in (aten._ctc_loss.Tensor, aten._ctc_loss_backward.Tensor):  # a mode makes PyTorch take these, which want lengths on the GPU
                    words = [one.tolist() if isinstance(one, torch.Tensor) and not one.is_cuda else one for one in args]
                    return (aten._ctc_loss.default if op is aten._ctc_loss.Tensor else aten._ctc_loss_backward.default)(*words, **names)
                if op is aten._to_copy.default and names.get("device") is not None and torch.device(names["device"]).type != first.device.type:
                    return torch.zeros(first.shape, dtype=names.get("dtype") or first.dtype, device=names["device"])
                if op is aten.copy_.default and first.device.type != args[1].device.type:
                    return first
                puts = op in (aten.index_put_.default, aten.index_put.default, aten._index_put_impl_.default)
                if (op is aten.index.Tensor or puts) and first.is_cuda:
                    indices = []
                    for one in args[1]:
                        indices += [one] if puts and args[2].numel() == 1 else self.chosen(one)  # one value put where a mask says needs no read
                    return op(first, indices, *args[2:], **names)
                if op is aten.nonzero.default and first.is_cuda:
                    return self.everywhere(first)
                if op is aten.masked_select.default and first.is_cuda:
                    return torch.broadcast_tensors(first, args[1])[0].reshape(-1).clone()
                if op is aten.masked_scatter_backward.default and first.is_cuda:  # of masked_select()
                    return first.reshape(args[2]).clone()
                try:
                    return op(*args, **names)
                except Exception as error:
                    raise RuntimeError(f"{op} cannot be captured") from error
        return AroundCapture()

    def tensors_of_lists(self):
        """Tensors and indices that are made of lists are copied where no dispatch mode sees it."""
        torch, inside, tensor = self.torch, self, self.torch.tensor

        def indexed(original):
            def act(this, index, *words):
                if (inside.capture or inside.graphing) and this.is_cuda:
                    each = index if isinstance(index, tuple) else (index,)
                    index = tuple(torch.as_tensor(list(one) if isinstance(one, range) else one) if isinstance(one, (list, range)) or type(one).__module__ == "numpy" else one
                                  for one in each)
                return original(this, index, *words)
            return act
        torch.Tensor.__getitem__, torch.Tensor.__setitem__ = indexed(torch.Tensor.__getitem__), indexed(torch.Tensor.__setitem__)

        def made(data, *words, **names):
            if (inside.capture or inside.graphing) and "cuda" in str(names.get("device", "")):
                return tensor(data, *words, **{**names, "device": "cpu"}).to("cuda")
            return tensor(data, *words, **names)
        torch.tensor = made
        for name in ("FloatTensor", "LongTensor"):
            def of_a_list(*words, original=getattr(torch.cuda, name), dtype=torch.float32 if name == "FloatTensor" else torch.long):
                if (inside.capture or inside.graphing) and words and isinstance(words[0], (list, tuple)):
                    return tensor(words[0], dtype=dtype).to("cuda")
                return original(*words)
            setattr(torch.cuda, name, of_a_list)

    def half_layers(self, original, module, data, state):
        """The layer in half with padded sizes. The program's optimizer goes on with its own weights, whose gradients are 0."""
        torch, functional = self.torch, self.torch.nn.functional
        (units, units_of), (inputs, inputs_of), sequences = HALF_SIZES[self.options.inside]

        def padded(size, least, multiple):
            return max(least, -(-size // multiple) * multiple)
        ways, batch_at = 2 if module.bidirectional else 1, 0 if module.batch_first else 1
        apart = ways == 2 and self.options.inside in SEPARATE_DIRECTIONS
        if id(module) not in self.halves:
            width, hidden, layers = padded(module.input_size, inputs, inputs_of), padded(module.hidden_size, units, units_of), []
            each = module.num_layers if self.options.inside in SEPARATE_LAYERS else 1
            for index in range(each * (2 if apart else 1)):
                layers.append(type(module)(width if index < (2 if apart else 1) else hidden * ways, hidden, module.num_layers // each, bias=module.bias, batch_first=module.batch_first,
                                           dropout=module.dropout if each == 1 else 0, bidirectional=ways == 2 and not apart).to("cuda", torch.float16))
            self.halves[id(module)] = width, hidden, layers
            for weight in module.parameters():
                self.zeros.append((weight, torch.zeros_like(weight)))
        width, hidden, layers = self.halves[id(module)]
        for layer in layers:
            layer.train(module.training)
        batch = data.size(batch_at)
        more = max(0, sequences - batch)
        with torch.autocast("cuda", enabled=False):
            given = functional.pad(data.half(), (0, width - data.size(2), 0, 0, 0, more) if module.batch_first else (0, width - data.size(2), 0, more))
            states = None
            if state is not None:
                wide = [functional.pad(one.half(), (0, hidden - module.hidden_size, 0, more)).contiguous() for one in (state if isinstance(state, tuple) else (state,))]
                states = [tuple(one.chunk(len(layers))[index].contiguous() for one in wide) for index in range(len(layers))]
            out, ends, steps_at = given, [], 1 - batch_at
            for ahead, back in zip(layers[::2], layers[1::2]) if apart else ():
                (one, end), (other, last) = original(ahead, out), original(back, out.flip(steps_at))
                out = torch.cat((one, other.flip(steps_at)), 2)
                ends += [part if isinstance(part, tuple) else (part,) for part in (end, last)]
            for index, layer in enumerate(() if apart else layers):
                begin = None if states is None else states[index] if len(states[index]) == 2 else states[index][0]
                out, end = original(layer, out, begin)
                ends.append(end if isinstance(end, tuple) else (end,))
            out = out.narrow(batch_at, 0, batch).unflatten(2, (ways, hidden))[..., :module.hidden_size].flatten(2)
            ends = tuple(torch.cat(one)[:, :batch, :module.hidden_size].to(data.dtype).contiguous() for one in zip(*ends))
        return out.to(data.dtype), ends if len(ends) == 2 else ends[0]

    def half_packed(self, original, module, packed, state):
        """The layer in half, of a packed sequence, with its own sizes."""
        torch = self.torch
        if id(module) not in self.halves:
            layer = type(module)(module.input_size, module.hidden_size, module.num_layers, bias=module.bias, dropout=module.dropout,
                                 bidirectional=module.bidirectional).to("cuda", torch.float16)
            self.halves[id(module)] = module.input_size, module.hidden_size, [layer]
            self.zeros += [(weight, torch.zeros_like(weight)) for weight in module.parameters()]
        _, _, (layer,) = self.halves[id(module)]
        with torch.autocast("cuda", enabled=False):
            states = state and torch.utils._pytree.tree_map(lambda one: one.half(), state)
            out, end = original(layer, packed._replace(data=packed.data.half()), states)
        return out._replace(data=out.data.to(packed.data.dtype)), torch.utils._pytree.tree_map(lambda one: one.to(packed.data.dtype), end)

    def install(self):
        import torch
        self.torch = torch
        nn, rnn = torch.nn, torch.nn.utils.rnn
        backward = torch.Tensor.backward

        def step(tensor, *words, **names):
            self.leave()
            self.passes = self.passes % self.backwards + 1
            if self.replay:
                if self.passes == 1:
                    self.replay["graph"].replay()
                for parameter, grad in self.replay["grads"] if self.now == BACKWARD else ():
                    parameter.grad = grad
                replayed = True
                if self.passes == self.backwards:
                    self.replay = None
            else:
                backward(tensor, *words, **names)
                replayed = False
            if self.now == LAYERS:
                for weight, zero in self.zeros:
                    weight.grad = zero
                for _, _, layers in self.halves.values():
                    for layer in layers:
                        layer.zero_grad()
            self.optimizer_steps.append(self.counting)
            self.counting = 0
            if self.capture and self.now == BACKWARD and self.passes == self.backwards:
                self.captured()
            self.skip = self.steps_left if replayed and self.now == STEP else 0
            if not self.capture:
                self.count()
            self.enter()
        torch.Tensor.backward = step
        self.skip = 0
        made = torch.optim.Optimizer.__init__

        def optimizer(this, *words, **names):
            made(this, *words, **names)
            self.optimizers.append(this)

            def one_step(this, *words, **names):
                self.counting += 1
                if self.skip and self.now == STEP:
                    self.skip -= 1
                    return None
                result = type(this).step(this, *words, **names)
                if self.capture and self.now == STEP and self.passes == self.backwards and self.counting >= self.steps_left:
                    self.captured()
                    self.count()
                return result
            this.step = types.MethodType(one_step, this)
        torch.optim.Optimizer.__init__ = optimizer
        call = nn.Module.__call__

        def module(this, *words, **names):
            if self.stream is None and torch.cuda.is_initialized() and torch.utils.data.get_worker_info() is None:
                # What a backward pass adds gradients up on must not be the legacy stream, or no later step can be captured.
                torch.cuda.synchronize()
                self.stream = torch.cuda.Stream()
                torch.cuda.set_stream(self.stream)
            return entered(call, this, words, names)

        def entered(call, this, words, names):
            if self.now not in (NETWORK, BACKWARD, STEP) or self.depth or not this.training or not torch.is_grad_enabled():
                return call(this, *words, **names)
            if self.now == NETWORK and (names or call is not original_call or not any(isinstance(one, (nn.RNNBase, nn.RNNCellBase)) for one in this.modules())):
                return call(this, *words, **names)
            self.depth += 1
            try:
                return self.graphed(call, this, words) if self.now == NETWORK else self.recorded(call, this, words, names)
            finally:
                self.depth -= 1
        original_call, nn.Module.__call__ = call, module
        entries, made_module = dict(ENTRIES.get(self.options.inside, {})), nn.Module.__init__

        def module_made(this, *words, **names):
            made_module(this, *words, **names)
            method = entries.pop(type(this).__name__, None)
            if method:
                original = getattr(type(this), method)
                setattr(type(this), method, lambda this, *words, **names: entered(original, this, words, names))
        nn.Module.__init__ = module_made
        self.tensors_of_lists()
        self.pack(rnn, nn)

    def recorded(self, call, module, words, names):
        """The module's part of a step that is captured, or replayed."""
        torch, tree = self.torch, self.torch.utils._pytree
        leaves = [one for one in tree.arg_tree_leaves(*words, **names) if isinstance(one, torch.Tensor)]
        key = (self.now, id(module), *((tuple(one.shape), one.dtype) for one in leaves))
        if self.capture:
            out = call(module, *words, **names)
            self.capture["calls"].append((key, [], out))
            self.capture["modules"].append(module)
            return out
        if not self.replay:
            if key not in self.graphs and len(self.graphs) < 24:
                static, named = tree.tree_map(lambda one: one.detach().clone() if isinstance(one, torch.Tensor) else one, (tuple(words), dict(names)))
                graph = torch.cuda.CUDAGraph()
                context = torch.cuda.graph(graph, stream=self.stream, capture_error_mode="relaxed")
                context.__enter__()
                self.capture = {"key": key, "graph": graph, "context": context, "modules": [module], "calls": [], "around": self.around()}
                self.capture["around"].__enter__()
                out = call(module, *static, **named)
                self.capture["calls"].append((key, [one for one in tree.arg_tree_leaves(*static, **named) if isinstance(one, torch.Tensor)], out))
                return out
            if self.graphs.get(key) is None:
                self.found["eager_calls"] += 1
                return call(module, *words, **names)
            self.replay, self.at = self.graphs[key], 0
        if self.at >= len(self.replay["calls"]) or self.replay["calls"][self.at][0] != key:
            raise RuntimeError("the step's calls differ from those that were captured")
        _, inputs, out = self.replay["calls"][self.at]
        self.at += 1
        if inputs:
            with torch.no_grad():
                torch._foreach_copy_(inputs, leaves)
        return tree.tree_map(lambda one: one.detach() if isinstance(one, torch.Tensor) else one, out)

    def captured(self):
        made, self.capture = self.capture, None
        made["around"].__exit__(None, None, None)
        made["context"].__exit__(None, None, None)
        tree, torch = self.torch.utils._pytree, self.torch
        made["calls"] = [(key, inputs, tree.tree_map(lambda one: one.detach() if isinstance(one, torch.Tensor) else one, out)) for key, inputs, out in made["calls"]]
        parameters = {id(one): one for module in made["modules"] for one in module.parameters()}
        parameters.update({id(one): one for optimizer in self.optimizers for group in optimizer.param_groups for one in group["params"]})
        made["grads"] = [(one, one.grad) for one in parameters.values() if one.grad is not None]
        self.graphs[made["key"]] = made
        self.found["graphs"][self.now] = self.found["graphs"].get(self.now, 0) + 1
        made["graph"].replay()

    def capturable(self, on):
        """The optimizers can be captured only with their counts of steps on the GPU."""
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                if "capturable" in group:
                    group["capturable"] = on
            for state in optimizer.state.values():
                if self.torch.is_tensor(state.get("step")):
                    state["step"] = state["step"].to("cuda" if on else "cpu")

    def graphed(self, call, module, words):
        torch = self.torch
        leaves = torch.utils._pytree.arg_tree_leaves(*words)
        if not all(isinstance(one, torch.Tensor) and one.is_cuda for one in leaves):
            self.found["eager_calls"] += 1
            return call(module, *words)
        key = (id(module), *((tuple(one.shape), one.dtype, one.requires_grad) for one in leaves), torch.is_autocast_enabled())
        if key not in self.cache:
            self.cache[key] = None
            if len(self.cache) <= 24:
                try:
                    sample = torch.utils._pytree.tree_map(lambda one: one.detach().clone().requires_grad_(one.requires_grad), tuple(words))
                    self.graphing = True
                    cached = torch.is_autocast_cache_enabled()
                    torch.set_autocast_cache_enabled(False)
                    around = self.around()
                    with around:
                        torch.cuda.make_graphed_callables(module, sample, allow_unused_input=True)
                    torch.set_autocast_cache_enabled(cached)
                    self.kept.append(around.kept)
                    self.cache[key] = module.__dict__.pop("forward")
                    self.found["graphs"][self.now] = self.found["graphs"].get(self.now, 0) + 1
                except Exception as error:
                    module.__dict__.pop("forward", None)
                    self.found["graph_failures"].append(f"{type(module).__name__}: {type(error).__name__}: {str(error)[:300]}")
                finally:
                    self.graphing = False
        if self.cache[key] is None:
            self.found["eager_calls"] += 1
            return call(module, *words)
        return self.cache[key](*words)

    def pack(self, rnn, nn):
        torch, inside = self.torch, self

        class Padded:
            def __init__(self, data, lengths, batch_first):
                self.data, self.lengths, self.batch_first = data, lengths, batch_first
        pack, unpack = rnn.pack_padded_sequence, rnn.pad_packed_sequence

        def packed(data, lengths, batch_first=False, enforce_sorted=True):
            inside.uses_packing = True
            if inside.now not in (PADDED, BACKWARD, STEP):  # a graph of packed sequences would keep the lengths of one batch
                return pack(data, lengths, batch_first, enforce_sorted)
            lengths = torch.as_tensor(lengths)
            longest = int(lengths.max()) if not lengths.is_cuda and lengths.any() else data.size(1 if batch_first else 0)
            return Padded(data[:, :longest] if batch_first else data[:longest], lengths, batch_first)

        def unpacked(sequence, batch_first=False, padding_value=0.0, total_length=None):
            if not isinstance(sequence, Padded):
                return unpack(sequence, batch_first, padding_value, total_length)
            data = sequence.data if batch_first == sequence.batch_first else sequence.data.transpose(0, 1)
            if total_length is not None and data.size(1 if batch_first else 0) < total_length:
                pad = total_length - data.size(1 if batch_first else 0)
                data = torch.nn.functional.pad(data, (0, 0, 0, pad) if batch_first else (0, 0, 0, 0, 0, pad))
            return data, sequence.lengths.cpu()
        rnn.pack_padded_sequence, rnn.pad_packed_sequence = packed, unpacked
        nn.utils.rnn.pack_padded_sequence, nn.utils.rnn.pad_packed_sequence = packed, unpacked
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            def forward(this, input, hx=None, original=kind.forward):
                if not isinstance(input, Padded):
                    if inside.now == LAYERS and this.training and id(this) not in inside.own():
                        if isinstance(input, rnn.PackedSequence):
                            return inside.half_packed(original, this, input, hx)
                        if input.dim() == 3:
                            return inside.half_layers(original, this, input, hx)
                    if hx is not None and inside.now != HALF and not isinstance(input, rnn.PackedSequence):  # left over from steps under autocast
                        dtype = hx[0].dtype if isinstance(hx, (tuple, list)) else hx.dtype
                        if dtype != input.dtype and not torch.is_autocast_enabled("cuda"):
                            hx = tuple(one.to(input.dtype) for one in hx) if isinstance(hx, (tuple, list)) else hx.to(input.dtype)
                    return original(this, input, hx)
                data, state = input, hx
                given = data.data if data.batch_first == this.batch_first else data.data.transpose(0, 1)
                out, state = original(this, given, state)
                if this.num_layers == 1:  # the last state of the forward direction; deeper layers' are left as they are
                    at = (data.lengths.to(out.device, non_blocking=True).long() - 1).clamp(min=0).view(*((-1, 1, 1) if this.batch_first else (1, -1, 1)))
                    last = out.gather(1 if this.batch_first else 0, at.expand(*((-1, 1, out.size(2)) if this.batch_first else (1, -1, out.size(2)))))
                    last = last.reshape(out.size(0 if this.batch_first else 1), -1)
                    heads = torch.stack(last.chunk(2 if this.bidirectional else 1, -1))
                    state = (heads, state[1]) if isinstance(state, tuple) else heads
                return Padded(out if data.batch_first == this.batch_first else out.transpose(0, 1), data.lengths, data.batch_first), state
            kind.forward = forward

    def own(self):
        return {id(layer) for _, _, layers in self.halves.values() for layer in layers}

    def enter(self):
        if self.now == HALF:
            self.context = self.torch.autocast("cuda", dtype=self.torch.float16)
            self.context.__enter__()

    def leave(self):
        if self.context:
            self.context.__exit__(None, None, None)
            self.context = None

    def changes(self):
        inside = self.options.inside
        names = [AS_WRITTEN, CONTROL, TF32, *([] if inside in ALREADY_HALF else [HALF]), NETWORK, *([STEP] if self.steps_left else []),
                 *([PADDED] if self.uses_packing else []), *([LAYERS] if inside in HALF_SIZES else []), *([CUDNN] if inside == "crnn" else [])]
        if STEP not in names or STEP in self.options.leave_out:
            names.append(BACKWARD)
        return [name for name in names if name not in self.options.leave_out]

    def count(self):
        """After a backward pass."""
        self.steps += 1
        if self.steps == 2:
            self.torch.cuda.synchronize()
            self.my_turn()
        if self.steps <= 6:
            self.torch.cuda.synchronize()
            self.step_seconds.append(time.perf_counter())
            if self.steps == 6:
                gaps = sorted(b - a for a, b in zip(self.step_seconds[1:], self.step_seconds[2:]))
                length = max(1, min(40, round(BLOCK_SECONDS / gaps[len(gaps) // 2])))
                whole = WHOLE.get(self.options.inside, 1)
                self.found["steps_in_a_block"] = self.length = -(-length // whole) * whole
                self.cudnn = self.torch.backends.cudnn.enabled
                self.warm = whole if whole > 1 else min(WARM, self.length)
                self.steps_left = sorted(self.optimizer_steps[2:])[len(self.optimizer_steps[2:]) // 2]
                self.next()
            return
        self.left -= 1
        if self.left == self.length:
            self.torch.cuda.synchronize()
            self.begin = time.perf_counter()
        if self.left == 0 and self.captures() > self.captures_before and self.again < MOST_AGAIN:
            self.again += 1  # a shape that was not captured yet
            self.start_block(self.warm)
            return
        if self.left == 0:
            self.torch.cuda.synchronize()
            self.taken[self.now] = 1e3 * (time.perf_counter() - self.begin) / self.length
            self.next()

    def next(self):
        if not self.order:
            if self.block is not None:
                self.round_done()
            self.block, self.taken = self.changes(), {}
            self.order = self.random.sample(self.block, len(self.block))
        before, self.now = self.now, self.order.pop()
        if STEP in (before, self.now) and before != self.now:
            self.capturable(self.now == STEP)
        self.found["now"] = self.now
        self.torch.set_float32_matmul_precision("high" if self.now == TF32 else "highest")
        first = self.now not in self.seen
        self.seen.add(self.now)
        self.torch.backends.cudnn.enabled = self.now == CUDNN or self.cudnn
        self.again = 0
        self.start_block(self.warm if not first or self.warm > WARM else 8)
        if first:
            self.write()

    def start_block(self, warm):
        self.left, self.captures_before = self.length + warm, self.captures()

    def captures(self):
        return sum(self.found["graphs"].values())

    def round_done(self):
        for name, value in self.taken.items():
            self.found["samples_ms"].setdefault(name, []).append(round(value, 4))
        self.write()
        rounds = min((len(v) for v in self.found["samples_ms"].values()), default=0)
        over = time.monotonic() - self.began > self.options.seconds
        if rounds >= MOST_ROUNDS or (over and rounds >= LEAST_ROUNDS):
            self.found["done"] = True
            raise Stop

    def write(self):
        self.found["tried"] = sorted(self.seen)
        self.options.result.write_text(json.dumps(self.found) + "\n")

    def run(self, command):
        script = next(index for index, word in enumerate(command) if word.endswith(".py"))
        sys.argv = command[script:]
        sys.path[0] = str(pathlib.Path(command[script]).resolve().parent)
        try:
            if "jax" not in self.options.inside and "flax" not in self.options.inside:
                self.install()
            runpy.run_path(command[script], run_name="__main__")
        except Stop:
            pass
        except BaseException as error:
            if not self.found.get("done"):
                where = traceback.extract_tb(error.__traceback__)
                lines = [f"{pathlib.Path(one.filename).name}:{one.lineno}" for one in where if one.filename != __file__][-3:]
                self.found["failure"] = f"while '{self.now}': {type(error).__name__}: {str(error).splitlines()[0][:300] if str(error) else ''} ({', '.join(lines)})"
                traceback.print_exc()
        self.write()
        sys.stderr.flush()
        if self.turn:
            fcntl.flock(self.turn, fcntl.LOCK_UN)
        os._exit(0)


def start(row, place, options):
    folder, result = options.output.resolve(), options.output.resolve() / (row["name"] + ".json")
    left_out = options.left_out.setdefault(row["name"], [])
    command = [sys.executable, str(pathlib.Path(__file__).resolve()), str(options.list), str(folder), "--inside", row["name"], "--seconds", str(options.seconds), "--leave-out", json.dumps(left_out)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", **row.get("env", {})}
    with open(folder / (row["name"] + ".log"), "w") as log:
        process = subprocess.Popen(command, cwd=place / row["cwd"], env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            process.wait(timeout=options.limit)
            ended = f"status {process.returncode}"
        except subprocess.TimeoutExpired:
            ended = f"no answer within {options.limit:g} s"
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    found = json.loads(result.read_text()) if result.exists() else {"program": row["name"]}
    if not found.get("done"):
        found["ended"] = ended
    guilty = found.get("now", AS_WRITTEN)
    if not found.get("done") and guilty not in (AS_WRITTEN, CONTROL, *left_out) and options.more():
        left_out.append(guilty)
        why = found.get("failure") or "; ".join([*found.get("graph_failures", []), ended])
        name, found = start(row, place, options)
        found["fails"] = {guilty: why, **found.get("fails", {})}
    result.write_text(json.dumps(found) + "\n")
    return row["name"], found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=8, help="of a program's turn, more where seven rounds take longer")
    parser.add_argument("--limit", type=float, default=90, help="for a program, its waiting included")
    parser.add_argument("--until", type=float, default=1e9, help="start no program after so many seconds")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--without", type=pathlib.Path)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--leave-out", type=json.loads, default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.list = options.list.resolve()
    rows = [json.loads(line) for line in options.list.read_text().splitlines()]
    if options.inside:
        options.folder, options.result = options.output, options.output / (options.inside + ".json")
        row = next(row for row in rows if row["name"] == options.inside)
        Inside(options).run(row["command"])
    begin = time.monotonic()
    options.output.mkdir(parents=True, exist_ok=True)
    options.left_out = json.loads(options.without.read_text()) if options.without else {}
    names = [name for name in options.only.split(",") if name]
    rows = sorted((row for row in rows if not names or row["name"] in names), key=lambda row: names.index(row["name"]) if names else 0)

    options.more = lambda: time.monotonic() - begin < options.until

    def one(row):
        if time.monotonic() - begin < options.until:
            name, found = start(row, options.list.parent, options)
            samples = found.get("samples_ms", {})
            print("{:34} {:5.0f} s  {}".format(name, time.monotonic() - begin, found.get("failure") or found.get("ended") or " ".join(
                "{}: {:.3f}".format(key, sorted(value)[len(value) // 2]) for key, value in samples.items()) or "runs: " + ", ".join(found["tried"])) + "".join(f"\n    fails: {change}: {why[:200]}" for change, why in found.get("fails", {}).items()), flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, rows))


if __name__ == "__main__":
    main()
