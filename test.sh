#!/usr/bin/env bash
# Builds and passes the tests. Without arguments: everything that a change needs to hold, in under 15 minutes on 2 cores.
# With --full: then also the portable tree, a build without CUDA, sanitizers, fuzzing and clang-tidy (about an hour on 2 cores).
# Tests that need a GPU are skipped with a line that says so.
set -euo pipefail
cd "$(dirname "$0")"
. tools/common.sh
full=no
for argument in "$@"; do
  case "$argument" in
    --full) full=yes ;;
    *) die "usage: ./test.sh [--full]" ;;
  esac
done

say "Packages"
packages="$build_packages $test_packages clang-format-19"
[ $full = no ] || packages="$packages $full_packages"
# shellcheck disable=SC2086
install_packages $packages

build() { # build PRESET [CMake arguments]
  preset=$1
  shift
  cmake --preset "$preset" "$@" >"configure-$preset.log" 2>&1 || { cat "configure-$preset.log"; die "Configuring '$preset' failed."; }
  rm -f "configure-$preset.log"
  cmake --build "build/$preset" -j "$jobs" -- --quiet
}

say "Build with warnings as errors (preset dev)"
build dev
say "Tests (preset dev)"
ctest --preset dev -j "$jobs"
say "Formatting (clang-format 19)"
if command -v clang-format-19 >/dev/null; then git ls-files '*.cpp' '*.h' | xargs clang-format-19 --dry-run --Werror; fi
if [ $full = yes ]; then
  say "The portable tree starts on glibc 2.35"
  tools/portable.sh
  say "A machine without CUDA (preset nocuda)"
  build nocuda
  ctest --preset nocuda -j "$jobs" -LE 'browser|install|fuzz'
  say "Address and undefined-behaviour sanitizers (preset asan)"
  build asan
  ctest --preset asan -j "$jobs" -LE 'browser|install|gpu'
  say "Thread sanitizer on what uses threads (preset tsan)"
  cmake --preset tsan >/dev/null
  cmake --build build/tsan -j "$jobs" --target thread_tests -- --quiet
  ctest --preset tsan -j "$jobs" -L thread
  say "Fuzzing, one short round per parser (preset fuzz)"
  cmake --preset fuzz -DRNNADVISOR_FUZZ_SECONDS=20 >/dev/null
  cmake --build build/fuzz -j "$jobs" --target fuzz_targets -- --quiet
  ctest --preset fuzz -j "$jobs" -L fuzz
  say "clang-tidy 19"
  tools/tidy.sh
fi
say "All passed"
