"""`rnnadvisor-gui …` and `python -m rnnadvisor_gui …`: the window of the package in place of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from rnnadvisor._program import RnnadvisorError, program


def command() -> NoReturn:
    """The script `rnnadvisor-gui` that the wheel installs."""
    try:
        beside = Path(program()).parent  # the command, which the window starts by its name
    except RnnadvisorError as error:
        sys.exit(f"rnnadvisor-gui: {error}")
    window = Path(__file__).with_name("_program") / "bin" / "rnnadvisor-gui"
    os.environ["PATH"] = os.pathsep.join([str(beside), os.environ.get("PATH", os.defpath)])
    sys.stdout.flush()
    os.execv(window, ["rnnadvisor-gui", *sys.argv[1:]])


if __name__ == "__main__":
    command()
