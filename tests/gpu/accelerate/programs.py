#!/usr/bin/env python3
"""Whole programs under `rnnadvisor accelerate`, as they are: time of a step, exit status, output, and what the command reports.

programs.py RNNADVISOR OUT.jsonl PROGRAM.py …: each program runs with few and with many steps, plain, accelerated and plain again; the
difference of two runs is steps alone. Programs take --steps (tests/gpu/planted_programs/programs, samples/programs/pytorch).
"""
import json
import os
import pathlib
import subprocess
import sys
import time

FEW, MANY = 100, 500
rnnadvisor, out, *programs = sys.argv[1:]
environment = {**os.environ, "PYTHONPATH": "tests/gpu/planted_programs/programs"}


def run(program, steps, prefix=()):
    begin = time.perf_counter()
    done = subprocess.run([*prefix, sys.executable, program, "--steps", str(steps)], env=environment, capture_output=True, text=True)
    return {"seconds": time.perf_counter() - begin, "status": done.returncode, "out": done.stdout, "error": done.stderr[-4000:]}


for program in programs:
    row = {"program": program, "few": FEW, "many": MANY}
    for name, prefix in (("plain", ()), ("accelerated", (rnnadvisor, "accelerate", "--no-progress", "--")), ("again", ())):
        runs = [run(program, steps, prefix) for steps in (FEW, MANY)]
        row[name] = {"runs": runs, "step_ms": (runs[1]["seconds"] - runs[0]["seconds"]) / (MANY - FEW) * 1e3}
    with pathlib.Path(out).open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(program, {n: round(row[n]["step_ms"], 2) for n in ("plain", "accelerated", "again")},
          {n: row[n]["runs"][1]["out"].strip() for n in ("plain", "accelerated")}, row["accelerated"]["runs"][1]["status"])
    print(row["accelerated"]["runs"][1]["error"], flush=True)
