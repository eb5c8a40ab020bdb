#!/usr/bin/env python3
"""A language model that trains; each option is one thing that makes a program slower after a change, as it happens to people.

usage: program.py [--OPTION VALUE …] [--steps N]
"""
import argparse
import contextlib
import fcntl
import os
import time

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--length", type=int, default=64)
parser.add_argument("--units", type=int, default=512)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--cell", default="LSTM")
parser.add_argument("--type", default="half")
parser.add_argument("--dropout", type=float, default=0)
for flag in ("bidirectional", "split", "batch_first", "packed", "no_tf32", "no_cudnn", "not_flat", "host_wait", "large_input", "wide_head", "autocast", "clip", "read_loss"):
    parser.add_argument("--" + flag, action="store_true")
options = parser.parse_args()
torch.zeros(1, device="cuda")
if turn := os.environ.get("COMPARE_TURN"):  # several load PyTorch at once, one at a time has the GPU
    held = open(turn, "w")
    fcntl.flock(held, fcntl.LOCK_EX)

torch.manual_seed(1)
dtype = getattr(torch, options.type)
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = not options.no_tf32
torch.backends.cudnn.enabled = not options.no_cudnn
WORDS, INPUT = 2000, 512


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        kind = getattr(nn, options.cell)
        self.embedding = nn.Embedding(WORDS, INPUT)
        extra = {"bidirectional": options.bidirectional, "batch_first": options.batch_first}
        width = options.units * (2 if options.bidirectional else 1)
        if options.split:
            self.rnns = nn.ModuleList(kind(INPUT if i == 0 else width, options.units, 1, **extra) for i in range(options.layers))
        else:
            self.rnns = nn.ModuleList([kind(INPUT, options.units, options.layers, dropout=options.dropout, **extra)])
        self.wide = nn.Sequential(nn.Linear(width, 8192), nn.ReLU(), nn.Linear(8192, width)) if options.wide_head else nn.Identity()
        self.head = nn.Linear(width, WORDS)

    def forward(self, tokens, lengths):
        x = self.embedding(tokens)
        if options.packed:
            x = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=options.batch_first)
        for rnn in self.rnns:
            x, _ = rnn(x)
        if options.packed:
            x = x.data
        return self.head(self.wide(x))


model = Model().cuda().to(torch.float32 if options.autocast else dtype)
if options.not_flat:
    for rnn in model.rnns:
        rnn.weight_hh_l0.data = rnn.weight_hh_l0.data.clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
shape = (options.batch, options.length) if options.batch_first else (options.length, options.batch)
tokens = torch.randint(WORDS, shape)
lengths = torch.linspace(options.length, options.length // 2, options.batch).long()
unused = torch.zeros(64 << 20, dtype=torch.uint8) if options.large_input else None
for _ in range(options.steps):
    if options.host_wait:
        time.sleep(0.005)  # the next batch is not there yet
    if options.large_input:
        unused.cuda()
    with torch.autocast("cuda", torch.half) if options.autocast else contextlib.nullcontext():
        out = model(tokens.cuda(), lengths)
        loss = out.float().square().mean()
    optimizer.zero_grad()
    loss.backward()
    if options.clip:
        for p in model.parameters():
            p.grad.mul_(1 / max(1.0, p.grad.norm().item()))
    optimizer.step()
    if options.read_loss:
        loss.item()
print(f"loss {loss.item():.6g}")
