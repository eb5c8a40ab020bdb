"""One callback for Lightning and for the Trainer of Hugging Face: records training steps FIRST to LAST on rank 0.

    trainer = lightning.Trainer(callbacks=[rnnadvisor.callbacks.lightning_callback(first=20, last=40)])
    trainer = transformers.Trainer(…, callbacks=[rnnadvisor.callbacks.trainer_callback(first=20, last=40)])

Start the training with `python -m rnnadvisor profile --capture-range cuda-profiler-api train.py`. Started otherwise it
trains as without the callback and warns once.
"""

from __future__ import annotations

import logging
import os
import warnings
from importlib import import_module
from typing import Any, Callable, Optional

from ._findings import Findings
from ._profile import NotRecorded, profile

log = logging.getLogger("rnnadvisor")


class StepRecorder:
    """What both callbacks do: call step(number) before each training step, counted from 1, and end() after the last."""

    def __init__(
        self, first: int = 20, last: int = 40, output: Optional[str] = None, report: Optional[Callable[[Findings], None]] = None
    ) -> None:
        if not 1 <= first <= last:
            raise ValueError(f"first and last are steps counted from 1, first before last, not {first} and {last}")
        self.first, self.last = first, last
        self.findings: Optional[Findings] = None
        self._output, self._report = output, report
        self._block: Optional[profile] = None
        self._done = False

    def step(self, number: int) -> None:
        if self._block is not None and number > self.last:
            self.end()
        if self._done or self._block is not None or not self.first <= number <= self.last or not is_first_rank():
            return
        block = profile(self._output)
        try:
            block.start()
        except NotRecorded as error:
            self._done = True
            warnings.warn(f"rnnadvisor records no steps: {error}", stacklevel=2)
            return
        self._block = block

    def end(self) -> None:
        block, self._block = self._block, None
        if block is None:
            return
        self._done = True
        try:
            block.stop()
            self.findings = block.findings
        except Exception as error:  # a training does not end because of its profile
            warnings.warn(f"rnnadvisor could not judge the steps that it recorded: {error}", stacklevel=2)
            return
        log.warning("steps %d to %d: %s (`rnnadvisor report %s`)", self.first, self.last, self.findings.headline, block.path)
        if self._report is not None:
            self._report(self.findings)


def is_first_rank() -> bool:
    return os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")) == "0"


def lightning_callback(first: int = 20, last: int = 40, output: Optional[str] = None) -> Any:
    """A lightning.Callback (or pytorch_lightning.Callback)."""
    try:
        base: Any = import_module("lightning.pytorch").Callback
    except ImportError:
        base = import_module("pytorch_lightning").Callback

    class RnnadvisorCallback(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.recorder = StepRecorder(first, last, output)
            self.batches = 0

        def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, batch_idx: int) -> None:
            self.batches += 1
            self.recorder.step(self.batches)

        def on_train_end(self, trainer: Any, module: Any) -> None:
            self.recorder.end()

    return RnnadvisorCallback()


def trainer_callback(first: int = 20, last: int = 40, output: Optional[str] = None) -> Any:
    """A transformers.TrainerCallback."""
    base: Any = import_module("transformers").TrainerCallback

    class RnnadvisorCallback(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.recorder = StepRecorder(first, last, output)

        def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.recorder.step(state.global_step + 1)

        def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.recorder.end()

    return RnnadvisorCallback()
