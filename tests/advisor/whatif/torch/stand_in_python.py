#!/usr/bin/env python3
"""Stands in for the interpreter of `--torch`: takes what rnnadvisor hands to `python -c`, and answers as a measurement in PyTorch would, or
misbehaves. STAND_IN says how: "no torch", "no gpu", "old", "silent", "junk", "flood", "asleep", "die at once", "refuse"; or by kind of change,
"split_layers=crash,cuda_graph=hang", each of: good, slow, wrong, nan, unlike, oom, failed, crash, hang, garbage, few, uncompared, no_step, late.
STAND_IN_LOG: a file that gets a line for each start and each candidate."""
import json
import os
import signal
import sys
import time

how = os.environ.get("STAND_IN", "")
assert sys.argv[1] == "-c" and "sys.meta_path" in sys.argv[2], sys.argv


def log(text):
    if os.environ.get("STAND_IN_LOG"):
        with open(os.environ["STAND_IN_LOG"], "a") as file:
            file.write(text + "\n")


def say(**line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def problem(what, status, remedy):
    say(type="error", what=what, where="here", remedy=remedy, status=status)
    sys.exit(status)


if how == "asleep":
    time.sleep(600)
if how == "silent":
    sys.exit(0)
if how == "junk":
    print("Welcome to this machine!")
    sys.exit(0)
if how == "die at once":
    print("Fatal Python error: no module named 'encodings'", file=sys.stderr)
    sys.exit(1)
while how == "flood":
    sys.stdout.write("y" * 65536)
scripts = json.loads(sys.stdin.readline())
assert "rnnadvisor_torch/main.py" in scripts
request = json.loads(sys.stdin.read())
log("start {} {}".format(request["measure"], [c["transforms"][0]["kind"] for c in request["candidates"]]))
if how == "no torch":
    problem("PyTorch cannot be imported: ModuleNotFoundError: No module named 'torch'", 3, "name it")
if how == "old":
    problem("PyTorch 1.9.0 is older than 1.13", 3, "use PyTorch 1.13 or later")
if how == "no gpu":
    problem("PyTorch 2.11.0 sees no CUDA device", 3, "mend it")
if how == "refuse" and request["candidates"]:
    problem("PyTorch has no layer with one bias vector", 2, "measure it without --torch")
behaviours = dict(pair.split("=") for pair in how.split(",") if "=" in pair)
if request["measure"]:
    say(type="environment", python="3.12.1", executable="/stand/in", torch="2.11.0", cuda="13.0", cudnn=91900, name="NVIDIA H200",
        compute_capability="9.0", multiprocessors=132, memory_bytes=150754820096, device="cuda:0")


def emitted(kind):
    return {"text": "class Changed(torch.nn.LSTM):\n    kind = '{}'\n".format(kind), "class": "Changed", "file": "rnn_{}.py".format(kind),
            "snippets": [{"title": "once", "code": "pass\n"}], "diff": "--- a/train.py\n+++ b/train.py\n", "diff_file": "/home/me/train.py",
            "diff_line": 3, "no_diff": None}


def phase(rounds, factor):
    def ways(scale):
        before = [0.010 * scale * (1 + 0.001 * i) for i in range(rounds)]
        return {"before": before, "after": [b / factor for b in before], "control": [b * (1 + 0.002 * (i % 3 - 1)) for i, b in enumerate(before)]}
    columns = {"wall_s": ways(1), "host_s": ways(0.3), "gpu_s": ways(0.9)}
    return {"samples": {way: {clock: columns[clock][way] for clock in columns} for way in ("before", "after", "control")},
            "memory": {"before": {"resident_bytes": 1000, "step_peak_bytes": 5000}, "after": {"resident_bytes": 1200, "step_peak_bytes": 3000}}}


for index, candidate in enumerate(request["candidates"]):
    kind = candidate["transforms"][0]["kind"]
    act = behaviours.get(kind, "good")
    if not request["measure"]:
        if act == "failed":
            say(type="candidate", id=candidate["id"], status="not_applicable", what="'{}' cannot be tried".format(kind), remedy="do without")
        else:
            say(type="candidate", id=candidate["id"], status="emitted", emitted=emitted(kind))
        continue
    say(type="progress", candidate=candidate["id"], index=index, of=len(request["candidates"]), seconds=0.1)
    log(kind)
    if act == "crash":
        print("Segmentation fault of the stand-in", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    while act == "hang":
        time.sleep(600)
    line = {"type": "candidate", "id": candidate["id"], "status": "measured", "seconds": 0.5, "emitted": emitted(kind), "notes": [], "failures": {}, "flags_changed": False}
    shift, agrees, rounds, factor = 2e-4, True, 21, 2.0
    if act == "oom":
        line.update(status="out_of_memory", what="CUDA out of memory", remedy="free the device")
    elif act == "failed":
        line.update(status="failed", what="RuntimeError: no", remedy="keep the original")
    elif act == "late":
        line.update(status="not_measured", what="no time", remedy="more")
    elif act == "garbage":
        print("this is no answer")
        line = {"type": "candidate", "id": candidate["id"], "status": "measured", "phases": {"training": {"samples": {"before": {"wall_s": ["x", -1]}}}}}
    else:
        factor = 0.5 if act == "slow" else factor
        agrees = act != "unlike"
        shift = {"wrong": 0.4, "nan": None}.get(act, shift)
        rounds = 4 if act == "few" else rounds
        line["phases"] = {name: phase(rounds, factor) for name in request["phases"]}
        comparison = {"against_original": {"y": shift, "h_n": shift, "dweight_ih_l0": shift}, "original_against_reference": {"y": 3e-4}, "agrees": agrees,
                      "changed_against_reference": {"y": 3e-4 if shift else None}, "worst_original": 3e-4, "worst_changed": 0.2 if not agrees else 3e-4}
        if act == "no_step":
            line["phases"].pop("training", None)
            line["what"] = "the budget of 60 s left no time for training"
        if act != "slow":
            line["clocks"] = {"before": {"sm_mhz": 1980.0, "memory_mhz": 3201.0, "celsius": 41.0, "watts": 118.4, "event_reasons": 0},
                              "after": {"sm_mhz": 1755.0, "memory_mhz": 3201.0, "celsius": 66.0, "watts": None, "event_reasons": 4}}
        else:
            line["clocks"] = {"before": {"unknown": "nvidia-smi is not on the path"}, "after": {"sm_mhz": "x", "celsius": -3, "event_reasons": -9}}
        if kind == "cuda_graph":
            for each in line["phases"].values():
                each["memory"]["before"]["of"] = each["memory"]["after"]["of"] = "reserved"
        line["comparison"] = {"unknown": "the budget left no time for it"} if act == "uncompared" else comparison
    say(**line)
say(type="done", seconds=1.0, budget_s=request["budget_s"])
