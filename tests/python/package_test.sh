#!/usr/bin/env bash
# package_test.sh RNNADVISOR STANDIN_FOLDER [FOLDER]: the tests of the Python package, which is in FOLDER (default: python/, with the built
# command), and its types where mypy is there. Without pytest it skips and says so.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
export RNNADVISOR_PROGRAM=$1 RNNADVISOR_TEST_STANDIN=$2 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${3:-$source/python}
[ $# -lt 3 ] || unset RNNADVISOR_PROGRAM # the wheel has its own
python=
for candidate in python3 /usr/bin/python3; do # Debian's packages are those of the second
  if "$candidate" -c 'import pytest' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { printf 'NOT RUN: pytest is missing (Debian: python3-pytest)\n'; exit 77; }
"$python" -m pytest -q -rs -p no:cacheprovider "$source/python/tests"
if "$python" -c 'import mypy' 2>/dev/null; then
  "$python" -m mypy --strict --python-version 3.9 --cache-dir=/dev/null "$source/python/rnnadvisor" "$source/python/rnnadvisor_gui" "$source/packaging/wheel.py"
else
  printf 'types not checked: mypy is missing (Debian: mypy)\n'
fi
