#!/bin/sh
# Stands in for `rnnadvisor run`, `profile` and `collect` in tests of the window: finds the profile to write in its arguments and does what
# STAND_IN says: finish, fail, nothing (to try), hang, crash, step (as hang, but it tells its progress and ends once the file STAND_IN_GO is there).
output=
[ -z "$STAND_IN_ARGUMENTS" ] || printf '%s\n' "$*" >>"$STAND_IN_ARGUMENTS"
while [ $# -gt 0 ]; do
  case "$1" in
    -o) output=$2; shift ;;
    *.jsonl) cat "$1" ;;
    --) shift; echo "program: $*"; break ;;
  esac
  shift
done
progress=${RNNADVISOR_PROGRESS#json:}
tell() { [ -z "$progress" ] || printf '{"progress":{%s,"elapsed_seconds":0.5}}\n' "$1" >>"$progress"; }
echo "working" >&2
case "$STAND_IN" in
  finish) cp "$STAND_IN_PROFILE" "$output" ;;
  findings) cp "$STAND_IN_PROFILE" "$output"; exit 1 ;;
  fail) printf 'rnnadvisor: no GPU can be used: no driver\n  remedy: run it where there is one\n' >&2; exit 3 ;;
  nothing) printf 'rnnadvisor: there was nothing to try: the profile is as it was\n' >&2 ;;
  crash) kill -SEGV $$ ;;
  step) tell '"doing":"running","finished":3,"total":4,"what":"gnmt"'
        while [ ! -e "$STAND_IN_GO" ]; do sleep 0.05; done
        tell '"doing":"recording","calls":1234,"processes":2'
        while [ ! -e "$STAND_IN_GO.end" ]; do sleep 0.05; done
        cp "$STAND_IN_PROFILE" "$output" ;;
  hang) trap 'cp "$STAND_IN_PROFILE" "$output"; exit 130' INT
        i=0; while [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done ;;
esac
