"""Forecasts of many series: an LSTM in bfloat16."""
import torch
from torch import nn
from steps import fed, graphed, run

SERIES, UNITS, BATCH, LENGTH = 128, 1024, 64, 96


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(SERIES, UNITS)
        self.head = nn.Linear(UNITS, SERIES)

    def forward(self, past):
        return self.head(self.rnn(past)[0])


def training(kind=torch.bfloat16):
    model = Forecaster().cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    history = torch.randn(4, LENGTH + 1, BATCH, SERIES, device="cuda", dtype=kind)

    def step(values):
        loss = nn.functional.mse_loss(model(values[:-1]).float(), values[1:].float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(values,) for values in history]


def variants():
    return {"as written": lambda: fed(*training()),
            "half": lambda: fed(*training(torch.half)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
