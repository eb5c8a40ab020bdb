#!/usr/bin/env python3
"""What casts cost where one layer of a float32 program computes in half: casts.py OUT.jsonl [--until SECONDS]

One line a layer: medians and middle halves (ms) of a step of the layer in float32, in float32 under torch.autocast (casts of weights, inputs,
outputs and their gradients at each step), and in half with inputs in half (no casts), in turns in one process. `host`: the same, when
nothing waits for a step. The difference of the second and the third is what the casts cost.
"""
import argparse
import json
import statistics
import time

import torch

KINDS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
SHAPES = [  # cell, hidden, input, layers, bidirectional, batch, steps, training
    ("lstm", hidden, hidden, layers, bidirectional, batch, steps, training)
    for hidden in (128, 512, 1024, 1500)
    for layers, bidirectional in ((1, False), (2, False), (2, True), (4, False))
    for batch, steps in ((16, 64), (64, 64), (64, 200))
    for training in (True, False)
] + [("gru", 512, 80, 3, True, 32, 200, True), ("gru", 1024, 1024, 1, False, 32, 100, True), ("gru", 256, 64, 2, False, 16, 50, False)]


def program(shape, way):
    cell, hidden, size, layers, bidirectional, batch, steps, training = shape
    dtype = torch.half if way == "half" else torch.float32
    model = KINDS[cell](size, hidden, layers, bidirectional=bidirectional, dtype=dtype, device="cuda")
    x = torch.randn(steps, batch, size, device="cuda", dtype=dtype, requires_grad=training)
    weight = torch.randn(steps, batch, hidden * (2 if bidirectional else 1), device="cuda", dtype=dtype)

    def step():
        with torch.autocast("cuda", dtype=torch.half, enabled=way == "autocast"), torch.set_grad_enabled(training):
            y = model(x)[0]
        if way == "autocast":
            y = y.float()
        if training:
            for p in (x, *model.parameters()):
                p.grad = None
            y.backward(weight)

    return step


def take(step, count, wait):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        step()
        if wait:
            torch.cuda.synchronize()
    took = time.perf_counter() - begin
    torch.cuda.synchronize()
    return took * 1e3 / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--until", type=float, default=1e9)
    options = parser.parse_args()
    begin = time.perf_counter()
    with open(options.out, "a") as out:
        for shape in SHAPES:
            if time.perf_counter() - begin > options.until:
                break
            steps = {way: program(shape, way) for way in ("float", "autocast", "half")}
            for step in steps.values():
                take(step, 3, True)
            times = {way: [] for way in steps}
            for _ in range(9):
                for way, step in steps.items():
                    times[way].append(take(step, 4, True))
            host = {way: statistics.median(take(step, 8, False) for _ in range(3)) for way, step in steps.items()}
            row = {"shape": dict(zip(("cell", "hidden", "input", "layers", "bidirectional", "batch", "steps", "training"), shape)),
                   "ms": {way: statistics.median(one) for way, one in times.items()},
                   "middle": {way: [sorted(one)[2], sorted(one)[-3]] for way, one in times.items()}, "host": host}
            out.write(json.dumps(row) + "\n")
            out.flush()


if __name__ == "__main__":
    main()
