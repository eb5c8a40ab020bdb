#!/usr/bin/env bash
# The share of branches and lines that tests take in the code of recordings, profiles, the plugin and the models, as clang counts them. Writes
# the tables of files to build/coverage, and a line each to tools/coverage.txt. Fails where a share of branches is below the one wanted.
# Takes a quarter of an hour on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/common.sh
# shellcheck disable=SC2154,SC2086 # of common.sh, lists of words
install_packages $build_packages $test_packages clang-19 libclang-rt-19-dev llvm-19
folder=build/coverage published=tools/coverage.txt
# Counters that lie in the file itself: those of a process that is killed, ends by _exit() or was forked are in it as well.
configure dev -B $folder "-DCMAKE_CXX_FLAGS=-fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation"
# shellcheck disable=SC2154
cmake --build $folder -j "$jobs" --target tests/core/all tests/profiler/all rnnadvisor | progress
rm -rf $folder/raw
tests=$(for part in core profiler; do ctest --test-dir "$folder/tests/$part" -N | sed -n 's/^ *Test *#[0-9]*: //p'; done | paste -sd'|')
# A few fail here and nowhere else: the instrumented plugin opens files and needs symbols that they forbid, and two programs that are made of the
# same code have a warning on their output. CI runs all without instrumentation.
LLVM_PROFILE_FILE="$PWD/$folder/raw/%c%m.profraw" ctest --test-dir $folder -R "^($tests)$" -LE 'gpu|browser|install' -j "$jobs" | progress || true
llvm-profdata-19 merge -sparse -failure-mode=all -o $folder/all.profdata $folder/raw/*.profraw 2>$folder/merge.log
mapfile -t programs < <(find $folder -type f \( -name '*.so*' -o -path '*/bin/*_test' \))
arguments=("${programs[0]}")
for program in "${programs[@]:1}"; do arguments+=(-object "$program"); done
{
  printf '%s\n' "tools/coverage.sh, $(date +%F), $(clang++-19 --version | head -n 1), no GPU"
  for part in profiler/spool profiler/profile profiler/plugin core/model; do
    mapfile -t sources < <(git ls-files "$part" | grep '\.cpp$')
    table=$folder/${part//\//-}.txt
    llvm-cov-19 report "${arguments[@]}" --show-branch-summary --instr-profile $folder/all.profdata "${sources[@]}" >"$table" 2>$folder/report.log
    awk -v part="$part" '/^TOTAL/ { printf "%-18s %s of the branches, %s of the lines\n", part, $NF, $(NF - 3) }' "$table"
  done
} >$folder/shares.txt
cat $folder/shares.txt
# Which branches threads take differs from run to run: of profiler/spool by 0.6 % between two.
declare -A least=([profiler/spool]=90 [profiler/profile]=90 [profiler/plugin]=84 [core/model]=90)
too_few=0
while read -r part share _; do
  awk -v share="${share%\%}" -v least="${least[$part]}" 'BEGIN { exit share + 0 >= least }' || continue
  plain "$part: $share of the branches, and ${least[$part]} % are wanted"
  too_few=1
done < <(tail -n +2 $folder/shares.txt)
[ $too_few = 0 ] || die "Tests take too few branches. llvm-cov-19 show names them; $folder/*.txt have the files."
cp $folder/shares.txt $published
