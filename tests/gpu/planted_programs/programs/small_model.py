"""A model of 64 units for one machine's sensors: the GPU has next to nothing to do."""
import torch
from torch import nn
from steps import fed, graphed, run

SENSORS, UNITS, BATCH, LENGTH = 16, 64, 16, 30


class Monitor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(SENSORS, UNITS)
        self.head = nn.Sequential(nn.Linear(UNITS, UNITS), nn.ReLU(), nn.Linear(UNITS, SENSORS))

    def forward(self, past):
        return self.head(self.rnn(past)[0][-1])


def training(recorded=False):
    model = Monitor().cuda()
    optimizer = torch.optim.Adam(model.parameters(), capturable=recorded)
    signal = torch.randn(8, LENGTH + 1, BATCH, SENSORS, device="cuda")

    def step(values):
        loss = nn.functional.mse_loss(model(values[:-1]), values[-1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(values,) for values in signal]


def variants():
    return {"as written": lambda: fed(*training()),
            "CUDA graph": lambda: graphed(*training(recorded=True))}


if __name__ == "__main__":
    run(variants()["as written"]())
