"""An LSTM with layer normalisation inside the cell, which cuDNN does not have: a loop over the steps."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, BATCH, LENGTH = 128, 256, 32, 40


class NormedLSTM(nn.Module):
    def __init__(self, hoisted=False):
        super().__init__()
        self.hoisted = hoisted
        self.input, self.state = nn.Linear(FEATURES, 4 * UNITS), nn.Linear(UNITS, 4 * UNITS, bias=False)
        self.norm = nn.LayerNorm(4 * UNITS)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[1], UNITS)
        outputs = []
        given = self.input(x) if self.hoisted else x
        for step in given:
            gates = (step if self.hoisted else self.input(step)) + self.state(h)
            i, f, g, o = self.norm(gates).chunk(4, dim=-1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs.append(h)
        return torch.stack(outputs)


def training(hoisted=False):
    model = NormedLSTM(hoisted).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda")

    def step(x):
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(x,) for x in data]


def variants():
    return {"as written": lambda: fed(*training()),
            "input product before the loop": lambda: fed(*training(hoisted=True)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
