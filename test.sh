#!/usr/bin/env bash
# Builds and passes the tests. Without arguments: everything that a change needs to hold, in about 5 minutes on 2 cores once it is built; the first build
# takes 10 to 20 more.
# With --full: then also the portable tree, a build without CUDA, sanitizers, fuzzing and clang-tidy (50 to 80 minutes on 2 cores, an estimate).
# Tests that need a GPU are skipped with a line that says so.
set -euo pipefail
cd "$(dirname "$0")"
. tools/common.sh
# Presets that differ in their folder alone share objects: the build without CUDA then compiles little that is new.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
full=no
for argument in "$@"; do
  case "$argument" in
    --full) full=yes ;;
    *) die "usage: ./test.sh [--full]" ;;
  esac
done

build() { # build PRESET [TARGET]
  configure "$1"
  cmake --build "build/$1" -j "$jobs" --target "${2:-all}" | progress
}

run_tests() { # run_tests PRESET [ctest arguments]
  preset=$1
  shift
  ctest --preset "$preset" -j "$jobs" "$@" | progress
}

say "Packages"
packages="$build_packages $test_packages clang-format-19"
[ $full = no ] || packages="$packages $full_packages"
# shellcheck disable=SC2086
install_packages $packages

say "Formatting (clang-format 19)"
find advisor core gui profiler samples tests \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 clang-format-19 --dry-run --Werror
say "Build with warnings as errors (preset dev)"
build dev
say "Tests (preset dev)"
run_tests dev
if [ $full = yes ]; then
  # What says most for its time comes first.
  say "A machine without CUDA (preset nocuda)"
  build nocuda
  run_tests nocuda -LE 'browser|install|fuzz|tables'
  say "Thread sanitizer on what uses threads (preset tsan)"
  build tsan thread_tests
  run_tests tsan -L thread
  say "clang-tidy 19"
  tools/tidy.sh
  say "Address and undefined-behaviour sanitizers (preset asan)"
  build asan
  run_tests asan -LE 'browser|install|gpu|fuzz'  # the fuzzing stage has the same inputs and sanitizers
  say "Fuzzing, one short round per parser (preset fuzz)"
  build fuzz fuzz_targets
  run_tests fuzz -L fuzz
  say "The portable tree starts on glibc 2.35 (preset portable)"
  tools/portable.sh
fi
say "All passed"
printf '%s' "$stage_times"
