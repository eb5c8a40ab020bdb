"""Sharded data parallel training (FSDP2) of a stack in half, to be started by torchrun: each process has a batch of 8."""
import argparse
import os
import time

import torch
from torch.distributed.fsdp import fully_shard

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=600)
options = parser.parse_args()
rank = int(os.environ["RANK"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
torch.distributed.init_process_group("nccl")
torch.manual_seed(1)
rnn = torch.nn.LSTM(768, 768, 3).cuda().half()
fully_shard(rnn)
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
torch.manual_seed(2 + rank)
x = torch.randn(128, 8, 768, device="cuda", dtype=torch.half)
times = []
for step in range(options.steps):
    y, _ = rnn(x)
    loss = y.float().pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 99:
        torch.cuda.synchronize()
        times.append(time.perf_counter())
print(f"rank {rank} loss {loss.item():.9g} last 100 steps {10 * (times[-1] - times[-2]):.2f} ms each", flush=True)
torch.distributed.destroy_process_group()
