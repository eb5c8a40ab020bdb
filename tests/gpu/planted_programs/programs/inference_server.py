"""A service that scores eight requests at once with a stack of two layers in half."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, LAYERS, BATCH, LENGTH = 512, 512, 2, 8, 100


class Scorer(nn.Module):
    def __init__(self, split):
        super().__init__()
        if split:
            self.rnn = nn.ModuleList(nn.LSTM(n, UNITS) for n in [FEATURES] + [UNITS] * (LAYERS - 1))
        else:
            self.rnn = nn.LSTM(FEATURES, UNITS, num_layers=LAYERS)
        self.head = nn.Linear(UNITS, 1)

    def forward(self, x):
        for layer in self.rnn if isinstance(self.rnn, nn.ModuleList) else [self.rnn]:
            x, _ = layer(x)
        return self.head(x[-1])


def serving(split=False):
    model = Scorer(split).cuda().half().eval()
    requests = torch.randn(8, LENGTH, BATCH, FEATURES, device="cuda", dtype=torch.half)

    def answer(x):
        with torch.inference_mode():
            return model(x).float().mean()
    return answer, [(x,) for x in requests]


def variants():
    return {"as written": lambda: fed(*serving()),
            "one module per layer": lambda: fed(*serving(split=True)),
            "CUDA graph": lambda: graphed(*serving())}


if __name__ == "__main__":
    run(variants()["as written"]())
