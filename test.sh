#!/usr/bin/env bash
# Builds and passes the tests. Without arguments: everything that a change needs to hold, from nothing in about 15 minutes on 2 cores.
# With --full, which CI runs: the sanitizers, GCC with the portable linking, packages, a build without CUDA, clang-tidy and fuzzing, in 40 to 60
# minutes. What the sanitizers run is then run by them alone.
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
  # One more than there are processors: some tests wait for a clock or for other programs.
  ctest --preset "$preset" -j $((jobs + 1)) "$@" | progress && return
  # Once more at the end, where logs are not cut.
  grep -aE -A4 ': Failure|ERROR: |runtime error|\[  FAILED  \]' "build/$preset/Testing/Temporary/LastTest.log" | head -n 80 || true  # grep is ended by SIGPIPE
  return 1
}

say "Packages"
packages="$build_packages $test_packages clang-19 clang-format-19"
[ $full = no ] || packages="$packages $full_packages"
# shellcheck disable=SC2086
install_packages $packages

tools/validators.sh

say "Formatting (clang-format 19)"
find advisor core gui profiler samples tests \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 clang-format-19 --dry-run --Werror
if [ $full = no ]; then
  say "Build with warnings as errors (preset dev)"
  build dev
  say "Tests (preset dev)"
  run_tests dev -LE install
else
  # What says most for its time comes first.
  say "Build with GCC as it is given to others (preset gcc)"
  build gcc unsanitized_tests
  say "Tests of the plugin, of reports in a browser, of packages, in scripts; properties over 5,000 draws (preset gcc)"
  RNNADVISOR_DRAWS=5000 run_tests gcc -L 'browser|install|gpu|plugin|script|properties|slow'
  say "A machine without CUDA (preset nocuda; objects of gcc)"
  build nocuda rnnadvisor rnnadvisor-gui no_cuda_test
  run_tests nocuda -R no_cuda_test
  say "Build for the address and undefined-behaviour sanitizers (preset asan)"
  build asan
  say "clang-tidy 19"
  tools/tidy.sh
  say "Every header compiles by itself"
  build asan header_tests
  say "Tests under the address and undefined-behaviour sanitizers (preset asan)"
  run_tests asan -LE 'browser|install|gpu|fuzz|script'
  say "Fuzzing, one short round per parser (preset asan)"
  export RNNADVISOR_FUZZ_SEED=${RNNADVISOR_FUZZ_SEED:-$RANDOM$RANDOM}
  plain "RNNADVISOR_FUZZ_SEED=$RNNADVISOR_FUZZ_SEED repeats this round"
  run_tests asan -L fuzz
  say "Thread sanitizer on what uses threads (preset tsan)"
  build tsan thread_tests
  run_tests tsan -L thread
fi
say "All passed"
