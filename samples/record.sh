#!/usr/bin/env bash
# samples/record.sh RNNADVISOR: records every sample on the GPU of this machine into samples/recorded/ and trims it (runtime and driver API
# records go: they are three quarters of the bytes, and no report shows them). DeepBench's list is long, so it is timed but not traced.
set -euo pipefail
program=$(realpath "${1:?usage: samples/record.sh PATH-OF-RNNADVISOR}")
cd "$(dirname "$0")"
mkdir -p recorded
for sweep in guide-figure-10 guide-figure-9 gnmt ptb-large criteria-sizes persistent-float bfloat16-fallback planted-failures; do
  "$program" sweep "sweeps/$sweep.toml" -o "recorded/$sweep.rnnprof" --force --budget-seconds 1 --format text:/dev/null
done
for sweep in guide-figure-6 guide-figure-7 guide-figure-8; do
  "$program" sweep "sweeps/$sweep.toml" -o "recorded/$sweep.rnnprof" --force --budget-seconds 0.7 --format text:/dev/null
done
"$program" sweep sweeps/deepbench.toml -o recorded/deepbench.rnnprof --force --no-trace --counters off --budget-seconds 0.25 \
  --min-repeats 6 --format text:/dev/null
# merge writes what is left as rnnadvisor writes it: after a change by sqlite3 the file's checksum is passed over.
for file in recorded/*.rnnprof; do
  sqlite3 "$file" 'DELETE FROM api_records; DELETE FROM api_kinds'
  "$program" merge "$file" -o "$file.trimmed"
  mv "$file.trimmed" "$file"
  chmod 644 "$file"
done
