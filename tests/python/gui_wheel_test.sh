#!/usr/bin/env bash
# gui_wheel_test.sh FOLDER: installs the wheels in FOLDER, of the command and of the window, into an empty virtual environment without an index,
# and takes a picture of a sample with the window, without a display and with Qt from the wheel alone.
set -euo pipefail
folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 -m venv "$work/empty"
"$work/empty/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$folder" rnnadvisor-gui
"$work/empty/bin/pip" check
cd "$work" # nothing of the source tree
alone=(env -i "HOME=$work" PATH=/usr/bin LC_ALL=C.UTF-8) # no variable that leads to another Qt
"${alone[@]}" "$work/empty/bin/rnnadvisor-gui" --version
"${alone[@]}" QT_QPA_PLATFORM=offscreen LD_DEBUG=files LD_DEBUG_OUTPUT="$work/loaded" \
  "$work/empty/bin/rnnadvisor-gui" --screenshot overview picture.png --size 1000x700 sample:gnmt
/usr/bin/python3 - picture.png <<'PYTHON'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
assert struct.unpack(">II", data[16:24]) == (1000, 700)
pixels, at = b"", 8
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    pixels += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
    at += 12 + length
assert len(set(zlib.decompress(pixels))) > 50, "the picture is empty"
PYTHON
# Every library of Qt, and every plugin, was the wheel's.
sed -n 's/.*calling init: \(.*\)/\1/p' loaded.* | grep -E '/(libQt6|libq[a-z]+\.so)' >qt.txt
grep libQt6Widgets qt.txt >/dev/null
grep 'plugins/platforms/libqoffscreen.so' qt.txt >/dev/null
if grep -v "$work/empty/" qt.txt; then exit 1; fi
# What a display needs is there, too: a plugin that lacks a library would only be passed over.
plugins=$(echo "$work"/empty/lib/python3*/site-packages/rnnadvisor_gui/_program/plugins)
if ldd "$plugins"/*/*.so | grep 'not found'; then exit 1; fi
# Where a library of the desktop is missing, its package is named.
if "$work/empty/bin/python" -c 'from rnnadvisor_gui import __main__ as window
window.OF_DESKTOP["libabsent.so.9"] = "libabsent9"
window.command()' 2>missing.txt; then exit 1; fi
grep 'this machine has no libabsent.so.9:' missing.txt >/dev/null
grep 'apt-get install libabsent9 ' missing.txt >/dev/null
"$work/empty/bin/pip" uninstall --quiet --yes rnnadvisor-gui rnnadvisor
left=$(find "$work/empty" -path '*rnnadvisor*' -not -name '*.pyc' -not -type d)
[ -z "$left" ] || { printf 'left behind: %s\n' "$left"; exit 1; }
