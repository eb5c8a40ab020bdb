"""Shared by the tests of advisor/whatif/torch: where the scripts are, and the loud skip without PyTorch."""
import sys
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
