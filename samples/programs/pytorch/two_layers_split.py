"""two_layers.py as rnnadvisor suggests it: two modules of one layer each get persistent kernels, with the same weights."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 512, 32, 128
torch.manual_seed(1)
layers = torch.nn.ModuleList(torch.nn.LSTM(UNITS, UNITS) for _ in range(2)).cuda().half()
optimizer = torch.optim.SGD(layers.parameters(), lr=0.01)
x = torch.randn(LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        y = x
        for layer in layers:
            y, _ = layer(y)
        loss = y.float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
