"""rnnadvisor in Python: why an LSTM, GRU or RNN is slow under cuDNN, and what to change.

    rnnadvisor.check(model, batch_size=32, seq_length=100)   judge the recurrent layers of a model
    rnnadvisor.accelerate(model)                             replace them by faster modules with the same results
    with rnnadvisor.profile() as p: ...                      record a block of a program, and judge it
    rnnadvisor.open("run.rnnprof")                           read a recorded profile

This package judges nothing by itself: it asks the command `rnnadvisor` that it contains, so that words, rules and
numbers are those of the command. It has no dependencies; PyTorch, Keras, Flax, pandas and IPython are used where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._accelerate import Acceleration as Acceleration
    from ._accelerate import Replacement as Replacement
    from ._accelerate import accelerate as accelerate
    from ._accelerate import accelerated as accelerated
    from ._check import check as check
    from ._findings import Finding as Finding
    from ._findings import Findings as Findings
    from ._findings import Fix as Fix
    from ._findings import Gain as Gain
    from ._findings import Layer as Layer
    from ._profile import NotRecorded as NotRecorded
    from ._profile import profile as profile
    from ._program import RnnadvisorError as RnnadvisorError
    from ._recording import Recording as Recording
    from ._recording import open as open

# Imported when they are used: the script `rnnadvisor` starts the command without them.
_PLACES = {
    "accelerate": "_accelerate",
    "accelerated": "_accelerate",
    "Acceleration": "_accelerate",
    "Replacement": "_accelerate",
    "check": "_check",
    "Finding": "_findings",
    "Findings": "_findings",
    "Fix": "_findings",
    "Gain": "_findings",
    "Layer": "_findings",
    "NotRecorded": "_profile",
    "profile": "_profile",
    "RnnadvisorError": "_program",
    "Recording": "_recording",
    "open": "_recording",
}
__all__ = [*_PLACES, "__version__", "load_ipython_extension"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        return import_module("._program", __name__).version()
    if name not in _PLACES:
        raise AttributeError(f"module 'rnnadvisor' has no attribute '{name}'")
    return getattr(import_module(f".{_PLACES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext rnnadvisor` brings the cell magic `%%rnnadvisor`."""
    from ._magic import register

    register(ipython)
