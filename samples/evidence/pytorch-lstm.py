#!/usr/bin/env python3
"""How much PyTorch's choice of algorithm matters: medians of LSTM steps in PyTorch, untraced, by wall clock between idle devices.

usage: pytorch-lstm.py OUTPUT.jsonl [ROUNDS]
Cases are interleaved, in another order each round; a line is the median of one case in one round.
"""
import json
import random
import statistics
import sys
import time

import torch

output = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5


class Split(torch.nn.Module):
    """The stack as one-layer modules with the same weights."""

    def __init__(self, stack):
        super().__init__()
        self.layers = torch.nn.ModuleList()
        for n in range(stack.num_layers):
            layer = torch.nn.LSTM(stack.input_size if n == 0 else stack.hidden_size, stack.hidden_size).cuda().half()
            for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(layer, f"{kind}_l0").data.copy_(getattr(stack, f"{kind}_l{n}").data)
            self.layers.append(layer)

    def forward(self, x):
        for layer in self.layers:
            x, _ = layer(x)
        return x, None


def lstm(units, layers=1, dtype=torch.half, **more):
    torch.manual_seed(1)
    return torch.nn.LSTM(units, units, layers, **more).cuda().to(dtype)


def data(units, batch, length, dtype=torch.half):
    return torch.randn(length, batch, units, device="cuda", dtype=dtype)


CASES = {}
for batch in (30, 32, 33, 128, 136):
    CASES[f"half 1x1024 T128 B{batch}"] = (lambda: lstm(1024), lambda b=batch: data(1024, b, 128), {})
CASES["float 1x1024 T128 B32, TF32"] = (lambda: lstm(1024, dtype=torch.float), lambda: data(1024, 32, 128, torch.float), {"tf32": True})
CASES["float 1x1024 T128 B32, no TF32"] = (lambda: lstm(1024, dtype=torch.float), lambda: data(1024, 32, 128, torch.float), {})
CASES["float 1x1024 T128 B32, cuDNN off"] = (lambda: lstm(1024, dtype=torch.float), lambda: data(1024, 32, 128, torch.float), {"cudnn": False})
CASES["autocast 1x1024 T128 B32"] = (lambda: lstm(1024, dtype=torch.float), lambda: data(1024, 32, 128, torch.float), {"autocast": True})
CASES["half 1x1024 T128 B32, projection 512"] = (lambda: lstm(1024, proj_size=512), lambda: data(1024, 32, 128), {})
CASES["bfloat16 1x1024 T128 B32"] = (lambda: lstm(1024, dtype=torch.bfloat16), lambda: data(1024, 32, 128, torch.bfloat16), {})
for units, layers, batch, length in ((1024, 2, 64, 128), (1024, 4, 32, 256), (512, 2, 32, 128), (1024, 2, 8, 256)):
    name = f"half {layers}x{units} T{length} B{batch}"
    CASES[f"{name}, stack"] = (lambda u=units, n=layers: lstm(u, n), lambda u=units, b=batch, t=length: data(u, b, t), {})
    CASES[f"{name}, one-layer modules"] = (lambda u=units, n=layers: Split(lstm(u, n)), lambda u=units, b=batch, t=length: data(u, b, t), {})


def measure(name, training):
    make, inputs, how = CASES[name]
    model, x = make(), inputs()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = how.get("tf32", False)
    times = []
    with torch.backends.cudnn.flags(enabled=how.get("cudnn", True), allow_tf32=how.get("tf32", False)):
        for i in range(18):
            torch.cuda.synchronize()
            start = time.perf_counter()
            with torch.set_grad_enabled(training), torch.autocast("cuda", torch.float16, enabled=how.get("autocast", False)):
                y, _ = model(x)
            if training:
                y.backward(torch.ones_like(y))
            torch.cuda.synchronize()
            if i >= 5:
                times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


sums = {}
with open(output, "w") as out:
    out.write("# " + json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
                                 "cuda": torch.version.cuda, "unit": "ms"}) + "\n")
    for turn in range(rounds):
        names = list(CASES)
        random.Random(turn).shuffle(names)
        for name in names:
            for training in (True, False):
                ms = measure(name, training)
                mode = "training" if training else "inference"
                out.write(json.dumps({"round": turn, "case": name, "mode": mode, "median_ms": round(ms, 4)}) + "\n")
                sums.setdefault((name, mode), []).append(ms)
        out.flush()
for (name, mode), values in sums.items():
    if mode == "training":
        print(f"{name:45} training {statistics.median(values):8.3f}  inference {statistics.median(sums[(name, 'inference')]):8.3f}")
