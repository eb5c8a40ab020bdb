#!/usr/bin/env python3
"""Times the variants of programs, in the interpreter that has PyTorch: one process for each program, all of its variants in interleaved rounds, and
the program as it is written a second time as control. PyTorch is imported once, and the processes are forked from there.

usage: timing.py OUTPUT_FOLDER PROGRAM.py… [--budget SECONDS] [--rounds N]
Writes OUTPUT_FOLDER/PROGRAM.json for each and environment.json. A program that fails says so in its file and ends nothing but itself.
"""
import argparse
import gc
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
AS_WRITTEN, CONTROL, GRAPH = "as written", "as written, again", "CUDA graph"
SAMPLE_SECONDS = 0.012   # a sample is as many steps as take about this long, as a loop would make them, then one wait for the GPU
MOST_STEPS = 40
WARMUP = 3
LEAST_ROUNDS = 7         # below it an interval of the median says little


def load(path):
    sys.path[:0] = [str(path.parent), str(HERE / "programs")]  # steps.py is one for all suites
    spec = importlib.util.spec_from_file_location("planted_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def why(error):
    return "{}: {}".format(type(error).__name__, str(error).strip()[:600])


def prepare(torch, name, make):
    """The step of a variant, warm, and what is known of it so far."""
    found = {"name": name, "samples_ms": []}
    torch.manual_seed(1)
    before = torch.cuda.memory_allocated()
    try:
        step = make()
        result = step()
        for _ in range(WARMUP):
            step()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        step()
        torch.cuda.synchronize()
        found["first_result"] = float(result)
        if not name.startswith(GRAPH):  # a graph has memory of its own, which no peak shows
            found["peak_bytes"] = torch.cuda.max_memory_allocated() - before
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        found["steps"] = max(1, min(MOST_STEPS, round(SAMPLE_SECONDS / (time.perf_counter() - begin))))
    except Exception as error:
        found["failure"] = why(error)
        return None, found
    return step, found


def sample(torch, step, steps):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - begin) / steps


def measure(torch, path, rounds, end, without=()):
    """{"variants": […], "rounds": N} of a program; "failure" where it cannot be measured as it is written."""
    begin = time.monotonic()
    makers = load(path).variants()
    # What goes wrong in a capture may disturb what is made after it.
    names = sorted(makers, key=lambda name: name.startswith(GRAPH))
    ready, found = [], []
    for name in names:
        if name in without:
            found.append({"name": name, "samples_ms": [], "failure": "left out after it failed and the program with it"})
            continue
        step, one = prepare(torch, name, makers[name])
        found.append(one)
        if step:
            ready.append((step, one))
    result = {"variants": found, "rounds": 0}
    if not ready or ready[0][1]["name"] != AS_WRITTEN:
        result["failure"] = "as it is written: " + found[0].get("failure", "no variant is called " + AS_WRITTEN)
        return result
    control = {"name": CONTROL, "samples_ms": [], "steps": ready[0][1]["steps"]}
    found.append(control)
    ready.append((ready[0][0], control))
    order = random.Random(1)
    gc.collect()
    gc.disable()
    while result["rounds"] < rounds and (result["rounds"] < LEAST_ROUNDS or time.monotonic() < end):
        taken = {}
        for step, one in order.sample(ready, len(ready)):
            try:
                taken[one["name"]] = sample(torch, step, one["steps"])
            except Exception as error:
                one["failure"] = why(error)
        for _, one in ready:
            if "failure" not in one:
                one["samples_ms"].append(taken[one["name"]])
        ready = [pair for pair in ready if "failure" not in pair[1]]
        if not any(one["name"] == AS_WRITTEN for _, one in ready):
            result["failure"] = "as it is written: " + found[0]["failure"]
            break
        result["rounds"] += 1
    result["seconds"] = time.monotonic() - begin
    return result


def write(file, result):
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(result) + "\n")
    partial.replace(file)


def in_a_child(act, file, seconds):
    """Runs act() in a forked process that writes what it returns to `file`; what went wrong, else None."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            write(file, act())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)  # what PyTorch does at its end is no part of this
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return None if status == 0 and file.exists() else "its process ended with status {}".format(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "no answer within {:.0f} s".format(seconds)


def describe(torch):
    torch.zeros(1, device="cuda").add_(1).item()  # that CUDA works in a forked process at all
    sys.path.insert(0, str(ROOT / "advisor" / "whatif" / "torch"))
    try:
        from rnnadvisor_torch import environment
        return environment.describe(torch, "cuda:0")
    except Exception as error:
        return {"name": torch.cuda.get_device_name(0), "torch": torch.__version__, "problem": why(error)}


def one_program(torch, path, folder, rounds, seconds, fork):
    """Measures a program, again without CUDA graphs where those took it down, and in a fresh process where the forked one did not work."""
    file = folder / (path.stem + ".json")
    limit = 2 * seconds + 15
    problem = None
    if fork:
        problem = in_a_child(lambda: measure(torch, path, rounds, time.monotonic() + seconds), file, limit)
    if not fork or (problem and "no answer" not in problem):
        command = [sys.executable, __file__, str(folder), str(path), "--budget", str(seconds), "--rounds", str(rounds), "--here"]
        try:
            done = subprocess.run(command, timeout=limit + 15)
            problem = None if done.returncode == 0 and file.exists() else "its process ended with status {}".format(done.returncode)
        except subprocess.TimeoutExpired:
            problem = "no answer within {:.0f} s".format(limit + 15)
    if problem:
        write(file, {"variants": [], "rounds": 0, "failure": problem})
        return
    result = json.loads(file.read_text())
    graphs = [one["name"] for one in result["variants"] if one["name"].startswith(GRAPH) and "failure" in one]
    if fork and "failure" in result and graphs:
        in_a_child(lambda: measure(torch, path, rounds, time.monotonic() + seconds, graphs), file, limit)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("programs", type=Path, nargs="+")
    parser.add_argument("--budget", type=float, default=170, help="seconds for all of them")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--here", action="store_true", help="one program, in this process")
    options = parser.parse_args()
    start = time.monotonic()
    import torch
    if options.here:
        path = options.programs[0].resolve()
        write(options.folder / (path.stem + ".json"), measure(torch, path, options.rounds, time.monotonic() + options.budget))
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    # CUDA must not be touched before a fork, so a child asks what device this is.
    trouble = in_a_child(lambda: describe(torch), options.folder / "environment.json", 40)
    if trouble:
        print("CUDA does not work in a forked process, each program starts one of its own: " + trouble, file=sys.stderr, flush=True)
    for number, path in enumerate(options.programs):
        left = options.budget - (time.monotonic() - start)
        seconds = max(1.0, left / (len(options.programs) - number))
        one_program(torch, path.resolve(), options.folder, options.rounds, seconds, fork=not trouble)
        result = json.loads((options.folder / (path.stem + ".json")).read_text())
        print("{:24} {}".format(path.stem, result.get("failure") or "{} rounds, {:.1f} s".format(result["rounds"], result.get("seconds", 0))), flush=True)


if __name__ == "__main__":
    main()
