"""A surrogate of a physical simulation, which needs double."""
import torch
from torch import nn
from steps import fed, graphed, run

STATE, UNITS, BATCH, LENGTH = 256, 1024, 128, 40


class Surrogate(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(STATE, UNITS)
        self.head = nn.Linear(UNITS, STATE)

    def forward(self, x):
        return x + self.head(self.rnn(x)[0])


def training(kind=torch.double):
    model = Surrogate().cuda().to(kind)
    optimizer = torch.optim.Adam(model.parameters(), capturable=True)
    paths = torch.randn(4, LENGTH + 1, BATCH, STATE, device="cuda", dtype=kind)

    def step(path):
        loss = nn.functional.mse_loss(model(path[:-1]), path[1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(path,) for path in paths]


def variants():
    return {"as written": lambda: fed(*training()),
            "float": lambda: fed(*training(torch.float)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
