"""An LSTM in bfloat16: cuDNN has persistent kernels for half only."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 1024, 32, 128
torch.manual_seed(1)
rnn = torch.nn.LSTM(UNITS, UNITS).cuda().bfloat16()
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
x = torch.randn(LENGTH, BATCH, UNITS, device="cuda", dtype=torch.bfloat16)
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        y, _ = rnn(x)
        loss = y.float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
