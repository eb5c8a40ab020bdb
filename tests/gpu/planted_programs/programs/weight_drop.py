"""A language model's LSTM in half with dropped recurrent weights, as in AWD-LSTM: the dropped ones are tensors of their own."""
import warnings

import torch
from torch import nn
from steps import fed, graphed, run

warnings.simplefilter("ignore")
UNITS, BATCH, LENGTH, DROPPED = 1024, 32, 70, 0.5


class WeightDrop(nn.Module):
    def __init__(self, flatten=False):
        super().__init__()
        self.flatten = flatten
        self.rnn = nn.LSTM(UNITS, UNITS)
        self.raw = nn.Parameter(self.rnn.weight_hh_l0.detach().clone())
        del self.rnn._parameters["weight_hh_l0"]
        self.drop()

    def drop(self):
        self.rnn.weight_hh_l0 = nn.functional.dropout(self.raw, DROPPED, self.training)

    def forward(self, x):
        self.drop()
        if self.flatten:
            self.rnn.flatten_parameters()
        return self.rnn(x)[0]


class DropInPlace(nn.Module):
    """The dropped weights are written into the flat buffer of the module; the raw ones take their gradient through the mask."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(UNITS, UNITS)
        self.raw = nn.Parameter(self.rnn.weight_hh_l0.detach().clone())

    def forward(self, x):
        with torch.no_grad():
            self.mask = nn.functional.dropout(torch.ones_like(self.raw), DROPPED)
            self.rnn.weight_hh_l0.copy_(self.raw * self.mask)
        return self.rnn(x)[0]

    def chain(self):
        self.raw.grad, self.rnn.weight_hh_l0.grad = self.rnn.weight_hh_l0.grad * self.mask, None


def training(make=WeightDrop):
    model = make().cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(4, LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)

    def step(x):
        loss = model(x).float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        if isinstance(model, DropInPlace):
            model.chain()
        optimizer.step()
        return loss
    return step, [(x,) for x in data]


def variants():
    return {"as written": lambda: fed(*training()),
            "flatten_parameters() in forward": lambda: fed(*training(lambda: WeightDrop(flatten=True))),
            "dropped in place": lambda: fed(*training(DropInPlace)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
