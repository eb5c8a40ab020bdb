"""`rnnadvisor …` and `python -m rnnadvisor …`: the command of the package in place of this process.

`python -m rnnadvisor profile|accelerate|try [options] script.py …` starts the script with this interpreter; everything
else is passed on as it is.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import NoReturn, Sequence

from ._program import RnnadvisorError, program

STARTING = ("profile", "accelerate", "try")


def options_with_value(command: str) -> set[str]:
    """As its help lists them: `  -o, --output FILE   what it is`."""
    text = subprocess.run([program(), command, "--help-all"], stdout=subprocess.PIPE, text=True, check=True).stdout
    names: set[str] = set()
    for short, long, value in re.findall(r"^  (?:(-\w), )?(--[\w-]+)( \S+)?", text, re.MULTILINE):
        if value:
            names.update(name for name in (short, long) if name)
    return names


def with_interpreter(arguments: Sequence[str]) -> list[str]:
    """Puts this interpreter before the script of `profile`, `accelerate` and `try`."""
    arguments = list(arguments)
    if not arguments or arguments[0] not in STARTING:
        return arguments
    valued = options_with_value(arguments[0])
    at = 1
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] not in ("-m", "-c"):
        if arguments[at] == "--":
            at += 1
            break
        at += 2 if arguments[at] in valued else 1
    rest = arguments[at:]
    if not rest or not (rest[0] in ("-m", "-c") or rest[0].endswith(".py")):
        return arguments
    before = arguments[:at]
    return [*before, *([] if before[-1] == "--" else ["--"]), sys.executable, *rest]


def replace_process(arguments: Sequence[str]) -> NoReturn:
    try:
        file = program()
    except RnnadvisorError as error:
        sys.exit(f"rnnadvisor: {error}")
    sys.stdout.flush()
    os.execv(file, ["rnnadvisor", *arguments])


def command() -> NoReturn:
    """The script `rnnadvisor` that the wheel installs."""
    replace_process(sys.argv[1:])


def main() -> NoReturn:
    try:
        arguments = with_interpreter(sys.argv[1:])
    except RnnadvisorError as error:
        sys.exit(f"rnnadvisor: {error}")
    replace_process(arguments)


if __name__ == "__main__":
    main()
