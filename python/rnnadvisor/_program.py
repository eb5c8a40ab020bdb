"""The command `rnnadvisor` of this package: where it is, and running it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Mapping, Optional, Sequence


class RnnadvisorError(RuntimeError):
    """What the command said when it could not do what it was asked."""


def program() -> str:
    """The file of the command: that of the wheel, or the one that RNNADVISOR_PROGRAM names."""
    named = os.environ.get("RNNADVISOR_PROGRAM")
    path = Path(named) if named else Path(__file__).with_name("_program") / "bin" / "rnnadvisor"
    if not path.is_file():
        where = f"RNNADVISOR_PROGRAM is set to '{named}', which is no file" if named else f"there is no '{path}'"
        raise RnnadvisorError(
            f"the command rnnadvisor is not in this package: {where}. Install the wheel (pip install rnnadvisor-….whl), "
            "or set RNNADVISOR_PROGRAM to a built rnnadvisor"
        )
    return str(path)


def unrecorded_environment() -> dict[str, str]:
    """This process's variables without those that make its children be recorded."""
    environment = dict(os.environ)
    if "RNNADVISOR_SPOOL" not in environment:
        return environment
    words = subprocess.run([program(), "env", "--unset", "--shell", "bash"], stdout=subprocess.PIPE, text=True, check=True)
    for line in words.stdout.splitlines():
        verb, word = shlex.split(line.rstrip(";"))
        name, _, value = word.partition("=")
        environment.pop(name, None)
        if verb == "export":
            environment[name] = value
    return environment


class Answer:
    """Standard output of the command, and the remarks that it made on standard error."""

    def __init__(self, text: str, remarks: Sequence[str]) -> None:
        self.text = text
        self.remarks = list(remarks)


def run(arguments: Sequence[str], stdin: str = "", environment: Optional[Mapping[str, str]] = None) -> Answer:
    """Runs the command and returns what it wrote; its errors (exit status 2 and above) are raised."""
    ended = subprocess.run(
        [program(), *arguments, "--no-color", "--no-progress"],
        input=stdin.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=unrecorded_environment() if environment is None else environment,
    )
    said = ended.stderr.decode(errors="replace")
    if ended.returncode not in (0, 1):
        raise RnnadvisorError(said.strip() or f"rnnadvisor {arguments[0]} ended with status {ended.returncode}")
    remarks = [line[len("rnnadvisor: "):] for line in said.splitlines() if line.startswith("rnnadvisor: ")]
    return Answer(ended.stdout.decode(), remarks)


def version() -> str:
    """The version of the command, which is that of the package."""
    return str(json.loads(run(["version", "--json"]).text)["rnnadvisor"])
