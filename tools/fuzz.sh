#!/usr/bin/env bash
# tools/fuzz.sh SECONDS: builds every fuzz target with libFuzzer (clang 19, address and undefined sanitizers) and runs each that long,
# starting from its seed corpus. A crash leaves its input in build/fuzz and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
cmake --preset fuzz >/dev/null
cmake --build build/fuzz -j "$(nproc)" --target fuzz_targets -- --quiet
for target in build/fuzz/bin/fuzz_*; do
  name=$(basename "$target")
  corpus=tests/fuzz/corpus/$name
  mkdir -p "build/fuzz/found/$name"
  printf '%s\n' "fuzzing $name for $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=0 \
    -artifact_prefix="build/fuzz/$name-" "build/fuzz/found/$name" $([ -d "$corpus" ] && echo "$corpus") 2>build/fuzz/$name.log ||
    { tail -40 "build/fuzz/$name.log"; exit 1; }
done
