#!/usr/bin/env bash
# clang-tidy 19 with .clang-tidy over every source file of the product that the dev build compiles (the tests are built with the same warnings, but not looked at here). Warnings are errors.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 - <<'PY' >build/tidy-files.txt
import json, os
root = os.getcwd() + "/"
files = {entry["file"] for entry in json.load(open("build/dev/compile_commands.json"))}
print("\n".join(sorted(f for f in files if f.startswith((root + "core/", root + "profiler/", root + "advisor/")))))
PY
xargs -P "$(nproc)" -n 4 clang-tidy-19 -p build/dev --quiet --extra-arg=-Wno-unknown-warning-option --warnings-as-errors='*' <build/tidy-files.txt 2>build/tidy.log || {
  exit 1; }
