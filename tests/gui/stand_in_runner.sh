#!/bin/sh
# Stands in for `rnnadvisor run` and `rnnadvisor profile` in tests of the window: finds the profile to write in its arguments and does
# what STAND_IN says: finish, fail, hang, crash.
output=
while [ $# -gt 0 ]; do
  case "$1" in
    -o) output=$2; shift ;;
    *.jsonl) cat "$1" ;;
    --) shift; echo "program: $*"; break ;;
  esac
  shift
done
echo "working" >&2
case "$STAND_IN" in
  finish) cp "$STAND_IN_PROFILE" "$output" ;;
  findings) cp "$STAND_IN_PROFILE" "$output"; exit 1 ;;
  fail) echo "error: no GPU can be used" >&2; exit 3 ;;
  crash) kill -SEGV $$ ;;
  hang) trap 'cp "$STAND_IN_PROFILE" "$output"; exit 130' INT
        i=0; while [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done ;;
esac
