"""Two layers as two modules in half, dropout between them: as PyTorch's persistent kernels want it."""
import torch
from torch import nn
from steps import fed, graphed, run

UNITS, BATCH, LENGTH = 1024, 64, 128


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.low, self.drop, self.high = nn.LSTM(UNITS, UNITS), nn.Dropout(0.2), nn.LSTM(UNITS, UNITS)

    def forward(self, x):
        return self.high(self.drop(self.low(x)[0]))[0]


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(UNITS, UNITS, num_layers=2, dropout=0.2)

    def forward(self, x):
        return self.rnn(x)[0]


def training(kind=Layers):
    model = kind().cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(4, LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)

    def step(x):
        loss = model(x).float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(x,) for x in data]


def variants():
    return {"as written": lambda: fed(*training()),
            "one module": lambda: fed(*training(Stack)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
