#!/usr/bin/env bash
# portable.sh BUILD: checks what a build with RNNADVISOR_PORTABLE needs of the machine it will start on: glibc 2.35 at most, and no library but
# glibc's own.
set -euo pipefail
build=$1
check() { # check FILE
  newest=$(objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
  printf '%s\n' "${1##*/}: newest symbol needed: $newest"
  [ "$(printf '%s\nGLIBC_2.35\n' "$newest" | sort -V | tail -1)" = GLIBC_2.35 ] || { printf '%s\n' "needs a glibc newer than 2.35"; exit 1; }
  foreign=$(ldd "$1" | awk '{print $1}' | grep -vE '^(linux-vdso|/lib64/ld-linux|lib(c|m|dl|pthread|rt)\.so)' || true)
  [ -z "$foreign" ] || { printf '%s\n' "links libraries that other machines may lack: $foreign"; exit 1; }
}
check "$build/bin/rnnadvisor"
plugin=$build/lib/librnnadvisor_plugin.so
[ ! -e "$plugin" ] || check "$plugin"
"$build/bin/rnnadvisor" version
