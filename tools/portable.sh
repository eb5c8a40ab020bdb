#!/usr/bin/env bash
# Builds the portable tree and checks what it needs of the machine it will start on: glibc 2.35 at most, and no library but glibc's own.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/common.sh
# Optimising would take most of the time, and changes neither symbols nor libraries. A folder of its own, so that build/portable stays what is shipped.
cmake --preset portable -B build/portable-check -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 >/dev/null
targets=rnnadvisor
if grep -q 'RNNADVISOR_HAVE_CUDA_RESULT:INTERNAL=ON' build/portable-check/CMakeCache.txt; then targets="rnnadvisor rnnadvisor_plugin"; fi
# shellcheck disable=SC2086 # a list of words
cmake --build build/portable-check -j "$jobs" --target $targets | progress
check() { # check FILE
  newest=$(objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
  printf '%s\n' "${1##*/}: newest symbol needed: $newest"
  [ "$(printf '%s\nGLIBC_2.35\n' "$newest" | sort -V | tail -1)" = GLIBC_2.35 ] || { printf '%s\n' "needs a glibc newer than 2.35"; exit 1; }
  foreign=$(ldd "$1" | awk '{print $1}' | grep -vE '^(linux-vdso|/lib64/ld-linux|lib(c|m|dl|pthread|rt)\.so)' || true)
  [ -z "$foreign" ] || { printf '%s\n' "links libraries that other machines may lack: $foreign"; exit 1; }
}
program=build/portable-check/bin/rnnadvisor
check "$program"
case $targets in *plugin*) check build/portable-check/lib/librnnadvisor_plugin.so ;; esac
"$program" version
