#!/usr/bin/env python3
"""Trains for a while and prints a line of JSON for each half minute: the median step time, so that a recorder that slows down over
time shows. To be run under `rnnadvisor profile` and without.

usage: long_run.py [--seconds 600]
"""
import argparse
import json
import statistics
import time

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--seconds", type=float, default=600)
parser.add_argument("--every", type=float, default=30)
options = parser.parse_args()

model = torch.nn.LSTM(1024, 1024, 2).cuda().half()
x = torch.randn(128, 64, 1024, device="cuda", dtype=torch.half)
begin = last = time.perf_counter()
times = []
while last - begin < options.seconds:
    start = time.perf_counter()
    y, _ = model(x)
    y.backward(torch.ones_like(y))
    model.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    now = time.perf_counter()
    times.append((now - start) * 1e3)
    if now - last >= options.every:
        print(json.dumps({"seconds": round(now - begin), "steps": len(times), "median_ms": statistics.median(times)}), flush=True)
        times, last = [], now
