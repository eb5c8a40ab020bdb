"""Shared by the tests of advisor/whatif/torch: where the scripts are, how they are started, and the loud skip without PyTorch."""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[4]
SCRIPTS = ROOT / "advisor" / "whatif" / "torch"
sys.path.insert(0, str(SCRIPTS))
SKIP_LINE = "NO PYTORCH, NOT RUN"  # ctest looks for it


def torch_or_skip(name):
    """PyTorch, or the end of this program with a line that says so."""
    try:
        import torch
    except ImportError as error:
        print("{}: {}: {} has no torch ({}); install python3-torch, or set RNNADVISOR_TEST_PYTHON".format(name, SKIP_LINE, sys.executable, error))
        sys.exit(0)
    torch.set_num_threads(1)
    return torch


def call(**keys):
    from rnnadvisor_torch.request import Call
    return Call(keys)


def changed_class(transforms, **keys):
    """(class, plan, call) for transforms given as (kind, parameters)."""
    from rnnadvisor_torch import emit, plan
    captured = call(**keys)
    made = plan.make_plan(captured, transforms)
    return emit.load_class(emit.module_text(made, captured), made, captured), made, captured


# --- the program as rnnadvisor starts it ---
SMALL = {"hidden_size": 8, "input_size": 8, "batch_size": 5, "seq_length": 6, "num_layers": 2}
SPLIT = {"id": "split", "transforms": [{"kind": "split_layers"}]}


def scripts():
    files = {str(path.relative_to(SCRIPTS)): path.read_text() for path in (SCRIPTS / "rnnadvisor_torch").rglob("*") if path.suffix in (".py", ".txt")}
    return json.dumps(files).encode() + b"\n"


def start(request, environment=None, cwd=None):
    """(exit status, lines, stderr, seconds)."""
    text = request if isinstance(request, bytes) else json.dumps(request).encode()
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", (SCRIPTS / "bootstrap.py").read_text()], input=scripts() + text, capture_output=True,
                          env={**os.environ, **(environment or {})}, cwd=cwd, timeout=400)
    return done.returncode, [json.loads(line, parse_constant=lambda word: 1 / 0) for line in done.stdout.decode().splitlines()], done.stderr.decode(), time.monotonic() - begin


def request(**keys):
    return {"protocol": 1, "call": SMALL, "candidates": [SPLIT], "device": "cpu", "budget_s": 120, **keys}
