"""A GRU in half: from compute capability 8.0 on PyTorch never asks for persistent kernels for it."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 1024, 32, 128
torch.manual_seed(1)
rnn = torch.nn.GRU(UNITS, UNITS).cuda().half()
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
x = torch.randn(LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        y, _ = rnn(x)
        loss = y.float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
