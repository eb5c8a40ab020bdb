"""An acoustic model in half whose LSTM projects its state to 512."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, PROJECTION, STATES, BATCH, LENGTH = 256, 1024, 512, 1000, 32, 80


class AcousticModel(nn.Module):
    def __init__(self, projection):
        super().__init__()
        self.rnn = nn.LSTM(FEATURES, UNITS, proj_size=projection)
        self.head = nn.Linear(projection or UNITS, STATES)

    def forward(self, frames):
        return self.head(self.rnn(frames)[0])


def training(projection=PROJECTION):
    model = AcousticModel(projection).cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    frames = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda", dtype=torch.half)
    states = torch.randint(STATES, (4, LENGTH, BATCH), device="cuda")

    def step(x, wanted):
        loss = nn.functional.cross_entropy(model(x).float().flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(frames, states))


def variants():
    return {"as written": lambda: fed(*training()),
            "CUDA graph": lambda: graphed(*training()),
            "without projection": lambda: fed(*training(projection=0))}


if __name__ == "__main__":
    run(variants()["as written"]())
