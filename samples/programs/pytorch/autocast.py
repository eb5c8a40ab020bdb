"""Mixed precision by autocast: the weights are converted and laid out anew at every call."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 1024, 32, 128
torch.manual_seed(1)
rnn = torch.nn.LSTM(UNITS, UNITS).cuda()
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cuda")
x = torch.randn(LENGTH, BATCH, UNITS, device="cuda")
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        with torch.autocast("cuda", dtype=torch.float16):
            y, _ = rnn(x)
            loss = y.float().pow(2).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
print(f"loss {loss.item():.9g}")
