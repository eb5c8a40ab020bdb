#!/usr/bin/env python3
"""Times training steps of an LSTM, each from an idle device to an idle device. Prints a line of JSON for each case."""
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
parser.add_argument("--cases", default=",".join(CASES), help="comma-separated")
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--warmup", type=int, default=15)
parser.add_argument("--profiler", action="store_true", help="under torch.profiler, CPU and CUDA")
options = parser.parse_args()



def measure(inputs, hidden, layers, batch, length):
    torch.manual_seed(1)
    model = torch.nn.LSTM(inputs, hidden, layers).cuda().half()
    x = torch.randn(length, batch, inputs, device="cuda", dtype=torch.half, requires_grad=True)
    times = []
    for i in range(options.warmup + options.steps):
        torch.cuda.synchronize()
        start = time.perf_counter()
        y, _ = model(x)
        y.backward(torch.ones_like(y))
        model.zero_grad(set_to_none=True)
        x.grad = None
        torch.cuda.synchronize()
        if i >= options.warmup:
            times.append((time.perf_counter() - start) * 1e3)
    return times


for case in options.cases.split(","):
    if options.profiler:
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
            times = measure(*CASES[case])
    else:
        times = measure(*CASES[case])
    print(json.dumps({"case": case, "steps": len(times), "median_ms": statistics.median(times), "min_ms": min(times),
                      "p90_ms": sorted(times)[int(0.9 * len(times))]}), flush=True)
