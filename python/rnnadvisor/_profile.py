"""profile(): recording a block of a process that was started with the plugin."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from ._findings import Findings
from ._program import RnnadvisorError, run
from ._recording import Recording, judge_recording

if TYPE_CHECKING:
    from types import TracebackType

PLUGIN = "librnnadvisor_plugin.so"
HOW = """\
this process was not started with the plugin of rnnadvisor, so nothing of it can be recorded. Start it with
  python -m rnnadvisor profile --capture-range cuda-profiler-api script.py
or, for a notebook or a service, start that from a shell with the variables:
  eval "$(rnnadvisor env --capture-range cuda-profiler-api -o run.rnnprof)"
  jupyter lab"""


class NotRecorded(RnnadvisorError):
    """The process was not started with the variables of `rnnadvisor profile` or `rnnadvisor env`."""


def is_recorded() -> bool:
    """Whether the plugin is in this process and records calls (under `accelerate` it only chooses algorithms)."""
    if not os.environ.get("RNNADVISOR_SPOOL") or os.environ.get("RNNADVISOR_RECORD", "calls") != "calls":
        return False
    try:
        return f"/{PLUGIN}" in Path("/proc/self/maps").read_text()
    except OSError:
        return False


def mark(function: str) -> None:
    """Begins or ends the range of --capture-range cuda-profiler-api, by the driver's function, which the plugin watches."""
    if os.environ.get("RNNADVISOR_CAPTURE") != "cuda-profiler-api":
        return
    try:
        getattr(ctypes.CDLL("libcuda.so.1"), function)()
    except OSError as error:
        raise RnnadvisorError(f"there is no NVIDIA driver, so no RNN call can be recorded ({error})") from None


class profile:
    """Records a block: `with rnnadvisor.profile() as p: …`, then `print(p)`, p.findings, p.open().

    output: the profile to write, also over an existing one; default: beside the recording, with the next free number.
    With --capture-range cuda-profiler-api the process records nothing but such blocks, and the rest runs as without it.
    Raises NotRecorded where the process was not started with the plugin; the message says how to.
    """

    def __init__(self, output: Optional[Union[str, Path]] = None) -> None:
        self._output = None if output is None else Path(output)
        self._open = False
        self._since = 0.0
        self._findings: Optional[Findings] = None
        self.path: Optional[Path] = None
        self.remarks: list[str] = []

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        if not is_recorded():
            raise NotRecorded(HOW)
        wait_for_gpu()
        self._since = time.time()
        mark("cuProfilerStart")
        self._open = True

    def stop(self) -> None:
        """Ends the block and makes the profile of what was recorded."""
        if not self._open:
            return
        self._open = False
        wait_for_gpu()
        mark("cuProfilerStop")
        folder = os.environ["RNNADVISOR_SPOOL"]
        self.path = self._output or free_name(folder)
        # collect waits two seconds for this process to end; by then the last kernels are in the file.
        answer = run(["collect", folder, "--since", f"{self._since:.9f}", "-o", str(self.path), *(["--force"] if self._output else [])])
        self.remarks = answer.remarks

    @property
    def findings(self) -> Findings:
        if self.path is None:
            raise RnnadvisorError("the block has not ended yet: there is no profile of it")
        if self._findings is None:
            self._findings = judge_recording(self.path)
        return self._findings

    def open(self) -> Recording:
        if self.path is None:
            raise RnnadvisorError("the block has not ended yet: there is no profile of it")
        return Recording(self.path)

    def __str__(self) -> str:
        return "a block that has not ended" if self.path is None else f"{self.findings}\n\nProfile: {self.path}"

    def _repr_html_(self) -> str:
        return self.findings._repr_html_()


def free_name(folder: str) -> Path:
    """run-1.rnnprof of run.rnnprof.spool-x3Yz1Q: run.rnnprof itself is the profile of the whole run."""
    path = Path(folder)
    stem = re.sub(r"(\.rnnprof)?(\.spool-\w+)?$", "", path.name)
    number = 1
    while (found := path.with_name(f"{stem}-{number}.rnnprof")).exists():
        number += 1
    return found


def wait_for_gpu() -> None:
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
