#!/usr/bin/env python3
"""Runs the programs of samples/programs on a GPU and holds `rnnadvisor profile` to its word:

  same      stdout and exit status with the plugin, in each mode, are those without it
  captured  every cuDNN RNN call that cuDNN's own log shows in a separate run is in the profile, field by field
  finding   the finding that the program is there to show is the first of its section, what to do or remarks; whether the program waits
            for launches, launch/*, is left out, because a faster host waits less

usage: check_programs.py RNNADVISOR OUTPUT_FOLDER [--only NAME…] [--gpus N] [--cpp FOLDER] [--modes calls,kernels,full]
Writes OUTPUT_FOLDER/programs.json and the profiles recorded in mode `kernels`.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cudnn_log

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / "samples" / "programs"
parser = argparse.ArgumentParser()
parser.add_argument("rnnadvisor")
parser.add_argument("output", type=Path)
parser.add_argument("--only", nargs="*")
parser.add_argument("--gpus", type=int, default=1)
parser.add_argument("--cpp", help="where the programs in C++ were built: build/dev/samples/cpp; without it they are left out")
parser.add_argument("--modes", default="calls,kernels,full")
parser.add_argument("--jobs", type=int, default=6, help="programs at once, but for those in mode `kernels`, which run alone")
options = parser.parse_args()
program = str(Path(options.rnnadvisor).resolve())
if not shutil.which("nvidia-smi") or subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode != 0:
    print("NEEDS A GPU, NOT RUN: there is no NVIDIA GPU here")
    sys.exit(77)
options.output.mkdir(parents=True, exist_ok=True)


def run(command, **environment):
    done = subprocess.run(command, cwd=PROGRAMS, env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", **environment}, capture_output=True, text=True, timeout=300)
    return done.returncode, sorted(line for line in done.stdout.splitlines() if "loss" in line), done.stderr


def captured(path):
    """The calls of a profile in the order of their host start, in the words of cudnn_log."""
    rows = sqlite3.connect(path).execute(
        """SELECT c.phase, f.json, a.seq_lengths, c.weights_bytes, c.workspace_bytes, c.reserve_bytes, c.source
           FROM calls c JOIN configurations f ON f.id = c.configuration LEFT JOIN call_arguments a ON a.id = c.arguments
           ORDER BY c.process, c.host_start_ns""")
    calls = []
    for phase, text, lengths, weights, workspace, reserve, source in rows:
        config = json.loads(text)
        lengths = (json.loads(lengths) if lengths else []) or config.get("seq_lengths") or []
        calls.append({**config, "phase": phase, "lengths": lengths or None, "weights_bytes": weights, "workspace_bytes": workspace,
                      "reserve_bytes": reserve, "source": source})
    return calls


def differences(logged, calls):
    problems = []
    if len(logged) != len(calls):
        problems.append(f"cuDNN logged {len(logged)} RNN calls, the profile has {len(calls)}")
    for index, (theirs, ours) in enumerate(zip(logged, calls)):
        for key, value in theirs.items():
            if key in ("mode", "lengths_cut") or (key == "lengths" and theirs["lengths_cut"]):
                continue
            have = ours.get(key)
            if key == "proj_size" and have in (0, None):
                have = ours.get("hidden_size")
            if key == "dropout" and have is not None:
                have = round(have, 6)
            if key == "lengths" and value is None and have and all(n == theirs["seq_length"] for n in have):
                have = None
            if have != value:
                problems.append(f"call {index} {key}: cuDNN logged {value}, the profile has {have}")
    return problems


def logged_calls(command):
    with tempfile.TemporaryDirectory() as folder:
        run(command, CUDNN_LOGLEVEL_DBG="3", CUDNN_LOGDEST_DBG=str(Path(folder) / "log-%i.txt"))
        calls = []
        for file in sorted(Path(folder).glob("log-*.txt")):
            calls += cudnn_log.read(file)
        return calls


def profile(name, command, mode):
    path = options.output / f"{name}-{mode}.rnnprof"
    return run([program, "profile", "--mode", mode, "-o", str(path), "--force", "--", *command])


modes = options.modes.split(",")
entries = []
for entry in tomllib.loads((PROGRAMS / "programs.toml").read_text())["program"]:
    command = [part.replace("{gpus}", str(options.gpus)) for part in entry["command"]]
    if options.only and entry["name"] not in options.only:
        continue
    if command[0].startswith("cpp/"):
        if not options.cpp:
            continue
        command[0] = str(Path(options.cpp).resolve() / Path(command[0]).name)
    entries.append({**entry, "command": command})

# Those whose times are kept have the machine to themselves.
done = {}
if "kernels" in modes:
    for entry in entries:
        done[(entry["name"], "kernels")] = profile(entry["name"], entry["command"], "kernels")
with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
    waiting = {}
    for entry in entries:
        name, command = entry["name"], entry["command"]
        waiting[(name, "plain")] = pool.submit(run, command)
        waiting[(name, "again")] = pool.submit(run, command)
        waiting[(name, "log")] = pool.submit(logged_calls, command)
        for mode in modes:
            if mode != "kernels":
                waiting[(name, mode)] = pool.submit(profile, name, command, mode)
    done.update({key: future.result() for key, future in waiting.items()})

results = {}
for entry in entries:
    name = entry["name"]
    plain, logged = done[(name, "plain")], done[(name, "log")]
    result = results[name] = {"command": entry["command"], "problems": [], "logged_calls": len(logged),
                              "plain": {"status": plain[0], "output": plain[1]}, "deterministic": done[(name, "again")][1] == plain[1]}
    problems = result["problems"]
    if plain[0] != 0:
        problems.append(f"without us it ends with {plain[0]}: {plain[2][-800:]}")
        continue
    for mode in modes:
        status, output, errors = done[(name, mode)]
        result[mode] = {"status": status, "output": output, "messages": errors[-3000:]}
        if status != plain[0]:
            problems.append(f"{mode}: exit status {status} instead of {plain[0]}: {errors[-800:]}")
        if result["deterministic"] and output != plain[1]:
            problems.append(f"{mode}: printed {output} instead of {plain[1]}")
        path = options.output / f"{name}-{mode}.rnnprof"
        if not path.exists():
            problems.append(f"{mode}: no profile")
            continue
        calls = captured(path)
        result[mode]["calls"] = len(calls)
        problems += [f"{mode}: {p}" for p in differences(logged, calls)[:10]]
    path = options.output / f"{name}-kernels.rnnprof"
    if path.exists():
        report = subprocess.run([program, "report", str(path), "--format", "json"], capture_output=True, text=True)
        try:
            findings = json.loads(report.stdout)["findings"]
            result["findings"] = [f["rule"] for f in findings][:8]
            wanted = entry["finding"]
            hosts = ("launch/host-bound", "launch/double-batch")
            sections = [f["section"] for f in findings if f["rule"] == wanted]
            if wanted not in hosts and options.gpus >= entry.get("gpus", 1):
                first = [f["rule"] for f in findings if f["section"] in sections and f["rule"] not in hosts][:1]
                if first != [wanted]:
                    problems.append(f"{wanted} is not the first of its section: {result['findings']}")
        except (ValueError, KeyError) as error:
            problems.append(f"no report: {error}: {report.stderr[-500:]}")
    print(name, "ok" if not problems else problems[:4], flush=True)
(options.output / "programs.json").write_text(json.dumps(results, indent=1) + "\n")
sys.exit(any(r["problems"] for r in results.values()))
