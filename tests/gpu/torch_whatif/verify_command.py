#!/usr/bin/env python3
"""`rnnadvisor advise --verify --torch` as a user gives it, on one GPU: are the gains that are known from elsewhere confirmed in PyTorch, does
the emitted module load the old weights and compute the same, does the difference apply? Exit status 1 if not; 77 with a line without a GPU.

usage: verify_command.py RNNADVISOR OUTPUT.json [--python PYTHON] [--budget SECONDS] [--only NAME…] [--anyway]
Writes OUTPUT.json: device, driver, library versions, each command, and what came of it, with all samples. 4 minutes at most by default.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
RECORDED = "samples/recorded/programs/{}.rnnprof"
LAYER = ["--cell", "lstm", "--data-type", "float", "--hidden-size", "1024", "--batch-size", "32", "--seq-length", "128", "--mode", "training",
         "--framework", "pytorch", "--framework.packed-sequence", "false", "--framework.needs-backward", "true"]
# name: (a recorded profile or the flags of a configuration, the change, least lower end of its interval in training, where that is from)
CASES = {
    "two layers": (RECORDED.format("pytorch-two-layers"), [{"kind": "split_layers", "parameters": {}}], 2.0, "tests/gpu/results/h200/torch-whatif.json: 3.58"),
    "batch 33": (RECORDED.format("pytorch-language-model"), [{"kind": "pad_batch", "parameters": {"multiple": 8}}], 1.5, "tests/gpu/results/h200/torch-whatif.json: 2.11"),
    "TF32 off": ([*LAYER, "--math-type", "fma", "--framework.cudnn-enabled", "true", "--framework.allow-tf32", "false"],
                 [{"kind": "math_type", "parameters": {"value": "default"}}], 1.1, "tests/gpu/results/h200/torch-whatif.json: 1.80"),
    "native fallback": ([*LAYER, "--framework.cudnn-enabled", "false", "--framework.allow-tf32", "true"],
                        [{"kind": "cudnn_enabled", "parameters": {"value": True}}], 2.0, "tests/gpu/results/h200/torch-whatif.json: 3.99"),
}
parser = argparse.ArgumentParser()
parser.add_argument("rnnadvisor")
parser.add_argument("output", type=Path)
parser.add_argument("--python", default=sys.executable, help="the interpreter that has PyTorch")
parser.add_argument("--budget", type=float, default=200, help="seconds for all cases")
parser.add_argument("--only", nargs="*", choices=list(CASES))
parser.add_argument("--anyway", action="store_true", help="also without a GPU, for an interpreter that stands in")
options = parser.parse_args()
START = time.monotonic()
program = str(Path(options.rnnadvisor).resolve())
has_gpu = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
if not options.anyway:
    if not has_gpu:
        print("NEEDS A GPU, NOT RUN: there is no NVIDIA GPU here")
        sys.exit(77)
    if subprocess.run([options.python, "-c", "import torch; assert torch.cuda.is_available()"], capture_output=True).returncode:
        print("NEEDS A GPU, NOT RUN: {} has no PyTorch that sees a GPU".format(options.python))
        sys.exit(77)

# The new module against the old layer, as a user would do it.
LOADS = """
import json, sys, torch
sys.path.insert(0, sys.argv[1])
made = getattr(__import__(sys.argv[2]), sys.argv[3])
arguments = json.loads(sys.argv[4])
torch.manual_seed(1)
old = torch.nn.LSTM(**arguments).cuda().half()
new = made(**arguments).cuda().half()
print(new.load_state_dict(old.state_dict()))
old.load_state_dict(new.state_dict())
x = torch.randn(16, 33, arguments["input_size"], device="cuda", dtype=torch.half)
a, b = old(x)[0], new(x)[0]
a.float().sum().backward(), b.float().sum().backward()
worst = max(((p.grad - q.grad).float().norm() / p.grad.float().norm()).item() for p, q in zip(old.parameters(), new.parameters()))
moved = ((a - b).float().norm() / a.float().norm()).item()
print(json.dumps({"isinstance": isinstance(new, torch.nn.LSTM), "output_moved": moved, "gradients_moved": worst}))
"""


def run(command, **more):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, **more)


def check_code(name, folder, config, problems):
    """Module and difference of the case, as they were written."""
    found = {}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    found["files"] = [str(path.relative_to(folder)) for path in files]
    kind, parameters = CASES[name][1][0]["kind"], CASES[name][1][0]["parameters"]
    place = "-".join([kind] + ["{}-{}".format(key, value) for key, value in parameters.items()])
    module = next((path for path in files if path.name == "rnn_{}.py".format(kind) and path.parent.name == place), None)
    if module is not None:
        words = [line.split("(")[0][6:] for line in module.read_text().splitlines() if line.startswith("class ")]
        arguments = {key: config[key] for key in ("input_size", "hidden_size", "num_layers")}
        done = run([options.python, "-B", "-c", LOADS, str(module.parent), module.stem, words[-1], json.dumps(arguments)])
        found["loads"] = done.stdout.splitlines()[-1:] or done.stderr[-500:]
        try:
            result = json.loads(done.stdout.splitlines()[-1])
            if not result["isinstance"] or result["output_moved"] > 1e-2 or result["gradients_moved"] > 1e-2:
                problems.append("the module does not compute what the layer does: {}".format(result))
        except (ValueError, IndexError):
            problems.append("the module does not load the old weights: {}".format(done.stderr[-500:]))
        diff = next((path for path in files if path.suffix == ".diff" and path.parent == module.parent), None)
        if diff is None:
            problems.append("there is no difference for the call site")
        else:
            found["diff"] = diff.read_text()
            applies = run(["git", "apply", "--check", str(diff)])
            found["diff_applies"] = applies.returncode == 0
            if applies.returncode:
                problems.append("the difference does not apply: {}".format(applies.stderr[-300:]))
    elif kind in ("split_layers", "pad_batch"):
        problems.append("no module was written: {}".format(found["files"]))
    return found


def measure(name, budget, work):
    source, transforms, least, known = CASES[name]
    problems = []
    profile = str(ROOT / source) if isinstance(source, str) else str(work / "made.rnnprof")
    if not isinstance(source, str):
        made = run([program, "check", *source, "--save", profile, "--force", "--fail-on", "never", "-f", "json"])
        if made.returncode:
            return {"name": name, "problems": ["no profile: {}".format(made.stderr[-500:])]}
    verified, code = work / "verified.rnnprof", work / "code"
    command = [program, "advise", profile, "--verify", "--torch", "--python", options.python, "--budget", "{:g}".format(budget), "-o", str(verified),
               "--force", "--write-code", str(code), "--json"]
    began = time.monotonic()
    done = run(command)
    result = {"name": name, "command": " ".join(command), "known": known, "least": least, "exit_status": done.returncode, "seconds": time.monotonic() - began,
              "messages": done.stderr[-3000:], "problems": problems}
    if done.returncode:
        problems.append("exit status {}: {}".format(done.returncode, done.stderr[-500:]))
        return result
    report = json.loads(done.stdout)
    result["experiments"] = report["experiments"]
    for one in result["experiments"]:
        for file in one["code"]:
            file.pop("text")  # stands in the profile
    mine = [one for one in result["experiments"] if one["where"] == "pytorch" and one["transforms"] == transforms]
    if not mine:
        problems.append("{} was not tried in PyTorch".format(transforms))
        return result
    training = next((timing for timing in mine[0]["timings"] if timing["scope"] == "training_step"), None)
    if mine[0]["verdict"] != "confirmed" or training is None:
        problems.append("{}: {}".format(mine[0]["verdict"], mine[0]["message"]))
    elif training["speedup_low"] < least:
        problems.append("the interval begins at {:.3g}, at least {} was known from {}".format(training["speedup_low"], least, known))
    if training:
        result["training"] = [training[key] for key in ("speedup", "speedup_low", "speedup_high", "control_low", "control_high")]
    sizes = {"two layers": (512, 2), "batch 33": (1024, 1)}.get(name, (1024, 1))
    config = {"input_size": sizes[0], "hidden_size": sizes[0], "num_layers": sizes[1]}
    if code.exists():
        result["code"] = check_code(name, code, config, problems)
    return result


names = options.only or list(CASES)
doctor = run([program, "doctor", "--json"])
versions = run([options.python, "-c", "import json, sys, torch; print(json.dumps({'python': sys.version, 'torch': torch.__version__, 'cuda': torch.version.cuda, "
                "'cudnn': torch.backends.cudnn.version(), 'device': torch.cuda.get_device_name(0)}))"])
smi = run(["nvidia-smi", "--query-gpu=name,driver_version,uuid,clocks.sm,clocks.max.sm,temperature.gpu", "--format=csv"]).stdout if has_gpu else None
output = {"command": " ".join(sys.argv), "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "version": run([program, "version"]).stdout,
          "doctor": json.loads(doctor.stdout) if doctor.stdout.startswith("{") else doctor.stderr[-500:],
          "pytorch": json.loads(versions.stdout) if versions.returncode == 0 else versions.stderr[-500:], "nvidia_smi": smi, "results": []}
with tempfile.TemporaryDirectory() as folder:
    for index, name in enumerate(names):
        left = options.budget - (time.monotonic() - START)
        work = Path(folder) / str(index)
        work.mkdir()
        result = measure(name, max(10, left / (len(names) - index)), work)
        output["results"].append(result)
        print("{:16} {}{}".format(name, "training {:.2f} [{:.2f}, {:.2f}]".format(*result["training"][:3]) if "training" in result else "",
                                  "".join("\n    PROBLEM " + one for one in result["problems"])), flush=True)
output["seconds"] = time.monotonic() - START
output["ok"] = not any(result["problems"] for result in output["results"])
options.output.write_text(json.dumps(output, indent=1) + "\n")
print("{:.0f} s, written to {}".format(output["seconds"], options.output))
sys.exit(0 if output["ok"] else 1)
