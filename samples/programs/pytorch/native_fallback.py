"""An LSTM with cuDNN switched off, as for double backward: PyTorch runs its own cells, step by step."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=5)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 512, 32, 64
torch.manual_seed(1)
rnn = torch.nn.LSTM(UNITS, UNITS).cuda()
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
x = torch.randn(LENGTH, BATCH, UNITS, device="cuda")
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"), torch.backends.cudnn.flags(enabled=False):
        y, _ = rnn(x)
        loss = y.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
