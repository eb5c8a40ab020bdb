#!/usr/bin/env python3
"""Builds the wheels: the Python package of python/ with the command and the plugin of a portable build, and where the
build has the window a second one, rnnadvisor_gui, with it and Qt.

usage: packaging/wheel.py BUILD [-o FOLDER]

BUILD is a finished build of a preset with RNNADVISOR_PORTABLE (portable, gcc). What is in a wheel is what
`cmake --install` gives under bin and lib, stripped, and of the window what packaging/gui_wheel.py adds. The same inputs
give the same bytes (SOURCE_DATE_EPOCH sets the time of the entries). Checked before one is written: no library is needed
but glibc's own (of the window: but those in the wheel and of every desktop), glibc is no newer than promised, and the
program is of the same version. The tag names the glibc that was found. Needs cmake, binutils and patchelf, for the
window also qtpaths6, ldd and dpkg; no network.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Callable

import gui_wheel

SOURCE = Path(__file__).resolve().parent.parent
PACKAGE = SOURCE / "python" / "rnnadvisor"
SCRIPTS = SOURCE / "advisor" / "whatif" / "torch" / "rnnadvisor_torch"  # which rnnadvisor/_accelerate.py looks for in _torch
PROGRAM = "rnnadvisor/_program"  # rnnadvisor/_program.py looks for bin/rnnadvisor there
OLDEST_PROMISED = (2, 35)  # Debian 12, Ubuntu 22.04
GUI_PACKAGE = SOURCE / "python" / "rnnadvisor_gui"
GUI_PROGRAM = "rnnadvisor_gui/_program"
OF_GLIBC = re.compile(r"ld-linux.*\.so|lib(c|m|dl|pthread|rt)\.so")
METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: {licence}
License-File: LICENSE
Classifier: Typing :: Typed
Requires-Python: >=3.9
{more}Description-Content-Type: text/markdown

"""


def run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def cache_entry(build: Path, name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def newest_symbol(path: Path) -> tuple[int, ...]:
    """The newest version of glibc whose symbols the file needs."""
    versions = re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)", run("objdump", "-T", str(path)))
    return max((tuple(map(int, version.split("."))) for version in versions), default=(2, 0))


def needed_glibc(tree: Path, foreign: Callable[[Path], list[str]], promised: tuple[int, ...]) -> tuple[int, ...]:
    """The newest version of glibc that a tree needs; ends the script if it needs a foreign library or a newer glibc."""
    newest: tuple[int, ...] = (2, 0)
    for path in sorted(each for each in tree.rglob("*") if each.is_file() and is_elf(each)):
        if names := foreign(path):
            sys.exit(f"{path.name} needs libraries that other machines may lack: {' '.join(names)}\n"
                     "build with RNNADVISOR_PORTABLE=ON (preset portable)")
        newest = max(newest, newest_symbol(path))
    if newest > promised:
        sys.exit(f"needs glibc {'.'.join(map(str, newest))}, and {'.'.join(map(str, promised))} is promised: "
                 "cmake/portable has stand-ins for functions that older ones lack")
    return newest


def installed(build: Path, component: str, folder: str, program: str) -> Path:
    """What a component of a build has of the program, in a folder; ends the script if its version is another one."""
    run("cmake", "--install", str(build), "--prefix", folder, "--component", component, "--strip")
    tree = Path(folder)
    shutil.rmtree(tree / "share", ignore_errors=True)  # documents, rules and samples to read, which the program has inside
    words = run(str(tree / "bin" / program), "--version")
    version = cache_entry(build, "CMAKE_PROJECT_VERSION")
    if version not in words.split():
        sys.exit(f"{program} says it is '{words.strip()}' and the build is configured for {version}: build it again")
    return tree


def write_wheel(path: Path, files: dict[str, Path | bytes], record: str) -> None:
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]  # ZIP begins in 1980
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in sorted(files.items()):
            executable = isinstance(content, Path) and os.access(content, os.X_OK)
            data = content.read_bytes() if isinstance(content, Path) else content
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
            entry = zipfile.ZipInfo(name, when)
            entry.create_system = 3  # Unix: the mode below counts
            entry.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
        entry = zipfile.ZipInfo(record, when)
        entry.create_system = 3
        entry.external_attr = (stat.S_IFREG | 0o644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        wheel.writestr(entry, "".join([*lines, f"{record},,\n"]))


class Wheel:
    """One of the two: its files by name, and what describes it."""

    def __init__(self, name: str, build: Path, tree: Path, program: str, package: Path, glibc: tuple[int, ...]) -> None:
        self.name = name
        self.version = cache_entry(build, "CMAKE_PROJECT_VERSION")
        self.tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{platform.machine()}"
        self.info = f"{name}-{self.version}.dist-info"
        self.native = {f"{program}/{path.relative_to(tree)}": path for path in sorted(tree.rglob("*")) if path.is_file()}
        self.files: dict[str, Path | bytes] = dict(self.native)
        self.files.update({f"{name}/{path.name}": path for path in [*package.glob("*.py"), package / "py.typed"]})
        self.files[f"{self.info}/licenses/LICENSE"] = SOURCE / "LICENSE"

    def write(self, folder: Path, script: str, entry: str, description: bytes, summary: str, licence: str = "Apache-2.0",
              more: str = "") -> None:
        metadata = METADATA.format(name=self.name.replace("_", "-"), version=self.version, summary=summary, licence=licence, more=more)
        self.files[f"{self.info}/METADATA"] = metadata.encode() + description
        self.files[f"{self.info}/WHEEL"] = (
            f"Wheel-Version: 1.0\nGenerator: rnnadvisor\nRoot-Is-Purelib: false\nTag: {self.tag}\n".encode())
        self.files[f"{self.info}/entry_points.txt"] = f"[console_scripts]\n{script} = {entry}\n".encode()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}-{self.version}-{self.tag}.whl"
        write_wheel(path, self.files, f"{self.info}/RECORD")
        for name, file in self.native.items():
            print(f"{file.stat().st_size / 2**20:7.1f} MiB  {name}")
        print(f"{path.stat().st_size / 2**20:7.1f} MiB  {path}")


def of_command(build: Path, output: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = installed(build, "Runtime", folder, "rnnadvisor")
        glibc = needed_glibc(tree, lambda path: [name for name in gui_wheel.needed(path) if not OF_GLIBC.match(name)],
                             OLDEST_PROMISED)
        wheel = Wheel("rnnadvisor", build, tree, PROGRAM, PACKAGE, glibc)
        wheel.files.update({f"rnnadvisor/_torch/{path.relative_to(SCRIPTS)}": path for path in sorted(SCRIPTS.rglob("*"))
                            if path.suffix in (".py", ".txt")})
        wheel.write(output, "rnnadvisor", "rnnadvisor.__main__:command", (SOURCE / "docs" / "python.md").read_bytes(),
                    cache_entry(build, "CMAKE_PROJECT_DESCRIPTION"))


def of_window(build: Path, output: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = installed(build, "Gui", folder, "rnnadvisor-gui")
        taken = gui_wheel.add_qt(tree)
        glibc = needed_glibc(tree, lambda path: gui_wheel.foreign(tree, path), OLDEST_PROMISED)
        wheel = Wheel("rnnadvisor_gui", build, tree, GUI_PROGRAM, GUI_PACKAGE, glibc)
        terms, versions = gui_wheel.licences(taken)
        wheel.files.update({f"{wheel.info}/licenses/{name}": path for name, path in terms.items()})
        made_of = "".join(f"- Debian {package} {version}\n" for package, version in versions.items())
        description = ("The window of rnnadvisor: `rnnadvisor-gui FILE.rnnprof`. Its libraries are those of these packages of "
                       "Debian, unchanged but for where they look for each other, and each may be replaced by another file; their "
                       f"terms are in `{wheel.info}/licenses`, their sources at https://sources.debian.org.\n\n{made_of}")
        wheel.write(output, "rnnadvisor-gui", "rnnadvisor_gui.__main__:command", description.encode(), "The window of rnnadvisor",
                    "Apache-2.0 AND LGPL-3.0-only AND others, of each library in the wheel",
                    f"Requires-Dist: rnnadvisor=={wheel.version}\n" +
                    "".join(f"License-File: {name}\n" for name in terms))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="a finished build with RNNADVISOR_PORTABLE")
    parser.add_argument("-o", "--output", type=Path, default=Path("."), help="the folder for the wheels")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if not cache_entry(build, "CMAKE_PROJECT_VERSION"):
        sys.exit(f"'{build}' is no finished build: configure and build it first (cmake --preset portable)")
    of_command(build, arguments.output)
    if (build / "bin" / "rnnadvisor-gui").is_file():
        of_window(build, arguments.output)


if __name__ == "__main__":
    main()
