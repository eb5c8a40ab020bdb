"""Packed sequences that all have the same length: packing keeps PyTorch at the standard algorithm, for nothing."""
import argparse

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 1024, 32, 100
torch.manual_seed(1)
rnn = torch.nn.LSTM(UNITS, UNITS).cuda().half()
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
lengths = torch.full((BATCH,), LENGTH)
x = torch.randn(LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        packed, _ = rnn(pack_padded_sequence(x, lengths))
        y, _ = pad_packed_sequence(packed)
        loss = y.float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
