#!/usr/bin/env bash
# clang-tidy 19 with .clang-tidy over every source file of the product that the dev build compiles; findings are errors. The tests are built
# with the same warnings, but not looked at here. Needs `cmake --preset dev`, nothing compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/dev/compile_commands.json ] || { printf '%s\n' "no build/dev/compile_commands.json: run 'cmake --preset dev' first" >&2; exit 1; }
log=build/tidy.log
# GCC's warning options are unknown to clang; its view of libstdc++'s deprecations is left out of the build with clang as well.
status=0
run-clang-tidy-19 -p build/dev -quiet -j "${RNNADVISOR_JOBS:-$(nproc)}" -source-filter "^$PWD/(core|profiler|advisor|gui)/" \
  -extra-arg=-Wno-unknown-warning-option -extra-arg=-Wno-deprecated-declarations -warnings-as-errors='*' >"$log" 2>&1 || status=$?
# Its own chatter, the command lines and counts of suppressed warnings, stays in the log.
grep -vE '^\[ *[0-9]+/[0-9]+\]|^[0-9]+ warnings? (generated|treated)|^$' "$log" || true
files=$(grep -cE '^\[ *[0-9]+/[0-9]+\]' "$log") || true
if [ "$status" != 0 ]; then
  printf '%s\n' "clang-tidy: findings above, in $files files looked at (whole log: $log)"
  exit 1
fi
[ "$files" -gt 0 ] || { printf '%s\n' "clang-tidy looked at no file: see $log"; exit 1; }
printf '%s\n' "clang-tidy: $files files, no findings"
