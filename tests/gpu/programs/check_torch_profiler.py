#!/usr/bin/env python3
"""A program that traces itself with torch.profiler, alone and under `rnnadvisor profile`: its own result must be the same, and ours
must say that it stepped back and still have every RNN call.

usage: check_torch_profiler.py RNNADVISOR OUTPUT.json
(with --program: the program itself)
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

STEPS = 5


def program():
    import torch
    from torch.profiler import ProfilerActivity, profile
    torch.manual_seed(1)
    model = torch.nn.LSTM(512, 512, 2).cuda().half()
    x = torch.randn(32, 32, 512, device="cuda", dtype=torch.half)

    def step():
        y, _ = model(x)
        y.backward(torch.ones_like(y))
        torch.cuda.synchronize()
        return y.float().sum().item()

    step()  # what is done once is done before
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as traced:
        values = [step() for _ in range(STEPS)]
    step()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        traced.export_chrome_trace(file.name)
        events = json.loads(Path(file.name).read_text())["traceEvents"]
    kernels = Counter(event["name"] for event in events if event.get("cat") == "kernel")
    copies = Counter(event["name"] for event in events if event.get("cat") in ("gpu_memcpy", "gpu_memset"))
    linked = {event["args"]["correlation"] for event in events if event.get("cat") == "cuda_runtime" and "correlation" in event.get("args", {})}
    loose = sum(event["args"].get("correlation") not in linked for event in events if event.get("cat") == "kernel")
    print(json.dumps({"values": values, "kernels": dict(sorted(kernels.items())), "copies": dict(sorted(copies.items())),
                      "kernels_without_launch": loose}))


def check(rnnadvisor, output):
    command = [sys.executable, __file__, "--program"]
    alone = subprocess.run(command, capture_output=True, text=True)
    result, problems = {"alone": json.loads(alone.stdout.splitlines()[-1])}, []
    with tempfile.TemporaryDirectory() as folder:
        for mode in ("calls", "kernels", "full"):
            path = os.path.join(folder, mode + ".rnnprof")
            ours = subprocess.run([rnnadvisor, "profile", "--mode", mode, "-o", path, "--", *command], capture_output=True, text=True)
            lines = [line for line in ours.stdout.splitlines() if line.startswith("{")]
            result[mode] = json.loads(lines[-1]) if lines else None
            if result[mode] != result["alone"]:
                problems.append(f"{mode}: torch.profiler saw something else")
            data = sqlite3.connect(path)
            calls = data.execute("SELECT count(*) FROM calls").fetchone()[0]
            notes = [row[0] for row in data.execute("SELECT code FROM notes")]
            result[mode + " profile"] = {"calls": calls, "notes": notes, "stderr": ours.stderr[-1500:]}
            if calls != 3 * (STEPS + 2):
                problems.append(f"{mode}: {calls} RNN calls instead of {3 * (STEPS + 2)}")
            if mode != "calls" and "tracing-conflict" not in notes:
                problems.append(f"{mode}: the profile does not say that it stepped back: {notes}")
    result["problems"] = problems
    Path(output).write_text(json.dumps(result, indent=1) + "\n")
    print("torch.profiler", problems or "ok", {name: sum(result[name]["kernels"].values()) for name in ("alone", "kernels", "full") if result[name]})
    return bool(problems)


if sys.argv[1:] == ["--program"]:
    program()
else:
    sys.exit(check(*sys.argv[1:]))
