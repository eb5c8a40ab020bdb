"""A wide forecaster in float with TF32 switched off, as a recipe for reproducible results had it."""
import torch
from torch import nn
from steps import fed, graphed, run

torch.backends.cudnn.allow_tf32 = False
SERIES, UNITS, BATCH, LENGTH = 256, 1536, 64, 64


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(SERIES, UNITS)
        self.head = nn.Linear(UNITS, SERIES)

    def forward(self, past):
        return self.head(self.rnn(past)[0])


def training(tf32=False, kind=torch.float):
    model = Forecaster().cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    history = torch.randn(4, LENGTH + 1, BATCH, SERIES, device="cuda", dtype=kind)

    def step(values):
        torch.backends.cudnn.allow_tf32 = tf32
        loss = nn.functional.mse_loss(model(values[:-1]).float(), values[1:].float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(values,) for values in history]


def variants():
    return {"as written": lambda: fed(*training()),
            "TF32 on": lambda: fed(*training(tf32=True)),
            "half": lambda: fed(*training(kind=torch.half)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
