#!/bin/sh
# Records every program of programs.py, or of the file that PROGRAMS names, and tries to capture its step as a CUDA graph: what a recording shows beside what PyTorch says of it.
# usage: record.sh RNNADVISOR OUTPUT_FOLDER [NAME…]     needs a GPU; PYTHON names the interpreter that has PyTorch (default: python3)
# Writes OUTPUT_FOLDER/NAME.rnnprof for each and captures.json.
set -u
advisor=$1
out=$2
shift 2
python=${PYTHON:-python3}
programs=${PROGRAMS:-$(cd "$(dirname "$0")" && pwd)/programs.py}
mkdir -p "$out"
timeout 300 "$python" "$programs" --capture "$out/captures.json" >"$out/captures.txt" 2>&1 &
names=${*:-$("$python" "$programs" --list)}
# Four at a time: what counts is the order of a step's calls, not its time.
echo "$names" | tr ' ' '\n' | xargs -P 4 -I NAME sh -c '
  timeout 60 "$0" profile --quiet -o "$1/NAME.rnnprof" -- "$2" "$3" NAME >"$1/NAME.txt" 2>&1 || echo "NAME: status $?" >>"$1/failures.txt"
' "$advisor" "$out" "$python" "$programs"
wait
ls "$out"/*.rnnprof | wc -l
