#!/usr/bin/env python3
"""Builds the wheel: the Python package of python/ with the command and the plugin of a portable build.

usage: packaging/wheel.py BUILD [-o FOLDER]

BUILD is a finished build of a preset with RNNADVISOR_PORTABLE (portable, gcc). What is in the wheel is what
`cmake --install` gives under bin and lib, stripped. The same inputs give the same bytes (SOURCE_DATE_EPOCH sets the
time of the entries). Checked before it is written: no library but glibc's own is needed, glibc is no newer than
OLDEST_PROMISED, and the command is of the same version. The tag names the glibc that was found. Needs cmake, binutils
and patchelf, no network.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import platform
import re
import stat
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PACKAGE = SOURCE / "python" / "rnnadvisor"
SCRIPTS = SOURCE / "advisor" / "whatif" / "torch" / "rnnadvisor_torch"  # which rnnadvisor/_accelerate.py looks for in _torch
PROGRAM = "rnnadvisor/_program"  # rnnadvisor/_program.py looks for bin/rnnadvisor there
OLDEST_PROMISED = (2, 35)  # Debian 12, Ubuntu 22.04
OF_GLIBC = re.compile(r"ld-linux.*\.so|lib(c|m|dl|pthread|rt)\.so")
METADATA = """\
Metadata-Version: 2.1
Name: rnnadvisor
Version: {version}
Summary: {summary}
License: Apache-2.0
License-File: LICENSE
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""


def run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def cache_entry(build: Path, name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed_glibc(path: Path) -> tuple[int, ...]:
    """The newest version of glibc whose symbols the file needs; ends the script if it needs another library."""
    foreign = [name for name in run("patchelf", "--print-needed", str(path)).split() if not OF_GLIBC.match(name)]
    if foreign:
        sys.exit(f"{path.name} needs libraries that other machines may lack: {' '.join(foreign)}\n"
                 "build with RNNADVISOR_PORTABLE=ON (preset portable)")
    versions = re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)", run("objdump", "-T", str(path)))
    return max((tuple(map(int, version.split("."))) for version in versions), default=(2, 0))


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="a finished build with RNNADVISOR_PORTABLE")
    parser.add_argument("-o", "--output", type=Path, default=Path("."), help="the folder for the wheel")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    version = cache_entry(build, "CMAKE_PROJECT_VERSION")
    if not version:
        sys.exit(f"'{build}' is no finished build: configure and build it first (cmake --preset portable)")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        run("cmake", "--install", str(build), "--prefix", folder, "--component", "Runtime", "--strip")
        # share/ has documents, rules and samples to read; the program has them inside.
        native = {f"{PROGRAM}/{path.relative_to(tree)}": path for path in sorted(tree.rglob("*"))
                  if path.is_file() and path.relative_to(tree).parts[0] != "share"}
        glibc = max(needed_glibc(path) for path in native.values() if is_elf(path))
        if glibc > OLDEST_PROMISED:
            sys.exit(f"needs glibc {'.'.join(map(str, glibc))}, and {'.'.join(map(str, OLDEST_PROMISED))} is promised: "
                     "cmake/portable has stand-ins for functions that older ones lack")
        program = next(path for name, path in native.items() if name == f"{PROGRAM}/bin/rnnadvisor")
        of_program = json.loads(run(str(program), "version", "--json"))["rnnadvisor"]
        if of_program != version:
            sys.exit(f"the program is version {of_program} and the build is configured for {version}: build it again")
        tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{platform.machine()}"
        info = f"rnnadvisor-{version}.dist-info"
        metadata = METADATA.format(version=version, summary=cache_entry(build, "CMAKE_PROJECT_DESCRIPTION"))
        files: dict[str, Path | bytes] = dict(native)
        files.update({f"rnnadvisor/{path.name}": path for path in [*PACKAGE.glob("*.py"), PACKAGE / "py.typed"]})
        files.update({f"rnnadvisor/_torch/{path.relative_to(SCRIPTS)}": path for path in sorted(SCRIPTS.rglob("*"))
                      if path.suffix in (".py", ".txt")})
        files[f"{info}/METADATA"] = metadata.encode() + (SOURCE / "docs" / "python.md").read_bytes()
        files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: rnnadvisor\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
        files[f"{info}/entry_points.txt"] = b"[console_scripts]\nrnnadvisor = rnnadvisor.__main__:command\n"
        files[f"{info}/licenses/LICENSE"] = SOURCE / "LICENSE"
        arguments.output.mkdir(parents=True, exist_ok=True)
        wheel = arguments.output / f"rnnadvisor-{version}-{tag}.whl"
        write_wheel(wheel, files, f"{info}/RECORD")
        for name, path in native.items():
            print(f"{path.stat().st_size / 2**20:7.1f} MiB  {name}")
    print(f"{wheel.stat().st_size / 2**20:7.1f} MiB  {wheel}")


if __name__ == "__main__":
    main()
