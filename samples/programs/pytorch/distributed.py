"""Data parallel training, to be started by torchrun: each process gets its share of a batch of 40: 20 on each of two GPUs, which is no multiple of 8.

torchrun --nproc-per-node 2 distributed.py
"""
import argparse
import os

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 1024, 40, 128
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
torch.distributed.init_process_group("nccl")
torch.manual_seed(1)
rnn = torch.nn.parallel.DistributedDataParallel(torch.nn.LSTM(UNITS, UNITS).cuda().half())
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
share = BATCH // world  # 20 on each of two GPUs
x = torch.randn(LENGTH, share, UNITS, device="cuda", dtype=torch.half)
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        y, _ = rnn(x)
        loss = y.float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"rank {rank} loss {loss.item():.9g}", flush=True)
torch.distributed.destroy_process_group()
