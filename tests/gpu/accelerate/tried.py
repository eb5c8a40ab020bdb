#!/usr/bin/env python3
"""Whole programs under `rnnadvisor try` and `rnnadvisor accelerate`, as they are: time of a step, loss, exit status, output.

tried.py RNNADVISOR OUT.jsonl [--same STEPS] PROGRAM.py …: each runs under `try`, with the same types and with `--allow numerics`, until 200 steps
have been timed. With --same it also runs STEPS steps plain, plain again and under `accelerate`, for its output and exit status.
Programs take --steps (tests/gpu/planted_programs/programs, samples/programs/pytorch) and print their last loss.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("rnnadvisor")
parser.add_argument("out")
parser.add_argument("programs", nargs="+")
parser.add_argument("--same", type=int, default=0)
options = parser.parse_args()
environment = {**os.environ, "PYTHONPATH": "tests/gpu/planted_programs/programs"}
NUMBER = r"([\d.]+)"


def run(command):
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired as late:
        return {"status": None, "out": "", "error": f"more than {late.timeout} s", "seconds": late.timeout}
    return {"status": done.returncode, "out": done.stdout[-500:], "error": done.stderr[-3000:], "seconds": time.perf_counter() - begin}


def tried(program, allow):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        done = run([options.rnnadvisor, "try", "--no-progress", "--allow", allow, "--iterations", "200", "--report", str(report), "--",
                    sys.executable, program, "--steps", "1000000"])
        text = report.read_text() if report.exists() else ""
    flat = re.sub(r"\s+", " ", text)
    step = re.search(rf"Whole step {NUMBER} (\S+) → {NUMBER} (\S+): {NUMBER}× \({NUMBER} to {NUMBER}\); noise of the program's own steps: {NUMBER} to {NUMBER}", flat)
    found = None
    if step:
        ms = {"µs": 1e-3, "ms": 1.0, "s": 1e3}
        found = {"own_ms": float(step[1]) * ms[step[2]], "fast_ms": float(step[3]) * ms[step[4]], "speedup": float(step[5]),
                 "interval": [float(step[6]), float(step[7])], "control": [float(step[8]), float(step[9])]}
    return {**done, "report": text, "step": found}


for program in options.programs:
    row = {"program": program, "exact": tried(program, "exact"), "numerics": tried(program, "numerics")}
    if options.same:
        command = [sys.executable, program, "--steps", str(options.same)]
        row["same"] = {name: run([*prefix, *command]) for name, prefix in
                       (("plain", ()), ("again", ()), ("accelerated", (options.rnnadvisor, "accelerate", "--no-progress", "--")))}
    with pathlib.Path(options.out).open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(program, {k: (row[k]["status"], row[k]["step"]) for k in ("exact", "numerics")},
          {k: (v["status"], v["out"].strip()) for k, v in row.get("same", {}).items()}, flush=True)
    print(row["exact"]["report"] or row["exact"]["error"], flush=True)
