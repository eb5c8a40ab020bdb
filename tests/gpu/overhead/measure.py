#!/usr/bin/env python3
"""What recording costs: the same training steps untraced, in our modes, under a bare CUPTI kernel trace and under torch.profiler,
interleaved in another order each round, one process each. Ratios are of medians over rounds.

usage: measure.py PLUGIN.so BARE_CUPTI.so OUTPUT.jsonl [ROUNDS]
"""
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

plugin, bare, output = sys.argv[1:4]
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
only = os.environ.get("VARIANTS")
script = Path(__file__).with_name("train_step.py")


def ours(mode, **more):
    folder = tempfile.mkdtemp(prefix="spool-")
    return {"LD_PRELOAD": plugin, "CUDA_INJECTION64_PATH": plugin, "NVTX_INJECTION64_PATH": plugin, "RNNADVISOR_SPOOL": folder,
            "RNNADVISOR_MODE": mode, **more}, folder


VARIANTS = {
    "none": lambda: ({}, None),
    "calls": lambda: ours("calls"),
    "kernels": lambda: ours("kernels"),
    "full": lambda: ours("full"),
    "bare CUPTI": lambda: ({"CUDA_INJECTION64_PATH": bare}, None),
    "torch.profiler": lambda: ({}, None),
}
results = {}


def table():
    for case in ("launch-bound", "persistent"):
        base = statistics.median(results[(case, "none")])
        for name in VARIANTS:
            if (case, name) in results:
                values = results[(case, name)]
                middle = statistics.median(values)
                print(f"{case:13} {name:15} {middle:8.3f} ms  {middle / base:6.3f}  ({min(values):.3f} to {max(values):.3f})", flush=True)


with open(output, "w") as out:
    for turn in range(rounds):
        names = [name for name in VARIANTS if only is None or name in only.split(",")]
        random.Random(turn).shuffle(names)
        for name in names:
            environment, folder = VARIANTS[name]()
            command = [sys.executable, str(script)] + (["--profiler"] if name == "torch.profiler" else [])
            run = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
            spool_bytes = 0
            if folder:
                spool_bytes = sum(f.stat().st_size for f in Path(folder).iterdir())
                shutil.rmtree(folder)
            if run.returncode != 0:
                print(f"{name}: exit status {run.returncode}\n{run.stderr}", file=sys.stderr)
                continue
            for line in run.stdout.splitlines():
                row = {"round": turn, "variant": name, **json.loads(line)}
                if folder:
                    row["spool_bytes"] = spool_bytes
                out.write(json.dumps(row) + "\n")
                results.setdefault((row["case"], name), []).append(row["median_ms"])
            out.flush()
        print(f"after round {turn + 1}", flush=True)
        table()
