"""A sequence labeller written with LSTMCell: one cell after the other, though the whole sequence is there."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, LABELS, BATCH, LENGTH = 64, 128, 10, 64, 50


class Labeller(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(FEATURES, UNITS)
        self.head = nn.Linear(UNITS, LABELS)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[1], UNITS)
        outputs = []
        for step in x:
            h, c = self.cell(step, (h, c))
            outputs.append(h)
        return self.head(torch.stack(outputs))


class WholeSequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(FEATURES, UNITS)
        self.head = nn.Linear(UNITS, LABELS)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


def training(kind=Labeller):
    model = kind().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda")
    labels = torch.randint(LABELS, (4, LENGTH, BATCH), device="cuda")

    def step(given, wanted):
        loss = nn.functional.cross_entropy(model(given).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(x, labels))


def variants():
    return {"as written": lambda: fed(*training()),
            "nn.LSTM": lambda: fed(*training(WholeSequence)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
