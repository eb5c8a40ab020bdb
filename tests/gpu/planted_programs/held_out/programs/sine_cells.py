"""Sine waves as in PyTorch's example of sequence prediction, in double: two LSTM cells of 51 units in a loop over the samples of 97 waves."""
import math

import torch
from torch import nn
from steps import fed, graphed, run

UNITS, WAVES, LENGTH = 51, 97, 100


class Cells(nn.Module):
    def __init__(self, units, head_last=False):
        super().__init__()
        self.head_last = head_last
        self.low, self.high = nn.LSTMCell(1, units), nn.LSTMCell(units, units)
        self.head = nn.Linear(units, 1)

    def forward(self, waves):
        h = c = h2 = c2 = waves.new_zeros(waves.shape[0], self.low.hidden_size)
        outputs = []
        for sample in waves.split(1, dim=1):
            h, c = self.low(sample, (h, c))
            h2, c2 = self.high(h, (h2, c2))
            outputs.append(h2 if self.head_last else self.head(h2))
        if self.head_last:
            return self.head(torch.stack(outputs, dim=1))[..., 0]
        return torch.cat(outputs, dim=1)


class Stack(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.rnn, self.head = nn.LSTM(1, units, num_layers=2, batch_first=True), nn.Linear(units, 1)

    def forward(self, waves):
        return self.head(self.rnn(waves[..., None])[0])[..., 0]


def training(make=Cells, units=UNITS, rows=WAVES, kind=torch.double):
    model = make(units).cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    times = torch.arange(LENGTH + 1, device="cuda") + torch.randint(-80, 80, (4, WAVES, 1), device="cuda")
    waves = torch.sin(times.to(kind) * (2 * math.pi / 40))

    def step(wave):
        given = nn.functional.pad(wave[:, :-1], (0, 0, 0, rows - WAVES)) if rows > WAVES else wave[:, :-1]
        loss = nn.functional.mse_loss(model(given)[:WAVES], wave[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(wave,) for wave in waves]


def variants():
    return {"as written": lambda: fed(*training()),
            "nn.LSTM of two layers": lambda: fed(*training(Stack)),
            "head after the loop": lambda: fed(*training(lambda units: Cells(units, head_last=True))),
            "52 units": lambda: fed(*training(units=52)),
            "56 units": lambda: fed(*training(units=56)),
            "64 units": lambda: fed(*training(units=64)),
            "padded to 104 waves": lambda: fed(*training(rows=104)),
            "padded to 128 waves": lambda: fed(*training(rows=128)),
            "float": lambda: fed(*training(kind=torch.float)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
