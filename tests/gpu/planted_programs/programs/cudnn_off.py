"""Regression over sequences. cuDNN was switched off once to find an error and stayed off."""
import torch
from torch import nn
from steps import fed, graphed, run

torch.backends.cudnn.enabled = False
FEATURES, UNITS, BATCH, LENGTH = 64, 500, 64, 50


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(FEATURES, UNITS)
        self.head = nn.Linear(UNITS, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][-1])


def training(cudnn=False):
    model = Regressor().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda")
    y = torch.randn(4, BATCH, 1, device="cuda")

    def step(given, wanted):
        torch.backends.cudnn.enabled = cudnn
        loss = nn.functional.mse_loss(model(given), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(x, y))


def variants():
    return {"as written": lambda: fed(*training()),
            "cuDNN on": lambda: fed(*training(cudnn=True)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
