"""A recorded training step in half whose sizes are all multiples of 128: one layer, 1024 units, batch 64, and the whole step is a CUDA graph already."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, BATCH, LENGTH = 512, 1024, 64, 128


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(FEATURES, UNITS), nn.Linear(UNITS, FEATURES)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


def training(sequences=BATCH, rows=BATCH, kind=torch.half):
    model = Forecaster().cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(4, LENGTH + 1, BATCH, FEATURES, device="cuda", dtype=kind)

    def step(values):
        optimizer.zero_grad()
        for part in values.split(rows, dim=1):
            given = nn.functional.pad(part[:-1], (0, 0, 0, sequences - BATCH)) if sequences > BATCH else part[:-1]
            loss = nn.functional.mse_loss(model(given)[:, :rows].float(), part[1:].float()) * (rows / BATCH)
            loss.backward()
        optimizer.step()
        return loss
    return step, [(values,) for values in data]


def variants():
    return {"as written": lambda: graphed(*training()),
            "not recorded": lambda: fed(*training()),
            "padded to 128 sequences": lambda: graphed(*training(sequences=128)),
            "rows of 32": lambda: graphed(*training(rows=32)),
            "bfloat16": lambda: graphed(*training(kind=torch.bfloat16)),
            "float": lambda: graphed(*training(kind=torch.float))}


if __name__ == "__main__":
    run(variants()["as written"]())
