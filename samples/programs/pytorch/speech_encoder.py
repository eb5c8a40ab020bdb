"""A speech encoder on packed sequences of unequal length: packing keeps PyTorch at the standard algorithm."""
import argparse

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

FEATURES, UNITS, BATCH, LENGTH = 128, 1024, 32, 200
torch.manual_seed(1)
encoder = torch.nn.LSTM(FEATURES, UNITS).cuda().half()
head = torch.nn.Linear(UNITS, 32).cuda().half()
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.01)
lengths = torch.linspace(LENGTH, LENGTH // 4, BATCH).long()
frames = torch.randn(LENGTH, BATCH, FEATURES, device="cuda", dtype=torch.half)
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        packed, _ = encoder(pack_padded_sequence(frames, lengths))
        y, _ = pad_packed_sequence(packed)
        loss = head(y).float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
