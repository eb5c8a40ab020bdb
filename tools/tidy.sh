#!/usr/bin/env bash
# clang-tidy 19 with .clang-tidy over every source file of the product; findings are errors. The tests are built with the same warnings, but
# not looked at here, nor is what the build makes. It takes the groups of files that the preset asan compiles as one: what they include is then
# read once a group. Needs the precompiled headers of that preset: `cmake --build build/asan`.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/asan/compile_commands.json ] || { printf '%s\n' "no build/asan/compile_commands.json: build the preset asan first" >&2; exit 1; }
folder=build/tidy
log=$folder/log
mkdir -p "$folder"
clang++-19 -std=c++17 -fno-rtti -fPIC -shared "-I$(llvm-config-19 --includedir)" tools/tidy_own_code.cpp -o "$folder/own_code.so"
status=0
run-clang-tidy-19 -load "$folder/own_code.so" -p build/asan -quiet -j "${RNNADVISOR_JOBS:-$(nproc)}" \
  -source-filter "^$PWD/(build/asan/(core|profiler|advisor|gui)/.*/unity_|(core|profiler|advisor|gui)/)" -warnings-as-errors='*' >"$log" 2>&1 || status=$?
# Its own chatter, the command lines and counts of suppressed warnings, stays in the log.
grep -vE '^\[ *[0-9]+/[0-9]+\]|^[0-9]+ warnings? (generated|treated)|^$' "$log" || true
files=$(grep -cE '^\[ *[0-9]+/[0-9]+\]' "$log") || true
if [ "$status" != 0 ]; then
  printf '%s\n' "clang-tidy: findings above, in $files files looked at (whole log: $log)"
  exit 1
fi
[ "$files" -gt 0 ] || { printf '%s\n' "clang-tidy looked at no file: see $log"; exit 1; }
# What narrows its view must not narrow it to nothing: a mistake in a template of a header, included as the product's are, is found.
mkdir -p "$folder/core"
printf '%s\n' '#pragma once' '#include <vector>' 'namespace mistaken { template <class T> bool none(const std::vector<T>& all) { return all.size() == 0; } }' \
  >"$folder/core/mistake.h"
printf '%s\n' '#include "core/mistake.h"' 'bool none(const std::vector<int>& all) { return mistaken::none(all); }' >"$folder/mistake.cpp"
# Not through a pipe: grep -q would end it while clang-tidy still writes, which pipefail takes for its failure.
found=$(clang-tidy-19 -load "$folder/own_code.so" -quiet "$folder/mistake.cpp" -- -std=c++20 "-I$folder" 2>/dev/null) || true
grep -q "mistake.h.*container-size-empty" <<<"$found" || {
  printf '%s\n' "clang-tidy no longer finds the mistake in $folder/core/mistake.h: tools/tidy_own_code.cpp hides too much"
  exit 1
}
printf '%s\n' "clang-tidy: $files files, no findings"
