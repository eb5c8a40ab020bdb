"""What the wheel of the window has beside rnnadvisor-gui: Qt with its plugins, and what these need that not every
desktop has. For packaging/wheel.py.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

# A plugin is loaded by its name, so no program shows that it is needed. Wayland is another package (qt6-wayland), and
# is taken where it is installed.
PLUGINS = ("platforms/libqxcb.so", "platforms/libqoffscreen.so", "platforms/libqwayland*.so",
           "platforminputcontexts/lib*.so", "xcbglintegrations/lib*.so", "wayland-*/lib*.so",
           "imageformats/libqsvg.so", "iconengines/libqsvgicon.so")
# Of the desktop: the C and C++ libraries, what draws on its display and finds its fonts. A copy would stand before the
# one that its drivers are made for. https://github.com/AppImageCommunity/pkg2appimage/blob/master/excludelist gives the
# reason for each.
OF_DESKTOP = re.compile(
    r"(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|util|gcc_s|stdc\+\+|GL|GLX|EGL|OpenGL|GLdispatch|drm|gbm|X11|X11-xcb|xcb|"
    r"ICE|SM|uuid|fontconfig|freetype|harfbuzz|expat|z|com_err|gpg-error|wayland-client|wayland-egl))\.so(\.\d+)*")


def said(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def needed(path: Path) -> list[str]:
    return said("patchelf", "--print-needed", str(path)).split()


def places(path: Path) -> dict[str, Path]:
    """Where the libraries are that a file needs, by the name it needs them by; ends the script where one is missing."""
    found: dict[str, Path] = {}
    for line in said("ldd", str(path)).splitlines():
        name, arrow, where = line.strip().partition(" => ")
        if where.startswith("not found"):
            sys.exit(f"{path}: {name} is not on this machine")
        if arrow:
            found[name] = Path(where.split(" (")[0])
    return found


def plugins() -> list[Path]:
    """Of Qt, below its folder of plugins."""
    for query in ("qtpaths6", "qmake6"):
        if shutil.which(query):
            break
    else:
        sys.exit("qtpaths6 is missing, which says where Qt's plugins are (Debian: qt6-base-dev-tools)")
    word = "--query" if query == "qtpaths6" else "-query"
    folder = Path(said(query, word, "QT_INSTALL_PLUGINS").strip())
    chosen = sorted({path for pattern in PLUGINS for path in folder.glob(pattern)})
    for must in ("platforms/libqxcb.so", "platforms/libqoffscreen.so", "imageformats/libqsvg.so"):
        if folder / must not in chosen:
            sys.exit(f"there is no '{folder / must}' (Debian: qt6-base-dev, libqt6svg6)")
    return chosen


def copied(source: Path, to: Path, search: str) -> Path:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)  # not its mode: a library is no program
    said("patchelf", "--set-rpath", search, str(to))
    return to


def add_qt(tree: Path) -> dict[Path, Path]:
    """Puts Qt beside bin/rnnadvisor-gui in `tree`. Returns what it took, by where it came from."""
    program = tree / "bin" / "rnnadvisor-gui"
    taken: dict[Path, Path] = {}
    waiting = [(program, program)]  # where a file was linked, and where it is now
    for plugin in plugins():
        to = tree / "plugins" / plugin.parent.name / plugin.name
        taken[plugin] = copied(plugin, to, "$ORIGIN/../../lib")
        waiting.append((plugin, to))
    while waiting:
        source, now = waiting.pop()
        where = places(source)
        for name in needed(now):
            to = tree / "lib" / name
            if OF_DESKTOP.fullmatch(name) or to.exists():
                continue
            taken[where[name]] = copied(where[name], to, "$ORIGIN")
            waiting.append((where[name], to))
    said("patchelf", "--set-rpath", "$ORIGIN/../lib", str(program))
    # Qt looks for its plugins where this says.
    (tree / "bin" / "qt.conf").write_text("[Paths]\nPrefix = ..\nPlugins = plugins\n")
    return taken


def foreign(tree: Path, path: Path) -> list[str]:
    """What a file of the tree needs that neither the tree nor every desktop has."""
    return [name for name in needed(path) if not OF_DESKTOP.fullmatch(name) and not (tree / "lib" / name).exists()]


def licences(taken: dict[Path, Path]) -> tuple[dict[str, Path], dict[str, str]]:
    """The files with the terms of what was taken, by name, and the versions of the Debian packages it came from."""
    packages = set()
    for path in taken:
        for each in (path.resolve(), path, Path("/usr", *path.resolve().parts[1:])):
            owner = subprocess.run(["dpkg-query", "--search", str(each)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True).stdout
            if owner:
                packages.add(owner.split(":")[0])
                break
        else:
            sys.exit(f"{path} belongs to no package, so that its licence is not known")
    files: dict[str, Path] = {}
    versions = {}
    for package in sorted(packages):
        terms = Path("/usr/share/doc") / package / "copyright"
        if not terms.is_file():
            sys.exit(f"{package} has no '{terms}': the copy in the wheel needs its licence")
        files[f"{package}.txt"] = terms
        # They refer to the long texts by their place in Debian.
        for name in re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", terms.read_text(errors="replace")):
            files[f"common/{name}.txt"] = Path("/usr/share/common-licenses") / name
        versions[package] = said("dpkg-query", "--show", "--showformat", "${Version}", package).strip()
    return files, versions
