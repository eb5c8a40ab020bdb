"""Layers with what check() reads of PyTorch's, for machines without it."""


class Weight:
    def __init__(self, dtype):
        self.dtype = dtype
        self.requires_grad = True


class Module:
    def __init__(self, **children):
        self.training = True
        self.children = children

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, child in self.children.items():
            yield from child.named_modules(f"{prefix}.{name}" if prefix else name)

    def parameters(self):
        return []


class Recurrent(Module):
    def __init__(self, mode="LSTM", input_size=80, hidden_size=1000, dtype="torch.float32", **more):
        super().__init__()
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first, self.dropout = 1, True, False, 0.0
        self.bidirectional, self.proj_size = False, 0
        self.weight_ih_l0 = Weight(dtype)
        self.__dict__.update(more)

    def parameters(self):
        return [self.weight_ih_l0]


class LSTMCell(Module):
    weight_hh = Weight("torch.float32")
