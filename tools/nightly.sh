#!/usr/bin/env bash
# What takes too long for CI: tools/nightly.sh [--hours H] [STAGE…]. All stages, or those named:
#   fuzz      searches every parser, for H hours together (8). What it finds is kept in ~/.cache/rnnadvisor/fuzz, where the next search begins
#   aarch64   compiles for 64-bit ARM, without CUDA and the window, and runs the tests under qemu
# RNNADVISOR_DEBIAN_MIRROR names another mirror of Debian for the ARM packages.
# Writes what passed to tools/nightly-log.txt, where a stage replaces its lines.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/common.sh
hours=8 stages="" all="fuzz aarch64"
while [ $# -gt 0 ]; do
  case "$1" in
    --hours) hours=${2:?--hours needs a number}; shift ;;
    fuzz | aarch64) stages="$stages $1" ;;
    *) die "usage: tools/nightly.sh [--hours H] [${all// /] [}]" ;;
  esac
  shift
done
log=tools/nightly-log.txt
note() { plain "$stage: $*" | tee -a $log; }
trap print_stage_times EXIT
# shellcheck disable=SC2154,SC2086 # of common.sh, lists of words
install_packages $build_packages $test_packages clang-19 libclang-rt-19-dev

fuzz() {
  local folder=build/nightly-fuzz found=$HOME/.cache/rnnadvisor/fuzz targets seconds target before after
  targets=$(sed -n 's/^rnnadvisor_fuzz(\(fuzz_[a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
  # shellcheck disable=SC2154 # jobs: of common.sh
  seconds=$(awk -v hours="$hours" -v jobs="$jobs" -v targets="$(wc -w <<<"$targets")" 'BEGIN { printf "%d", hours * 3600 * jobs / targets }')
  configure asan -B $folder -DRNNADVISOR_FUZZ_RUNS=-1 "-DRNNADVISOR_FUZZ_SECONDS=$seconds" "-DRNNADVISOR_FUZZ_FOUND=$found"
  cmake --build $folder -j "$jobs" --target fuzz_targets | progress
  ctest --test-dir $folder -L fuzz -j "$jobs" --output-on-failure | progress
  note "$seconds seconds for each of $(wc -w <<<"$targets") parsers; none crashed, hung or misread memory. Inputs found so far that reach other code:"
  for target in $targets; do
    [ -d "$found/$target" ] || continue
    # The fewest inputs that reach the same code.
    rm -rf "$found/$target.fewest"
    mkdir "$found/$target.fewest"
    "$folder/bin/$target" -merge=1 "$found/$target.fewest" "$found/$target" >"$folder/$target.merge" 2>&1
    before=$(find "$found/$target" -type f | wc -l)
    rm -r "${found:?}/$target"
    mv "$found/$target.fewest" "$found/$target"
    after=$(find "$found/$target" -type f | wc -l)
    note "  $target: $before, of which $after are kept"
  done
}

aarch64() {
  install_packages mmdebstrap qemu-user file
  local folder=build/nightly-aarch64 passed
  export RNNADVISOR_AARCH64_ROOT=$PWD/build/aarch64-root
  if [ ! -d "$RNNADVISOR_AARCH64_ROOT" ]; then
    rm -rf "$RNNADVISOR_AARCH64_ROOT.new"
    # Unpacked and not installed: nothing in it runs here but under qemu.
    mmdebstrap --quiet --variant=extract --architectures=arm64 --include=libstdc++-12-dev,libfmt-dev,libexpected-dev,nlohmann-json3-dev \
      --include=libtomlplusplus-dev,libeigen3-dev,libcli11-dev,libsqlite3-dev,zlib1g-dev,libgtest-dev,libgmock-dev,libvalijson-dev \
      bookworm "$RNNADVISOR_AARCH64_ROOT.new" ${RNNADVISOR_DEBIAN_MIRROR:+"$RNNADVISOR_DEBIAN_MIRROR"}
    find "$RNNADVISOR_AARCH64_ROOT.new" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
      ln -srfn "$RNNADVISOR_AARCH64_ROOT.new$(readlink "$link")" "$link"  # else they lead to files of this machine
    done
    mv "$RNNADVISOR_AARCH64_ROOT.new" "$RNNADVISOR_AARCH64_ROOT"
  fi
  cmake -S . -B $folder -G Ninja --toolchain cmake/aarch64.cmake -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1" \
    -DRNNADVISOR_CUDA=OFF -DRNNADVISOR_GUI=OFF >build/nightly-aarch64.log 2>&1 || { cat build/nightly-aarch64.log; die "Configuring failed."; }
  cmake --build $folder -j "$jobs" | progress
  # Without those that start programs, which qemu does not emulate, and those whose many draws would take hours.
  local left_out=(-LE 'gpu|browser|install|script|plugin|slow|properties|fuzz' -E '^(cli|experiment_worker|interrupt|launch|output_paths)_test$')
  ctest --test-dir $folder "${left_out[@]}" -j "$jobs" --timeout 3600 --output-on-failure | progress
  passed=$(ctest --test-dir $folder "${left_out[@]}" -N | tail -n 1)
  note "$(file -b $folder/bin/rnnadvisor | cut -d, -f1-2), $(qemu-aarch64 --version | head -n 1); ${passed#Total Tests: } programs of tests passed"
}

for stage in ${stages:-$all}; do
  say "$stage"
  touch $log
  sed -i "/^$stage:/d" $log
  note "$(date +%F), commit $(git rev-parse --short=12 HEAD), $(clang++-19 --version | head -n 1)"
  $stage
done
say "All passed"
