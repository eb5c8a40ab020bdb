#!/usr/bin/env bash
# run.sh TARGET RUNS SECONDS FOUND CORPUS…: searches with another seed each time, and says which. RNNADVISOR_FUZZ_SEED repeats one. FOUND keeps
# what the search adds, so that the next begins there.
set -euo pipefail
target=$1 runs=$2 seconds=$3 found=$4
shift 4
seed=${RNNADVISOR_FUZZ_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
echo "RNNADVISOR_FUZZ_SEED=$seed repeats this search"
mkdir -p "$found"
exec "$target" "-runs=$runs" "-max_total_time=$seconds" "-seed=$seed" -timeout=20 "-artifact_prefix=$found/" "$found" "$@"
