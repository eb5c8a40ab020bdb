#!/usr/bin/env bash
# clang-tidy 19 with .clang-tidy over every source file of the product; findings are errors. The tests are built with the same warnings, but
# not looked at here, nor is what the build makes. It takes the groups of files that the preset asan compiles as one: what they include is then
# read once a group. Needs the precompiled headers of that preset: `cmake --build build/asan`.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/asan/compile_commands.json ] || { printf '%s\n' "no build/asan/compile_commands.json: build the preset asan first" >&2; exit 1; }
log=build/tidy.log
status=0
run-clang-tidy-19 -p build/asan -quiet -j "${RNNADVISOR_JOBS:-$(nproc)}" -source-filter "^$PWD/(build/asan/(core|profiler|advisor|gui)/.*/unity_|(core|profiler|advisor|gui)/)" \
  -warnings-as-errors='*' >"$log" 2>&1 || status=$?
# Its own chatter, the command lines and counts of suppressed warnings, stays in the log.
grep -vE '^\[ *[0-9]+/[0-9]+\]|^[0-9]+ warnings? (generated|treated)|^$' "$log" || true
files=$(grep -cE '^\[ *[0-9]+/[0-9]+\]' "$log") || true
if [ "$status" != 0 ]; then
  printf '%s\n' "clang-tidy: findings above, in $files files looked at (whole log: $log)"
  exit 1
fi
[ "$files" -gt 0 ] || { printf '%s\n' "clang-tidy looked at no file: see $log"; exit 1; }
printf '%s\n' "clang-tidy: $files files, no findings"
