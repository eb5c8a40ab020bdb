#!/usr/bin/env python3
"""What recording costs: the same training steps untraced, in our modes, under a bare CUPTI kernel trace and under torch.profiler,
interleaved in another order each round, one process each. Ratios are of medians over rounds, with the smallest and largest round.

usage: measure.py PLUGIN.so BARE_CUPTI.so OUTPUT.jsonl [--rounds N] [--cases launch-bound,persistent] [--variants NAME,…]

Variants: none, calls, kernels, full, torch.profiler, bare, and bare+WORD+… with the words of bare_cupti.cpp: the floor with one
thing more that a recorder does. The first line of the output says what was run where.
"""
import argparse
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("plugin")
parser.add_argument("bare")
parser.add_argument("output")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--cases", default="launch-bound,persistent")
parser.add_argument("--variants", default="none,calls,kernels,full,bare,torch.profiler")
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--warmup", type=int, default=15, help="steps before the first that counts; 200 are past the counters of mode full")
options = parser.parse_args()
script = Path(__file__).with_name("train_step.py")


# What may stand behind a mode: "full+no-counters".
SETTINGS = {"no-counters": {"RNNADVISOR_TRACE": "transfers,api,memory"}, "5ms": {"RNNADVISOR_COUNTER_INTERVAL_US": "5000"},
            "counters": {"RNNADVISOR_COUNTER_DURATION_MS": "0"}}


def prepare(variant):
    """The environment of a variant and the folder of its spool."""
    if variant.startswith("bare"):
        return {"CUDA_INJECTION64_PATH": options.bare, "BARE_CUPTI": variant}, None
    if variant in ("none", "torch.profiler"):
        return {}, None
    folder = tempfile.mkdtemp(prefix="spool-")
    mode, *words = variant.split("+")
    settings = {name: value for word in words for name, value in SETTINGS[word].items()}
    return {"LD_PRELOAD": options.plugin, "CUDA_INJECTION64_PATH": options.plugin, "NVTX_INJECTION64_PATH": options.plugin,
            "RNNADVISOR_SPOOL": folder, "RNNADVISOR_MODE": mode, **settings}, folder


def measure(variant):
    environment, folder = prepare(variant)
    command = [sys.executable, str(script), "--cases", options.cases, "--steps", str(options.steps), "--warmup", str(options.warmup)]
    run = subprocess.run(command + (["--profiler"] if variant == "torch.profiler" else []), env={**os.environ, **environment},
                         capture_output=True, text=True)
    more = {}
    if folder:
        more["spool_bytes"] = sum(f.stat().st_size for f in Path(folder).iterdir())
        shutil.rmtree(folder)
    if run.returncode != 0:
        print(f"{variant}: exit status {run.returncode}\n{run.stderr}", file=sys.stderr)
        return []
    return [{"variant": variant, **more, **json.loads(line)} for line in run.stdout.splitlines()]


def table():
    for case in options.cases.split(","):
        base = statistics.median(results[(case, "none")])
        for variant in variants:
            if (case, variant) in results:
                values = results[(case, variant)]
                middle = statistics.median(values)
                print(f"{case:13} {variant:40} {middle:8.3f} ms  {middle / base:6.3f}  ({min(values):.3f} to {max(values):.3f})", flush=True)


variants = options.variants.split(",")
results = {}
with open(options.output, "w") as out:
    device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True)
    out.write(json.dumps({"command": " ".join(["measure.py", *sys.argv[3:]]), "device": device.stdout.splitlines()[:1],
                          "cpus": os.cpu_count(), "kernel": platform.release()}) + "\n")
    for turn in range(options.rounds):
        order = list(variants)
        random.Random(turn).shuffle(order)
        for variant in order:
            for row in measure(variant):
                out.write(json.dumps({"round": turn, **row}) + "\n")
                results.setdefault((row["case"], variant), []).append(row["median_ms"])
            out.flush()
    table()
