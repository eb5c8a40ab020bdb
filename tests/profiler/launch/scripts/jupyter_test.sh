#!/usr/bin/env bash
# jupyter_test.sh RNNADVISOR STANDIN_FOLDER PYTHON_FOLDER: what docs/profiling.md says of Jupyter, with a real kernel and nbconvert,
# no browser. The notebook calls the stand-in for cuDNN through ctypes (PYTHON_FOLDER/call_site.py). Without Jupyter it skips and
# says so.
set -euo pipefail
rnnadvisor=$1
export STANDIN_FOLDER=$2
export PYTHONPATH=$3
skip() { printf 'NOT RUN: %s\n' "$*"; exit 77; }
fail() { printf '%s\n' "$*" >&2; exit 1; }
command -v sqlite3 >/dev/null || skip "sqlite3 is missing"
python=/usr/bin/python3
$python -c 'import nbconvert, ipykernel, jupyter_client' 2>/dev/null ||
  skip "Jupyter is missing (Debian: jupyter-nbconvert python3-ipykernel)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Nothing of the user's configuration, and nothing written to it.
export HOME=$work JUPYTER_CONFIG_DIR=$work/config JUPYTER_DATA_DIR=$work/data JUPYTER_RUNTIME_DIR=$work/runtime IPYTHONDIR=$work/ipython
export PYTHONDONTWRITEBYTECODE=1
cd "$work"
calls() { sqlite3 "$1" 'SELECT count(*) FROM calls'; }

$python - <<'PYTHON'
import nbformat
cells = ["import os, call_site", "rnn = call_site.Rnn(call_site.load(False))",
         "for _ in range(5):\n    rnn.forward()", "print('calls made in', os.getpid())"]
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
nbformat.write(notebook, "notebook.ipynb")
PYTHON

echo "eval \"\$(rnnadvisor env)\" before Jupyter"
(
  eval "$("$rnnadvisor" env --shell bash -o notebook.rnnprof --mode calls --quiet)"
  $python -m nbconvert --to notebook --execute --output done notebook.ipynb >"$work/log" 2>&1 || fail "nbconvert: $(tail -n 5 "$work/log")"
)
grep -q 'calls made in' done.ipynb || fail "the notebook was not executed"
folder=$(compgen -G 'notebook.rnnprof.spool-*') || fail "no recording"
"$rnnadvisor" collect "$folder" -o notebook.rnnprof --quiet
[ "$(calls notebook.rnnprof)" = 5 ] || fail "$(calls notebook.rnnprof) calls"
grep -q ipykernel <<<"$(sqlite3 notebook.rnnprof 'SELECT command_line FROM processes')" || fail "not in the kernel's process"

echo "a kernel that still runs, with the variables in its kernel.json"
mkdir -p "$JUPYTER_DATA_DIR/kernels/recorded" shared
"$rnnadvisor" env --shell bash --mode calls --folder "$work/shared" --quiet >variables
$python - <<'PYTHON'
import json, os, shlex
variables = {}
for line in open("variables"):
    for word in shlex.split(line.rstrip().rstrip(";")):
        if "=" in word:
            name, value = word.split("=", 1)
            variables[name] = value
json.dump({"argv": ["/usr/bin/python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "recorded",
           "language": "python", "env": variables},
          open(os.path.join(os.environ["JUPYTER_DATA_DIR"], "kernels/recorded/kernel.json"), "w"))
PYTHON
$python - "$rnnadvisor" <<'PYTHON'
import subprocess, sys
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="recorded")
try:
    def run(code):
        reply = client.execute_interactive(code, timeout=60, output_hook=lambda message: None)
        assert reply["content"]["status"] == "ok", reply
    run("import call_site; rnn = call_site.Rnn(call_site.load(False)); [rnn.forward() for _ in range(3)]")
    subprocess.run([sys.argv[1], "collect", "shared", "-o", "live.rnnprof", "--quiet"], check=True)
    run("[rnn.forward() for _ in range(4)]")
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=False)
PYTHON
[ "$(calls live.rnnprof)" = 3 ] || fail "of the running kernel: $(calls live.rnnprof) calls"
grep -qx process-running <<<"$(sqlite3 live.rnnprof 'SELECT code FROM notes')" || fail "nobody says that the kernel still ran"
"$rnnadvisor" collect shared -o ended.rnnprof --quiet
[ "$(calls ended.rnnprof)" = 7 ] || fail "after the kernel's end: $(calls ended.rnnprof) calls"
echo "Jupyter: env, a kernel.json, and a kernel that still runs"
