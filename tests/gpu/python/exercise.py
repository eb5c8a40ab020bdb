"""What run.sh tries of the installed wheel, each part in processes of its own; writes OUTPUT.json."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--wheel", type=Path, required=True)
parser.add_argument("--output", type=Path, required=True)
parser.add_argument("--times", type=float, nargs=3, required=True, help="pip begins, pip ended, the first verdict was printed")
parser.add_argument("--command", required=True)
options = parser.parse_args()
PROGRAM = str(Path(sys.executable).with_name("rnnadvisor"))
results: list[dict] = []

# Layers of which check() must expect what cuDNN is then asked for: (name, layer, input size, batch, steps).
LAYERS = '''
import torch
torch.manual_seed(1)
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = torch.nn.LSTM(512, 512, 2, dtype=torch.half)
        self.both_ways = torch.nn.GRU(256, 384, bidirectional=True, batch_first=True)
        self.plain = torch.nn.RNN(64, 128, nonlinearity="relu", bias=False)
        self.projected = torch.nn.LSTM(64, 256, proj_size=64)
        self.brain = torch.nn.LSTM(1024, 1024, dtype=torch.bfloat16)
    def forward(self):
        total = 0
        for name, layer in self.named_children():
            x = torch.randn(32, 32, layer.input_size, device="cuda", dtype=layer.weight_ih_l0.dtype)
            total = total + layer(x)[0].float().square().mean()
        return total
model = Model().cuda()
def steps(n):
    for _ in range(n):
        model().backward()
        model.zero_grad()
'''
STEPS = LAYERS + '''
import sys, rnnadvisor
steps(3)
with rnnadvisor.profile() as p:
    steps(4)
steps(2)
with p.open() as run:
    print("CALLS", [row["n"] for row in run.sql("SELECT phase, count(*) AS n FROM calls GROUP BY phase ORDER BY phase")])
    print("KERNELS", len(run.rows("kernels")))
    print("UNTIMED", run.sql("SELECT count(*) AS n FROM calls WHERE device_duration_ns IS NULL")[0]["n"])
print("HEADLINE", p.findings.headline)
print("LAYERS", len(p.findings.layers))
print("PATH", p.path)
'''
# The order of calls of a Trainer and of Lightning, where they are not installed.
LOOP = LAYERS + '''
import types, sys, rnnadvisor.callbacks as callbacks
kind = sys.argv[1]
class Base: pass
if kind == "transformers-stand-in":
    sys.modules["transformers"] = types.SimpleNamespace(TrainerCallback=Base)
    callback = callbacks.trainer_callback(3, 6, "callback.rnnprof")
    for step in range(10):
        callback.on_step_begin(None, types.SimpleNamespace(global_step=step), None)
        steps(1)
    callback.on_train_end(None, None, None)
elif kind == "lightning-stand-in":
    sys.modules["lightning"] = types.ModuleType("lightning")
    sys.modules["lightning.pytorch"] = types.SimpleNamespace(Callback=Base)
    callback = callbacks.lightning_callback(3, 6, "callback.rnnprof")
    for step in range(10):
        callback.on_train_batch_start(None, None, None, step)
        steps(1)
    callback.on_train_end(None, None)
elif kind == "transformers":
    import transformers
    class Wrapped(Model):
        def forward(self, labels=None, **more):
            return {"loss": super().forward()}
    callback = callbacks.trainer_callback(3, 6, "callback.rnnprof")
    arguments = transformers.TrainingArguments("out", max_steps=10, per_device_train_batch_size=1, report_to=[], save_strategy="no", remove_unused_columns=False)
    data = [{"labels": torch.zeros(1)} for _ in range(10)]
    transformers.Trainer(Wrapped(), arguments, train_dataset=data, callbacks=[callback]).train()
else:
    try:
        import lightning.pytorch as lightning
    except ImportError:
        import pytorch_lightning as lightning
    class Wrapped(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = Model()
        def training_step(self, batch, number):
            return self.model()
        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 1e-6)
    callback = callbacks.lightning_callback(3, 6, "callback.rnnprof")
    data = torch.utils.data.DataLoader(torch.zeros(10, 1))
    lightning.Trainer(max_steps=10, accelerator="gpu", devices=1, callbacks=[callback], logger=False, enable_checkpointing=False).fit(Wrapped(), data)
print("HEADLINE", callback.recorder.findings.headline)
import rnnadvisor
print("CALLS", [row["n"] for row in rnnadvisor.open("callback.rnnprof").sql("SELECT phase, count(*) AS n FROM calls GROUP BY phase ORDER BY phase")])
'''
MAGIC = LAYERS + '''
import sys
if sys.argv[1] == "IPython":
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "rnnadvisor")
    shell.user_ns["steps"] = steps
    block = shell.run_cell_magic("rnnadvisor", "cell.rnnprof", "steps(4)")
else:
    import rnnadvisor
    class Shell:
        def register_magic_function(self, function, kind, name):
            self.magic = function
        def run_cell(self, cell):
            exec(cell, globals())
            return self
        def raise_error(self):
            pass
    shell = Shell()
    rnnadvisor.load_ipython_extension(shell)
    block = shell.magic("cell.rnnprof", "steps(4)")
print("CALLS", [row["n"] for row in block.open().sql("SELECT phase, count(*) AS n FROM calls GROUP BY phase ORDER BY phase")])
print("HTML", len(block._repr_html_()))
'''


# What accelerate() makes faster: name, class, arguments, type, what has to be allowed.
REPLACED = LAYERS.split("class Model")[0] + '''
import copy, json, logging, time
import rnnadvisor
logging.basicConfig(level=logging.INFO)
CASES = [
    ("stack", torch.nn.LSTM, (512, 512, 2), {}, torch.half, None, True),
    ("stack of GRU", torch.nn.GRU, (256, 256, 3), {"batch_first": True}, torch.half, None, None),
    ("both ways", torch.nn.LSTM, (512, 512), {"bidirectional": True}, torch.half, None, None),
    ("narrow", torch.nn.LSTM, (160, 160), {}, torch.half, "padded", True),
    ("narrow, not allowed", torch.nn.LSTM, (160, 160), {}, torch.half, None, False),
    ("fine as it is", torch.nn.LSTM, (512, 512), {}, torch.half, None, False),
]

def times(layers, x, rounds=7, steps=20):
    """Milliseconds of a training step of each, their medians: the layers take turns."""
    samples = [[] for _ in layers]
    for round in range(rounds + 1):
        for layer, own in zip(layers, samples):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(steps):
                layer(x)[0].float().square().mean().backward()
                layer.zero_grad()
            torch.cuda.synchronize()
            if round:
                own.append((time.perf_counter() - begin) / steps * 1e3)
    return [sorted(own)[len(own) // 2] for own in samples]

def results(layer, x):
    x = x.clone().requires_grad_()
    y, end = layer(x)
    tops = [y, *(end if isinstance(end, tuple) else [end])]
    # Not the mean: gradients of half would be too small for their type.
    (sum(top.float().square().sum() for top in tops) / 64).backward()
    found = [*tops, x.grad, *(parameter.grad for parameter in layer.parameters())]
    layer.zero_grad()
    return [value.detach().double() for value in found]

answers = []
for name, kind, sizes, more, data_type, allow, wanted in CASES:
    torch.manual_seed(3)
    original = kind(*sizes, dtype=data_type, **more).cuda()
    layer = copy.deepcopy(original)
    layer.flatten_parameters()  # a copy's are not one buffer
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    before = {key: value.clone() for key, value in layer.state_dict().items()}
    returned = rnnadvisor.accelerate(layer, allow, batch_size=32, seq_length=128)
    assert returned is layer and isinstance(layer, kind)
    (report,) = rnnadvisor.accelerated(layer)
    replaced = type(layer) is not kind
    assert replaced == bool(report.change) and (wanted is None or replaced == wanted), (name, str(report))
    # The state dict goes both ways, and the optimizer still has the parameters.
    assert list(layer.state_dict()) == list(before)
    assert all(torch.equal(layer.state_dict()[key], before[key]) for key in before)
    original.load_state_dict(layer.state_dict())
    layer.load_state_dict(original.state_dict())
    assert [id(p) for p in optimizer.param_groups[0]["params"]] == [id(p) for p in layer.parameters()]
    assert type(copy.deepcopy(layer)) is type(layer)
    x = torch.randn(*((32, 128) if more.get("batch_first") else (128, 32)), sizes[0], device="cuda", dtype=data_type)
    worst = 0.0
    for a, b in zip(results(original, x), results(layer, x)):
        assert a.shape == b.shape
        worst = max(worst, float((a - b).norm() / a.norm()))
    assert worst <= 2e-3, (name, worst)
    first, second = times([original, layer], x)
    answers.append({"case": name, "replaced": replaced, "report": str(report), "error": worst, "ms_before": first, "ms_after": second, "ratio": first / second})
    # One step of the optimizer moves both alike.
    for each in (original, layer):
        each(x)[0].float().square().mean().backward()
        torch.optim.SGD(each.parameters(), 0.1).step()
    moved = max(float((a.double() - b.double()).norm() / a.double().norm()) for a, b in zip(original.parameters(), layer.parameters()))
    assert moved <= 2e-3, (name, moved)
print("REPLACED", json.dumps(answers))
'''


def run(*command: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=dict(os.environ, **variables))


def script(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


def said(ended: subprocess.CompletedProcess, word: str) -> str:
    lines = [line.split(" ", 1)[1] for line in ended.stdout.splitlines() if line.startswith(word + " ")]
    assert lines, f"no line {word}; status {ended.returncode}\n{ended.stdout[-1500:]}\n{ended.stderr[-3000:]}"
    return lines[-1]


def part(function):
    begin = time.time()
    result: dict = {"part": function.__name__.replace("_", " ")}
    try:
        result.update(function() or {})
        result["ok"] = True
    except Exception as error:
        result.update(ok=False, error=f"{type(error).__name__}: {error}")
    result["seconds"] = round(time.time() - begin, 2)
    results.append(result)
    print(f"{'ok    ' if result['ok'] else 'FAILED'} {result['seconds']:6.1f} s  {result['part']}  {result.get('error', '')}", flush=True)


@part
def command():
    doctor = json.loads(run(PROGRAM, "doctor", "--json").stdout)
    ended = run(PROGRAM, "advise", "sample:gnmt", "--no-color")
    assert ended.returncode == 0, ended.stderr
    names = [line.split()[0] for line in run(PROGRAM, "--help").stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines() if line[2] != " "]
    for name in names:
        assert run(PROGRAM, name, "--help").returncode == 0, name
    return {"commands": len(names), "can_run": doctor["can_run"]}


@part
def first_recorded_verdict():
    """The README's first command, with a program of a few seconds."""
    begin = time.time()
    ended = run(sys.executable, "-m", "rnnadvisor", "profile", "-o", "first.rnnprof", script("train.py", LAYERS + "steps(20)\n"))
    assert ended.returncode == 0 and Path("first.rnnprof").exists(), ended.stderr
    return {"command": "python -m rnnadvisor profile -o first.rnnprof train.py", "seconds_to_verdict": round(time.time() - begin, 2),
            "screen": ended.stderr[-3000:]}


@part
def check_of_real_layers():
    """check() reads the model, and expects of PyTorch what the recording of its calls shows."""
    judged = run(sys.executable, script("judge.py", LAYERS + '''
import json, rnnadvisor
answer = rnnadvisor.check(model, 32, 32)
turned = rnnadvisor.check(model.both_ways, 32, 32)
print("ANSWER", json.dumps([{"name": l.name, "config": l.data["config"], "expected": l.data["expected"], "framework": l.framework} for l in answer.layers]))
print("LIVE", answer.data["devices"][0]["live"], answer.device)
print("NOTES", answer.notes)
model.stack.weight_hh_l0 = torch.nn.Parameter(model.stack.weight_hh_l0.clone())
print("FLAT", answer["stack"].framework["flat_weights"], rnnadvisor.check(model.stack, 32, 32).layers[0].framework["flat_weights"])
with torch.autocast("cuda", dtype=torch.float16):
    print("AUTOCAST", rnnadvisor.check(model.both_ways, 32, 32).layers[0].framework["autocast"])
torch.backends.cudnn.allow_tf32 = False
print("TF32", turned.layers[0].framework["allow_tf32"], rnnadvisor.check(model.both_ways, 32, 32).layers[0].framework["allow_tf32"])
print("COMPILED", rnnadvisor.check(torch.compile(model), 32, 32).layers[0].name, rnnadvisor.check(torch.compile(model), 32, 32).layers[0].framework.get("jit_compile"))
'''))
    answer = json.loads(said(judged, "ANSWER"))
    assert said(judged, "LIVE").startswith("True"), said(judged, "LIVE")
    assert said(judged, "FLAT") == "True False", said(judged, "FLAT")
    assert said(judged, "AUTOCAST") == "float16"
    assert said(judged, "TF32") == "True False", said(judged, "TF32")
    assert said(judged, "COMPILED") == "stack True", said(judged, "COMPILED")
    recorded = json.loads(run(PROGRAM, "report", "first.rnnprof", "-f", "json").stdout)
    calls = {(c["config"]["cell"], c["config"]["hidden_size"], c["config"]["data_type"]): c for c in recorded["configurations"] if c["recorded_calls"]}
    differences = []
    for layer in answer:
        config = layer["config"]
        ran = calls.get((config["cell"], config["hidden_size"], config["data_type"]))
        if ran is None:
            differences.append(f"{layer['name']}: no such call was recorded")
            continue
        keys = ["algo", "direction", "bias_mode", "math_precision", "math_type", "input_size", "proj_size", "num_layers", "dropout", "layout", "seq_length",
                "batch_size", "mode"]
        differences += [f"{layer['name']}: {key} {config[key]} was expected, {ran['config'][key]} recorded" for key in keys if config[key] != ran["config"][key]]
        if ran["ran"] not in (None, layer["expected"]):
            differences.append(f"{layer['name']}: {layer['expected']} kernels were expected, {ran['ran']} ran")
    assert not differences, differences
    return {"device": said(judged, "LIVE"), "layers": [layer["name"] for layer in answer]}


def recorded_block(mode):
    ended = run(sys.executable, "-m", "rnnadvisor", "profile", "--capture-range", "cuda-profiler-api", "--mode", mode, "--force", "-o", f"{mode}.rnnprof",
                script("block.py", STEPS))
    assert said(ended, "CALLS") == str([20, 20, 20]), f"4 steps of 5 layers: {said(ended, 'CALLS')}"
    kernels = int(said(ended, "KERNELS"))
    assert (kernels > 60) == (mode == "kernels"), kernels
    assert said(ended, "LAYERS") == "5", said(ended, "LAYERS")
    return {"headline": said(ended, "HEADLINE"), "kernels": kernels, "untimed": said(ended, "UNTIMED"), "status": ended.returncode}


@part
def block_with_kernels():
    return recorded_block("kernels")


@part
def block_with_calls():
    return recorded_block("calls")


@part
def block_without_the_plugin():
    ended = run(sys.executable, "block.py")
    assert ended.returncode == 1 and "python -m rnnadvisor profile --capture-range cuda-profiler-api" in ended.stderr, ended.stderr


@part
def magic():
    kind = "IPython" if find_spec("IPython") else "a stand-in for IPython's shell"
    ended = run(sys.executable, "-m", "rnnadvisor", "profile", "--capture-range", "cuda-profiler-api", "--force", "-o", "magic.rnnprof",
                script("magic.py", MAGIC), kind)
    assert said(ended, "CALLS") == str([20, 20, 20]), said(ended, "CALLS")
    return {"with": kind, "html": int(said(ended, "HTML"))}


def callback(kind):
    Path("callback.rnnprof").unlink(missing_ok=True)
    ended = run(sys.executable, "-m", "rnnadvisor", "profile", "--capture-range", "cuda-profiler-api", "--force", "-o", "trained.rnnprof",
                script("loop.py", LOOP), kind)
    assert said(ended, "CALLS") == str([20, 20, 20]), f"4 steps of 5 layers: {said(ended, 'CALLS')}"
    return {"with": kind, "headline": said(ended, "HEADLINE")}


@part
def hugging_face_callback():
    return callback("transformers" if find_spec("transformers") and find_spec("accelerate") else "transformers-stand-in")


@part
def lightning_callback():
    there = find_spec("lightning") or find_spec("pytorch_lightning")
    return callback("lightning" if there else "lightning-stand-in")


@part
def accelerate():
    ended = run(sys.executable, "-m", "rnnadvisor", "accelerate", script("long.py", LAYERS + "steps(150)\nprint('DONE yes')\n"))
    assert said(ended, "DONE") == "yes" and ended.returncode == 0, ended.stderr
    return {"report": ended.stderr[-2500:]}


@part
def accelerated_model():
    """rnnadvisor.accelerate(): the same results, gradients and state dict, and the time of a training step."""
    ended = run(sys.executable, script("replaced.py", REPLACED))
    cases = json.loads(said(ended, "REPLACED"))
    slower = [case["case"] for case in cases if case["replaced"] and case["ratio"] < 1.02]
    assert not slower, slower
    assert "recurrent layers replaced" in ended.stderr, ended.stderr[-1000:]
    return {"cases": cases}


@part
def flax():
    if not find_spec("flax"):
        return {"skipped": "flax is not installed"}
    ended = run(sys.executable, script("flax_check.py", '''
import flax.linen as nn, rnnadvisor
answer = rnnadvisor.check(nn.RNN(nn.OptimizedLSTMCell(256)), 32, 100, device="h200")
print("VERDICT", answer.layers[0].verdict)
'''))
    return {"verdict": said(ended, "VERDICT")}


def version(module: str) -> str:
    return run(sys.executable, "-c", f"import {module}; print({module}.__version__)").stdout.strip()


begin, installed, judged = options.times
driver = run("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").stdout.splitlines()[0]
torch = run(sys.executable, "-c", "import torch; print(torch.backends.cudnn.version(), torch.version.cuda)").stdout.split()
summary = {
    "command": options.command,
    "wheel": options.wheel.name,
    "wheel_bytes": options.wheel.stat().st_size,
    "device": driver.split(", ")[0],
    "driver": driver.split(", ")[1],
    "versions": {"rnnadvisor": version("rnnadvisor"), "python": platform.python_version(), "glibc": platform.libc_ver()[1], "torch": version("torch"),
                 "cudnn": torch[0], "cuda": torch[1]},
    "seconds": {"pip_install": round(installed - begin, 2), "first_check": round(judged - installed, 2), "install_to_first_verdict": round(judged - begin, 2)},
    "passed": Counter(result["ok"] for result in results)[True],
    "failed": Counter(result["ok"] for result in results)[False],
    "parts": results,
}
options.output.parent.mkdir(parents=True, exist_ok=True)
options.output.write_text(json.dumps(summary, indent=1) + "\n")
print(f"{summary['passed']} passed, {summary['failed']} failed; from pip install to the first verdict {summary['seconds']['install_to_first_verdict']} s")
sys.exit(1 if summary["failed"] else 0)
