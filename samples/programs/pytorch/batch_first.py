"""batch_first=True: PyTorch copies the input into the order that cuDNN wants before every call."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 1024, 32, 128
torch.manual_seed(1)
rnn = torch.nn.LSTM(UNITS, UNITS, batch_first=True).cuda().half()
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
x = torch.randn(BATCH, LENGTH, UNITS, device="cuda", dtype=torch.half)
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        y, _ = rnn(x)
        loss = y.float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
