"""A cell of one's own, with relu in the input gate: a Python loop over layers and steps, which no cuDNN kernel can replace."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=5)
options = parser.parse_args()

INPUT, UNITS, LAYERS, BATCH, LENGTH = 16, 64, 2, 32, 50
torch.manual_seed(1)


class ReluGateCell(torch.nn.Module):
    def __init__(self, inputs, units):
        super().__init__()
        self.gates = torch.nn.Linear(inputs + units, 4 * units)

    def forward(self, x, state):
        h, c = state
        i, f, g, o = self.gates(torch.cat((x, h), dim=-1)).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.relu(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


cells = torch.nn.ModuleList(ReluGateCell(INPUT if n == 0 else UNITS, UNITS) for n in range(LAYERS)).cuda()
optimizer = torch.optim.SGD(cells.parameters(), lr=0.01)
x = torch.randn(LENGTH, BATCH, INPUT, device="cuda")
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        states = [tuple(torch.zeros(BATCH, UNITS, device="cuda") for _ in range(2)) for _ in cells]
        for t in range(LENGTH):
            y = x[t]
            for n, cell in enumerate(cells):
                states[n] = cell(y, states[n])
                y = states[n][0]
        loss = y.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
