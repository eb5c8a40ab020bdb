"""Evaluation of a model that was left in training mode, gradients on: cuDNN runs its training forward and keeps the reserve space of every
batch whose loss is still held. With --mode eval the module is in eval(), with --mode inference torch.inference_mode() is around it as well."""
import argparse
import contextlib

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--mode", choices=["train", "eval", "inference"], default="train")
options = parser.parse_args()

UNITS, BATCH, LENGTH = 1024, 32, 128
torch.manual_seed(1)
rnn = torch.nn.LSTM(UNITS, UNITS).cuda().half()
if options.mode != "train":
    rnn.eval()
x = torch.randn(LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)
losses = []
with torch.inference_mode() if options.mode == "inference" else contextlib.nullcontext():
    for batch in range(options.steps):
        with torch.cuda.nvtx.range("batch"):
            y, _ = rnn(x)
            losses.append(y.float().pow(2).mean())  # keeps the graph of every batch alive
print(f"loss {torch.stack(losses).mean().item():.9g}, {torch.cuda.max_memory_allocated() / 2**20:.1f} MiB")
