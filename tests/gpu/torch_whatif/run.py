#!/usr/bin/env python3
"""Tries changes in PyTorch whose gain is known from other measurements, and others, on one GPU: is the gain there, are results and
gradients the same, are the weights of split layers one chunk of memory? Exit status 1 if not; 0 with a line if there is no GPU.

usage: run.py OUTPUT.json [--budget SECONDS] [--device N] [--only NAME…] [--samples] [--kernels]
"""
import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPTS = Path(__file__).resolve().parents[3] / "advisor" / "whatif" / "torch"
sys.path.insert(0, str(SCRIPTS))
SKIP_LINE = "NEEDS A GPU, NOT RUN"

HALF = {"data_type": "half"}
ONE = {"hidden_size": 1024, "batch_size": 32, "seq_length": 128}
SMALL_GRAPH = {**HALF, "hidden_size": 256, "batch_size": 16, "seq_length": 32, "num_layers": 2}
LENGTHS = [200 - 5 * row for row in range(32)]
RULE = "rules/pytorch/{}.toml"
# name: (call, transforms, phase and least speed-up that must be confirmed, where that is known from; None: not known before)
CASES = {
    "split two layers": ({**HALF, "hidden_size": 512, "batch_size": 32, "seq_length": 128, "num_layers": 2}, [("split_layers", {})], ("training", 2.0, RULE.format("split-stack"))),
    "pad batch 33 to 40": ({**HALF, **ONE, "batch_size": 33}, [("pad_batch", {"multiple": 8})], ("training", 2.0, RULE.format("batch-multiple-of-8"))),
    "pad batch 33 to 64": ({**HALF, **ONE, "batch_size": 33}, [("pad_batch", {"multiple": 64})], ("training", 1.3, "tests/gpu/results/h200/torch-whatif.json")),
    "TF32 on": ({**ONE, "math_type": "fma", "framework": {"allow_tf32": False}}, [("allow_tf32", {"value": True})], ("training", 1.1, "rules/math/tf32-off.toml")),
    "cuDNN on": ({**ONE, "framework": {"cudnn_enabled": False}}, [("cudnn_enabled", {"value": True})], ("training", 3.0, RULE.format("cudnn-disabled"))),
    "float to half, the layer": (ONE, [("data_type", {"value": "half"})], ("training", 1.5, RULE.format("half-for-persistence"))),
    "float to half, the model": (ONE, [("data_type", {"value": "half", "how": "model"})], ("training", 2.0, RULE.format("half-for-persistence"))),
    "packed, equal lengths": ({**HALF, **ONE, "layout": "seq_major_packed"}, [("unpack_equal_lengths", {})], ("training", 1.5, RULE.format("packed-equal-lengths"))),
    "flatten weights": ({**HALF, **ONE, "framework": {"flat_weights": False}}, [("flatten_parameters", {})], None),
    "split directions": ({**HALF, "hidden_size": 512, "batch_size": 32, "seq_length": 64, "direction": "bidirectional"}, [("split_directions", {})], None),
    "split directions, two layers": ({**HALF, **ONE, "num_layers": 2, "direction": "bidirectional"}, [("split_directions", {})], None),
    "pad hidden 1000 to 1024": ({**HALF, **ONE, "hidden_size": 1000, "input_size": 1024}, [("pad_hidden", {"multiple": 128})], None),
    "pad input 80 to 128": ({**HALF, **ONE, "input_size": 80}, [("pad_input", {"multiple": 128})], None),
    "split, batch and units padded": ({**HALF, "hidden_size": 500, "batch_size": 30, "seq_length": 128, "num_layers": 2},
                                      [("split_layers", {}), ("pad_batch", {"multiple": 8}), ("pad_hidden", {"multiple": 128}), ("pad_input", {"multiple": 128})], None),
    "CUDA graph": (SMALL_GRAPH, [("cuda_graph", {})], None),
    "inference mode": ({**HALF, **ONE}, [("inference_mode", {})], None),
    "batch_first off": ({**HALF, **ONE, "framework": {"batch_first": True}}, [("layout", {"value": "seq_major_unpacked"})], None),
    "buckets": ({**HALF, "hidden_size": 1024, "input_size": 128, "layout": "seq_major_packed", "seq_lengths": LENGTHS}, [("bucket_lengths", {"buckets": 4})], None),
    "chunks": ({**HALF, **ONE, "seq_length": 256}, [("chunk_sequence", {"length": 128})], None),
    "lower batch": ({**HALF, **ONE, "batch_size": 256}, [("lower_batch", {"value": 128})], None),
}
parser = argparse.ArgumentParser()
parser.add_argument("output", type=Path)
parser.add_argument("--budget", type=float, default=110, help="seconds in all, from the start")
parser.add_argument("--device", type=int, default=0)
parser.add_argument("--only", nargs="*", choices=list(CASES))
parser.add_argument("--samples", action="store_true", help="keep every sample")
parser.add_argument("--kernels", action="store_true", help="also the names of the kernels of one training step, from torch.profiler")
options = parser.parse_args()
START = time.monotonic()
try:
    import torch
    missing = None if torch.cuda.is_available() else "PyTorch {} sees no GPU".format(torch.__version__)
except ImportError as error:
    missing = str(error)
if missing:
    print("torch_whatif: {}: {}".format(SKIP_LINE, missing))
    sys.exit(0)
from rnnadvisor_torch import emit, environment, main, plan, request, variant  # noqa: E402


def question(name, budget, **more):
    call, transforms, _ = CASES[name]
    return {"protocol": 1, "call": call, "device": options.device, "budget_s": budget, **more,
            "candidates": [{"id": name, "transforms": [{"kind": kind, "parameters": parameters} for kind, parameters in transforms]}]}


def check_flat():
    """Layers that were split have each their weights in one chunk: PyTorch, which warns once in a process when it must copy them, does not;
    and does when they were moved. So this comes first."""
    found = {}
    for moved in (False, True):
        captured = request.Call({**HALF, "hidden_size": 128, "num_layers": 2, "direction": "bidirectional"})
        for kind in ("split_layers", "split_directions"):
            made = plan.make_plan(captured, [(kind, {})])
            layer = emit.load_class(emit.module_text(made, captured), made, captured)(128, 128, 2, bidirectional=True).cuda(options.device).half()
            if moved:
                for weight in layer.parameters():
                    weight.data = weight.data.clone()
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                layer(torch.zeros(4, 8, 128, device="cuda:{}".format(options.device), dtype=torch.half))
            found["{}{}".format(kind, ", moved" if moved else "")] = any("contiguous chunk" in str(one.message) for one in seen)
    good = not found["split_layers"] and not found["split_directions"] and (found["split_layers, moved"] or found["split_directions, moved"])
    return {"name": "weights of split layers are flat", "ok": good, "warned": found}


def check_stdin():
    """The first case as rnnadvisor starts it: `python3 -c`, scripts and request through stdin."""
    files = {str(path.relative_to(SCRIPTS)): path.read_text() for path in (SCRIPTS / "rnnadvisor_torch").rglob("*") if path.suffix in (".py", ".txt")}
    text = json.dumps(files) + "\n" + json.dumps(question("split two layers", 12))
    done = subprocess.run([sys.executable, "-c", (SCRIPTS / "bootstrap.py").read_text()], input=text.encode(), capture_output=True, timeout=60)
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    last = lines[-2] if len(lines) > 1 else {}
    return {"name": "through stdin", "ok": done.returncode == 0 and last.get("status") == "measured", "status": last.get("status"), "exit_status": done.returncode,
            "stderr": done.stderr.decode()[-2000:], "speedup": {phase: one["speedup"]["wall"]["ratio"] for phase, one in last.get("phases", {}).items()},
            "seconds": lines[-1].get("seconds") if lines else None}


def kernels(asked):
    from torch.profiler import ProfilerActivity, profile
    made = plan.make_plan(asked.call, asked.candidates[0].transforms)
    values = variant.Values(torch, asked.call, asked.device, 1)
    found = {}
    for name, way in (("before", variant.Variant(values)), ("after", variant.Variant(values, made, emitted=emit.module_text(made, asked.call)))):
        with way.around(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            step = way.step("training")
            step()
            torch.cuda.synchronize()
            with profile(activities=[ProfilerActivity.CUDA]) as traced:
                step()
                torch.cuda.synchronize()
        found[name] = {one.key: one.count for one in sorted(traced.key_averages(), key=lambda one: -one.count)[:12]}
    return found


def measure(name, budget):
    asked, lines = request.parse(json.dumps(question(name, budget))), []
    main.Session(asked, torch, lines.append).run()
    found = main._finite(next(line for line in lines if line["type"] == "candidate"))
    for phase in found.get("phases", {}).values():
        if not options.samples:
            phase.pop("samples")
    found.get("emitted", {}).pop("text", None)
    if options.kernels and found["status"] == "measured" and "inference_mode" not in str(CASES[name][1]):
        found["kernels"] = kernels(asked)
    problems, known = [], CASES[name][2]
    if found["status"] != "measured" or found.get("failures"):
        problems.append("{}: {}".format(found["status"], found.get("what") or found.get("failures")))
    elif "agrees" not in found["comparison"]:
        problems.append("not compared: {}".format(found["comparison"].get("unknown") or found["comparison"].get("reference")))
    elif not found["comparison"]["agrees"]:
        problems.append("results differ: worst {} against {}".format(found["comparison"].get("worst_changed"), found["comparison"].get("worst_original")))
    if known and not problems:
        phase, least, source = known
        low = found["phases"].get(phase, {}).get("speedup", {}).get("wall", {}).get("low")
        if low is None or low < least:
            problems.append("{}: at least {} was known from {}, the interval begins at {}".format(phase, least, source, low))
    return {"name": name, "call": CASES[name][0], "known": known, "problems": problems, **{key: value for key, value in found.items() if key not in ("type", "id")}}


def report(result):
    parts = []
    for phase, one in result.get("phases", {}).items():
        wall = one["speedup"]["wall"]
        parts.append("{} {:.3g} -> {:.3g} ms, {:.2f} [{}, {}] {}".format(
            phase, 1e3 * one["median"]["before"]["wall_s"], 1e3 * one["median"]["after"]["wall_s"], wall["ratio"],
            *("{:.2f}".format(end) if end is not None else "?" for end in (wall["low"], wall["high"])), one["verdict"]))
    print("{:32} {}{}".format(result["name"], "; ".join(parts) or result["status"], "".join("\n    PROBLEM " + one for one in result["problems"])), flush=True)


device = "cuda:{}".format(options.device)
torch.cuda.set_device(device)
names = options.only or list(CASES)
output = {"environment": environment.describe(torch, device), "budget_s": options.budget, "checks": [check_flat()], "results": []}
if not options.only:
    output["checks"].append(check_stdin())
for check in output["checks"]:
    print("{:32} {}".format(check["name"], "ok" if check["ok"] else "PROBLEM {}".format(check)), flush=True)
for index, name in enumerate(names):
    left = options.budget - (time.monotonic() - START)
    if left < 0.5:
        result = {"name": name, "status": "not_measured", "problems": ["the budget of {:g} s was spent before it".format(options.budget)]}
    else:
        result = measure(name, max(0.2, left / (len(names) - index)))
    output["results"].append(result)
    report(result)
output["seconds"] = time.monotonic() - START
output["ok"] = all(check["ok"] for check in output["checks"]) and not any(result["problems"] for result in output["results"])
options.output.write_text(json.dumps(output, indent=1) + "\n")
print("{} s, written to {}".format(round(output["seconds"], 1), options.output))
sys.exit(0 if output["ok"] else 1)
