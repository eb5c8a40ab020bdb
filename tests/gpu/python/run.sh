#!/usr/bin/env bash
# The wheel on a machine with a GPU and PyTorch, as its users have it: no compiler, no index. Installs it into a virtual environment that
# sees the packages of PYTHON, measures the time to the first verdict, and tries the command and the module on real layers (exercise.py).
#
# usage: tests/gpu/python/run.sh WHEEL OUTPUT.json        PYTHON names the interpreter that has PyTorch (default: python3)
# Exit status: 0, 1 where a part failed (OUTPUT.json says which and why), 77 without a GPU. About two minutes.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,7p' "$0"; exit 2; }
wheel=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
output=$(realpath -m "$2")
python=${PYTHON:-python3}
nvidia-smi -L >/dev/null 2>&1 || { printf 'NO GPU, NOT RUN\n'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
now() { "$python" -c 'import time; print(time.time())'; }
# Ubuntu's Python makes no pip for a virtual environment without python3-venv; another's pip then installs into it.
if "$python" -m venv --system-site-packages venv >venv.log 2>&1; then
  install=(venv/bin/python -m pip)
else
  rm -rf venv
  "$python" -m venv --system-site-packages --without-pip venv
  install=("$python" -m pip --python venv/bin/python)
fi
# Where PYTHON is itself of a virtual environment, the new one sees only what that one is based on.
"$python" -c 'import site; print("\n".join(site.getsitepackages()))' >"$(echo venv/lib/python3*/site-packages)/of_python.pth"
begin=$(now)
"${install[@]}" install --quiet --disable-pip-version-check --no-index --no-deps --ignore-installed "$wheel"
installed=$(now)
venv/bin/rnnadvisor check --cell lstm --hidden-size 1000 --batch-size 33 --data-type half --framework pytorch --no-color --fail-on never >first.txt
judged=$(now)
cat first.txt
venv/bin/python "$here/exercise.py" --wheel "$wheel" --output "$output" --times "$begin" "$installed" "$judged" --command "tests/gpu/python/run.sh $1 $2"
