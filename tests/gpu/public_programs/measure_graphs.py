"""CUDA graphs of a program's steps, for measure.py: what cannot be captured goes around the capture."""
from measure_changes import MOST_GRAPHS


class Graphs:
    """Of the program's process (`Inside`)."""

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
                    return aten.fill_.Scalar(first, args[1].item()) if first.is_cuda and args[1].dim() == 0 else first
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
            if key not in self.graphs and len(self.graphs) < MOST_GRAPHS.get(self.options.inside, 24):
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
                self.ran_eagerly()
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

    def ran_eagerly(self):
        self.found["eager_calls"][self.now] = self.found["eager_calls"].get(self.now, 0) + 1

    def graphed(self, call, module, words):
        """The module's passes as graphs, one for each shape. What is no tensor in a call is part of its graph."""
        torch, tree = self.torch, self.torch.utils._pytree
        leaves, form = tree.tree_flatten(tuple(words))
        tensors = [one for one in leaves if isinstance(one, torch.Tensor)]
        rest = [None if isinstance(one, torch.Tensor) else one for one in leaves]
        if not all(one.is_cuda for one in tensors) or not all(one is None or isinstance(one, (bool, int, float, str)) for one in rest):
            self.ran_eagerly()
            return call(module, *words)
        given = words if len(tensors) == len(leaves) else tensors
        key = (id(module), str(form), str(rest), *((tuple(one.shape), one.dtype, one.requires_grad) for one in tensors), torch.is_autocast_enabled())
        if key not in self.cache:
            self.cache[key] = None
            if len(self.cache) <= MOST_GRAPHS.get(self.options.inside, 24):
                try:
                    self.cache[key] = self.graph_of(module if given is words else self.with_constants(module, leaves, form), given)
                    self.found["graphs"][self.now] = self.found["graphs"].get(self.now, 0) + 1
                except Exception as error:
                    module.__dict__.pop("forward", None)
                    self.found["graph_failures"].append(f"{type(module).__name__}: {type(error).__name__}: {str(error)[:300]}")
                finally:
                    self.graphing = False
        if self.cache[key] is None:
            self.ran_eagerly()
            return call(module, *words)
        return self.cache[key](*given)

    def with_constants(self, module, leaves, form):
        """The module, called with its tensors alone."""
        torch, tree = self.torch, self.torch.utils._pytree
        fixed = [None if isinstance(one, torch.Tensor) else (one,) for one in leaves]

        class Called(torch.nn.Module):
            def __init__(this):
                super().__init__()
                this.called = module

            def forward(this, *tensors):
                tensors = iter(tensors)
                return this.called.forward(*tree.tree_unflatten([one[0] if one else next(tensors) for one in fixed], form))
        return Called()

    def graph_of(self, module, words):
        torch = self.torch
        sample = torch.utils._pytree.tree_map(lambda one: one.detach().clone().requires_grad_(one.requires_grad), tuple(words))
        self.graphing = True
        cached = torch.is_autocast_cache_enabled()
        torch.set_autocast_cache_enabled(False)
        around = self.around()
        with around:
            torch.cuda.make_graphed_callables(module, sample, allow_unused_input=True)
        torch.set_autocast_cache_enabled(cached)
        self.kept.append(around.kept)
        return module.__dict__.pop("forward")
