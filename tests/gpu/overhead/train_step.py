#!/usr/bin/env python3
"""Times training steps of one LSTM, each from an idle device to an idle device. Prints one line of JSON."""
import argparse
import json
import statistics
import time

import torch

CASES = {  # input, hidden, layers, batch, length
    "launch-bound": (1024, 1024, 2, 64, 128),
    "persistent": (1024, 1024, 1, 32, 128),
}
parser = argparse.ArgumentParser()
parser.add_argument("--case", choices=CASES, required=True)
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--warmup", type=int, default=15)
parser.add_argument("--profiler", action="store_true", help="under torch.profiler, CPU and CUDA")
options = parser.parse_args()

inputs, hidden, layers, batch, length = CASES[options.case]
torch.manual_seed(1)
model = torch.nn.LSTM(inputs, hidden, layers).cuda().half()
x = torch.randn(length, batch, inputs, device="cuda", dtype=torch.half, requires_grad=True)


def step():
    y, _ = model(x)
    y.backward(torch.ones_like(y))
    model.zero_grad(set_to_none=True)
    x.grad = None


def measure():
    times = []
    for i in range(options.warmup + options.steps):
        torch.cuda.synchronize()
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        if i >= options.warmup:
            times.append((time.perf_counter() - start) * 1e3)
    return times


if options.profiler:
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
        times = measure()
else:
    times = measure()
print(json.dumps({"case": options.case, "steps": len(times), "median_ms": statistics.median(times), "min_ms": min(times),
                  "p90_ms": sorted(times)[int(0.9 * len(times))]}))
