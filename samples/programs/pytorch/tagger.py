"""A bidirectional tagger in half: two directions keep PyTorch at the standard algorithm."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH, TAGS = 512, 32, 64, 17
torch.manual_seed(1)
rnn = torch.nn.LSTM(UNITS, UNITS, bidirectional=True).cuda().half()
head = torch.nn.Linear(2 * UNITS, TAGS).cuda().half()
optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.01)
words = torch.randn(LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)
tags = torch.randint(TAGS, (LENGTH * BATCH,), device="cuda")
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        y, _ = rnn(words)
        loss = torch.nn.functional.cross_entropy(head(y).float().flatten(0, 1), tags)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
