#!/usr/bin/env bash
# wheel_test.sh BUILD RNNADVISOR STANDIN_FOLDER: builds the wheels of a portable build twice, installs that of the command into an empty virtual
# environment without an index, starts every command there, and runs the tests of the package on what was installed; then gui_wheel_test.sh
# where the build has the window.
set -euo pipefail
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
python=/usr/bin/python3
"$python" -c 'import ensurepip, venv' 2>/dev/null || { printf 'NOT RUN: venv is missing (Debian: python3-venv)\n'; exit 77; }
command -v patchelf >/dev/null || { printf 'NOT RUN: patchelf is missing (Debian: patchelf)\n'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$source/packaging/wheel.py" "$build" -o "$work/one"
"$source/packaging/wheel.py" "$build" -o "$work/two" >/dev/null
diff -r "$work/one" "$work/two"
# pip does not compare the hashes of RECORD with what it installs.
"$python" - "$work"/one/*.whl <<'PYTHON'
import base64, csv, hashlib, io, sys, zipfile
for path in sys.argv[1:]:
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        record = next(name for name in names if name.endswith("/RECORD"))
        for name, digest, size in csv.reader(io.StringIO(wheel.read(record).decode())):
            data = wheel.read(name)
            names.remove(name)
            if name != record:
                assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), name
                assert int(size) == len(data), name
    assert not names, names
PYTHON

"$python" -m venv "$work/empty"
"$work/empty/bin/pip" install --quiet --disable-pip-version-check --no-index "$work"/one/rnnadvisor-*.whl
"$work/empty/bin/pip" check
rnnadvisor=$work/empty/bin/rnnadvisor
cd "$work" # nothing of the source tree
"$rnnadvisor" version
commands=$("$rnnadvisor" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -gt 20 ]
for command in $commands; do "$rnnadvisor" "$command" --help >out.txt || { printf '%s --help failed\n' "$command"; exit 1; }; done
"$rnnadvisor" check --cell lstm --hidden-size 1000 --data-type half --device h200 --no-color | grep LSTM >/dev/null
"$rnnadvisor" advise sample:gnmt --no-color >out.txt
"$rnnadvisor" rules explain alignment/hidden-multiple-of-8 >out.txt
"$work/empty/bin/python" -m rnnadvisor samples list | grep gnmt >/dev/null
"$work/empty/bin/python" -c 'import rnnadvisor; print(rnnadvisor.__version__)'
# The plugin is where the command looks for it.
"$rnnadvisor" env --folder spool --shell bash 2>env.txt | grep "$work/empty/.*/librnnadvisor_plugin.so" >/dev/null || grep 'built without CUDA' env.txt

"$source/tests/python/package_test.sh" "$2" "$3" "$(echo "$work"/empty/lib/python3*/site-packages)"
"$work/empty/bin/pip" uninstall --quiet --yes rnnadvisor
left=$(find "$work/empty" -path '*rnnadvisor*' -not -name '*.pyc' -not -type d)
[ -z "$left" ] || { printf 'left behind: %s\n' "$left"; exit 1; }
[ ! -e "$build/bin/rnnadvisor-gui" ] || "$source/tests/python/gui_wheel_test.sh" "$work/one"
