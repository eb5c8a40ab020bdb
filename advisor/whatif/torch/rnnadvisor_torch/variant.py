"""The captured layer and the changed one, ready to be run: module, input and one step of each phase."""
import contextlib

from . import emit

TYPES = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16"}


def plain_class(torch, call):
    return {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}.get(call.cell, torch.nn.RNN)


def arguments(call, batch_first):
    options = dict(input_size=call.input_size, hidden_size=call.hidden_size, num_layers=call.num_layers, bias=call.bias,
                   batch_first=batch_first, dropout=call.dropout, bidirectional=call.bidirectional)
    if call.proj_size:
        options["proj_size"] = call.proj_size
    if call.cell.startswith("rnn_"):
        options["nonlinearity"] = call.cell[4:]
    return options


class Values:
    """What every variant is given: weights, input, first states and the gradient of y, in the layer's type, seeded. Time-major;
    the gradient of a packed call is packed data."""

    def __init__(self, torch, call, device, seed):
        self.torch, self.call, self.device = torch, call, device
        kind = getattr(torch, TYPES[call.module_type])
        generator = torch.Generator(device=device).manual_seed(seed)

        def draw(*shape):
            return torch.randn(*shape, generator=generator, device=device).to(kind)
        count, steps = call.num_layers * call.directions, sum(call.seq_lengths)
        self.x = draw(call.seq_length, call.batch_size, call.input_size)
        self.states = [draw(count, call.batch_size, call.width)]
        if call.cell == "lstm":
            self.states.append(draw(count, call.batch_size, call.hidden_size))
        width = call.width * call.directions
        self.dy = draw(steps, width) if call.packed else draw(call.seq_length, call.batch_size, width)
        self.dends = [draw(*state.shape) for state in self.states]
        with torch.random.fork_rng(devices=[] if device == "cpu" else [device]):
            torch.manual_seed(seed)
            layer = plain_class(torch, call)(device=device, dtype=kind, **arguments(call, False))
        self.weights = {name: value.detach() for name, value in layer.state_dict().items()}


class Variant:
    """One way to run the call. plan None: as it was captured. Flags of torch.backends are set by `around()` only.

    reference: float64 without cuDNN. baseline_of: the plan that it is compared with, where that decides what "before" means."""

    def __init__(self, values, plan=None, baseline_of=None, reference=False, device=None, emitted=None):
        torch, call = values.torch, values.call
        settings = plan.settings if plan else {}
        self.torch, self.call, self.values, self.settings = torch, call, values, settings
        self.device = device or values.device
        self.packed = call.packed
        self.batch_first = settings.get("batch_first", call.batch_first) and not reference
        self.kind = getattr(torch, "float64" if reference else TYPES[settings.get("model_type", call.module_type)])
        self.flags = {"enabled": settings.get("cudnn_enabled", call.cudnn_enabled) and not reference,
                      "allow_tf32": settings.get("allow_tf32", call.allow_tf32), "deterministic": call.deterministic}
        self.autocast = None if reference or call.autocast == "off" else getattr(torch, call.autocast)
        self.keeps_graph = bool(baseline_of and "inference_mode" in baseline_of.settings)
        kind = plain_class(torch, call)
        if plan and plan.parts:
            kind = emit.load_class(emitted, plan, call)
        with self.around():
            with torch.random.fork_rng(devices=[] if self.device == "cpu" else [self.device]):
                self.module = kind(device=self.device, dtype=self.kind, **arguments(call, self.batch_first))
            self.module.load_state_dict(values.weights)
            if not call.flat_weights and not reference:
                for weight in self.module.parameters():
                    weight.data = weight.data.clone()
        self.rows = settings.get("accumulate")
        self._input()

    @contextlib.contextmanager
    def around(self):
        """The flags of this variant, and the former ones again."""
        from .environment import flags, set_flags
        found = flags(self.torch)
        set_flags(self.torch, self.flags)
        try:
            yield
        finally:
            set_flags(self.torch, {name: found[name] for name in self.flags if self.flags[name] is not None})

    def _input(self):
        torch, call = self.torch, self.call
        x = self.values.x.to(self.device, self.kind)
        self.states = [state.to(self.device, self.kind).detach() for state in self.values.states]
        self.dy = self.values.dy.to(self.device, self.kind)
        self.dends = [end.to(self.device, self.kind) for end in self.values.dends]
        if self.packed:
            lengths = torch.tensor(call.seq_lengths)
            self.x = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=call.seq_lengths == sorted(call.seq_lengths, reverse=True))
            return
        if self.batch_first:
            x, self.dy = x.transpose(0, 1).contiguous(), self.dy.transpose(0, 1).contiguous()
        self.x = x.detach().clone()
        self.axis = 0 if self.batch_first else 1

    def _pieces(self):
        """[(leaf of the input, what the module takes, states, gradient of y, of the last states)], one for a whole batch."""
        torch = self.torch
        if self.packed:
            leaf = self.x.data.detach().requires_grad_()
            given = torch.nn.utils.rnn.PackedSequence(leaf, *self.x[1:])
            return [(leaf, given, self.states, self.dy, self.dends)]
        if not self.rows:
            leaf = self.x.detach().requires_grad_()
            return [(leaf, leaf, self.states, self.dy, self.dends)]
        pieces = []
        for at in range(0, self.call.batch_size, self.rows):
            rows = min(self.rows, self.call.batch_size - at)
            leaf = self.x.narrow(self.axis, at, rows).detach().requires_grad_()
            pieces.append((leaf, leaf, [s[:, at:at + rows] for s in self.states], self.dy.narrow(self.axis, at, rows), [d[:, at:at + rows] for d in self.dends]))
        return pieces

    def _cast(self):
        if self.autocast is None:
            return contextlib.nullcontext()
        return self.torch.autocast(self.device.split(":")[0], dtype=self.autocast)

    def _start(self, states):
        return tuple(states) if self.call.cell == "lstm" else states[0]

    # --- one step of each phase ---
    def step(self, phase):
        """A function without arguments that makes one step. Called inside around()."""
        return self._training() if phase == "training" else self._inference()

    def _training(self):
        module, pieces = self.module.train(), self._pieces()
        run = module
        if self.settings.get("cuda_graph"):
            run = self.torch.cuda.make_graphed_callables(module, (pieces[0][0].detach().clone().requires_grad_(),))

        def step():
            module.zero_grad(set_to_none=True)
            for leaf, given, _, dy, _ in pieces:
                leaf.grad = None
                with self._cast():
                    y, _ = run(given)
                (y.data if self.packed else y).backward(dy.to(y.data.dtype))
        return step

    def _inference(self):
        torch, module, x = self.torch, self.module, self.x
        if self.keeps_graph:
            module.train()

            def keeping():
                with self._cast():
                    module(x)
            return keeping
        module.eval()
        if self.settings.get("cuda_graph"):
            return self._graphed()

        def step():
            with torch.inference_mode(), self._cast():
                module(x)
        return step

    def _graphed(self):
        torch, module = self.torch, self.module
        held, graph, stream = self.x.clone(), torch.cuda.CUDAGraph(), torch.cuda.Stream(self.device)
        stream.wait_stream(torch.cuda.current_stream(self.device))
        with torch.no_grad(), self._cast(), torch.cuda.stream(stream):
            for _ in range(3):
                module(held)
        torch.cuda.current_stream(self.device).wait_stream(stream)
        with torch.no_grad(), self._cast(), torch.cuda.graph(graph):
            self.graph_result = module(held)

        def step():
            held.copy_(self.x)
            graph.replay()
        return step

    # --- what it computes ---
    def results(self, gradients, with_states):
        """{name: tensor}, time-major, in this variant's type: y, h_n, c_n, and with `gradients` dx, dh0, dc0 and one per weight.
        Without dropout, whose masks cannot be the same. The module trains where gradients are wanted."""
        torch, module, dropout = self.torch, self.module, self.module.dropout
        module.dropout = 0.0
        try:
            with self.around():
                return self._results(module.train(gradients), gradients, with_states)
        finally:
            module.dropout = dropout
            module.zero_grad(set_to_none=True)

    def _results(self, module, gradients, with_states):
        torch, found = self.torch, []
        module.zero_grad(set_to_none=True)
        run = module
        for leaf, given, states, dy, dends in self._pieces():
            if self.settings.get("cuda_graph"):
                if not gradients:
                    self._graphed()()
                    y, ends = self.graph_result
                    found.append(self._named(y, ends, {}))
                    continue
                run = torch.cuda.make_graphed_callables(module, (leaf.detach().clone().requires_grad_(),))
            states = [state.detach().clone().requires_grad_() for state in states] if with_states else []
            with torch.set_grad_enabled(gradients), self._cast():
                y, ends = run(given, self._start(states)) if with_states else run(given)
            taken = {}
            data = y.data if self.packed else y
            if gradients:
                tops = [data, *(ends if self.call.cell == "lstm" else [ends])]
                torch.autograd.backward(tops, [d.to(top.dtype) for d, top in zip([dy, *dends], tops)])
                taken = dict(zip(("dx", "dh0", "dc0"), [leaf.grad, *(state.grad for state in states)]))
            found.append(self._named(data, ends, taken))
        results = {name: torch.cat([one[name] for one in found], dim=0 if self.packed else 1) for name in found[0]}
        if gradients:
            results.update({"d" + name: weight.grad.detach().clone() for name, weight in module.named_parameters()})
        return results

    def _named(self, y, ends, gradients):
        ends = list(ends) if self.call.cell == "lstm" else [ends]
        results = {"y": y, **dict(zip(("h_n", "c_n"), ends)), **gradients}
        if self.batch_first and not self.packed:
            results.update({name: results[name].transpose(0, 1) for name in ("y", "dx") if name in results})
        return {name: value.detach().clone() for name, value in results.items()}
