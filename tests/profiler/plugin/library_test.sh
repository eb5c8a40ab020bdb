#!/usr/bin/env bash
# library_test.sh PLUGIN EXPORTS_MAP: what the library shows to the program that it is loaded into, and what it asks of it.
set -euo pipefail
plugin=$1
exports=$2
fail() { printf '%s\n' "$*" >&2; exit 1; }

expected=$(sed -n '/global:/,/local:/p' "$exports" | grep -o '[A-Za-z_0-9]*;' | tr -d ';' | sort)
actual=$(nm -D --defined-only "$plugin" | awk '{print $3}' | sort)
[ "$expected" = "$actual" ] || fail "exports differ from the list: $(diff <(echo "$expected") <(echo "$actual") || true)"

dynamic=$(readelf -dW "$plugin")
foreign=$(grep NEEDED <<<"$dynamic" | grep -vE '\[(libc\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux[^]]*)\]' || true)
[ -z "$foreign" ] || fail "needs more than the C library: $foreign"
asked=$(nm -D --undefined-only "$plugin" | awk '$1 == "U" {print $2}' | grep -v '@GLIBC_' || true)
[ -z "$asked" ] || fail "takes from the program what is not the C library's: $asked"
# The C library's own list of things that print, and of those that start processes; pthread_create() is last_flush.cpp's alone, and
# sigaction() writer_chunks.cpp's, for SIGBUS where the program has no handler.
# kill() is steps.cpp's, where `try --iterations` was asked to end the program.
asked=$(nm -D --undefined-only "$plugin" | grep -oE ' (vfork|clone|posix_spawn[a-z]*|exec[a-z]+|socket|socketpair|connect|bind|listen|accept4?|send[a-z]*|recv[a-z]*|getaddrinfo|gethostby[a-z_]+|printf|vprintf|puts|putchar|perror|stdout|stderr|fprintf|vfprintf|fputs|write|syslog|fork|system|popen|signal|abort|exit|_exit|__assert_fail|__stack_chk_fail)@' || true)
[ -z "$asked" ] || fail "could print, start something, use the network or end the program: $asked"

grep -q BIND_NOW <<<"$dynamic" || grep -q 'Flags:.*NOW' <<<"$dynamic" || fail "is bound late"
grep -q NODELETE <<<"$dynamic" || fail "can be unloaded while threads are in it"
! grep -q STATIC_TLS <<<"$dynamic" || fail "needs room that a running program may not have"
! grep -q TEXTREL <<<"$dynamic" || fail "changes its own code"
! grep -qE 'RPATH|RUNPATH' <<<"$dynamic" || fail "names folders of the machine that it was built on"
segments=$(readelf -lW "$plugin")
! grep -qE '(LOAD|GNU_STACK).*RWE' <<<"$segments" || fail "has memory that is written and run"
# The tables are empty at first: they are not in the file.
size=$(stat -c %s "$plugin")
data=$(size "$plugin" | awk 'NR == 2 {print $2}')
[ "$data" -lt 65536 ] || fail "carries $data bytes of initialised data ($size in all)"
# Frames can be unwound.
grep -q '\.eh_frame ' <<<"$(readelf -SW "$plugin")" || fail "has no unwind tables"
echo "exports, dependencies and segments are as they should be"
