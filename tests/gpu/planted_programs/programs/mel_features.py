"""Keyword spotting on 80 mel features, in half."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, KEYWORDS, BATCH, LENGTH = 80, 512, 12, 64, 100


class Spotter(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.rnn = nn.LSTM(width, UNITS)
        self.head = nn.Linear(UNITS, KEYWORDS)

    def forward(self, frames):
        if self.width != FEATURES:
            frames = nn.functional.pad(frames, (0, self.width - FEATURES))
        return self.head(self.rnn(frames)[0][-1])


def training(width=FEATURES):
    model = Spotter(width).cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    frames = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda", dtype=torch.half)
    spoken = torch.randint(KEYWORDS, (4, BATCH), device="cuda")

    def step(x, wanted):
        loss = nn.functional.cross_entropy(model(x).float(), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(frames, spoken))


def variants():
    return {"as written": lambda: fed(*training()),
            "padded to 128 features": lambda: fed(*training(width=128)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
