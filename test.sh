#!/usr/bin/env bash
# Builds and passes the tests. Without arguments: everything that a change needs to hold, from nothing in about 18 minutes on 2 cores.
# With --full: then also a build without CUDA, clang-tidy, sanitizers, fuzzing and the portable tree, in about an hour. What
# the sanitizers run is then run by them alone.
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
trap 'print_stage_times' EXIT

build() { # build PRESET [TARGET …]
  configure "$1"
  preset=$1
  shift
  cmake --build "build/$preset" -j "$jobs" --target "${@:-all}" | progress
}

run_tests() { # run_tests PRESET [ctest arguments]
  preset=$1
  shift
  ctest --preset "$preset" -j "$jobs" "$@" | progress
}

say "Packages"
packages="$build_packages $test_packages clang-19 clang-format-19"
[ $full = no ] || packages="$packages $full_packages"
# shellcheck disable=SC2086
install_packages $packages

tools/sarif_validator.sh

say "Formatting (clang-format 19)"
find advisor core gui profiler samples tests \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 clang-format-19 --dry-run --Werror
say "Build with warnings as errors (preset dev)"
if [ $full = no ]; then
  build dev
  say "Tests (preset dev)"
  run_tests dev
else
  build dev unsanitized_tests
  say "Tests of the plugin, of reports in a browser, of packages and in scripts (preset dev)"
  run_tests dev -L 'browser|install|gpu|plugin|script'
  say "Every header compiles by itself (preset dev)"
  build dev header_tests
  # What says most for its time comes first.
  say "GCC, a machine without CUDA, properties over 20,000 draws (preset nocuda)"
  build nocuda rnnadvisor-gui cli_tests properties_tests
  RNNADVISOR_DRAWS=20000 run_tests nocuda -L 'cli|properties'
  say "clang-tidy 19"
  configure asan
  tools/tidy.sh
  say "Address and undefined-behaviour sanitizers (preset asan)"
  build asan
  run_tests asan -LE 'browser|install|gpu|fuzz|script'
  say "Fuzzing, one short round per parser (preset asan)"
  export RNNADVISOR_FUZZ_SEED=${RNNADVISOR_FUZZ_SEED:-$RANDOM$RANDOM}
  plain "RNNADVISOR_FUZZ_SEED=$RNNADVISOR_FUZZ_SEED repeats this round"
  run_tests asan -L fuzz
  say "Thread sanitizer on what uses threads (preset tsan)"
  build tsan thread_tests
  run_tests tsan -L thread
  say "The portable tree starts on glibc 2.35 (preset portable)"
  tools/portable.sh
fi
say "All passed"
