"""`rnnadvisor-gui …` and `python -m rnnadvisor_gui …`: the window of the package in place of this process."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import NoReturn

from rnnadvisor._program import RnnadvisorError, program


# What the window takes from the desktop, of what a server usually lacks (packaging/gui_wheel.py), with Debian's packages.
OF_DESKTOP = {"libEGL.so.1": "libegl1", "libGLX.so.0": "libglx0", "libOpenGL.so.0": "libopengl0",
              "libfontconfig.so.1": "libfontconfig1", "libharfbuzz.so.0": "libharfbuzz0b"}


def is_missing(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return True
    return False


def command() -> NoReturn:
    """The script `rnnadvisor-gui` that the wheel installs."""
    try:
        beside = Path(program()).parent  # the command, which the window starts by its name
    except RnnadvisorError as error:
        sys.exit(f"rnnadvisor-gui: {error}")
    if missing := [library for library in OF_DESKTOP if is_missing(library)]:
        sys.exit(f"rnnadvisor-gui: this machine has no {', '.join(missing)}: the window needs these libraries of a desktop.\n"
                 f"  remedy: apt-get install {' '.join(OF_DESKTOP[library] for library in missing)} (Debian, Ubuntu); without a "
                 "window `rnnadvisor report FILE.rnnprof --format html` writes the findings as a page")
    window = Path(__file__).with_name("_program") / "bin" / "rnnadvisor-gui"
    os.environ["PATH"] = os.pathsep.join([str(beside), os.environ.get("PATH", os.defpath)])
    sys.stdout.flush()
    os.execv(window, ["rnnadvisor-gui", *sys.argv[1:]])


if __name__ == "__main__":
    command()
