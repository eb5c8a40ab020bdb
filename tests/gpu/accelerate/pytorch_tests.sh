#!/usr/bin/env bash
# PyTorch's own recurrent tests as they are and with each algorithm forced from the first call: the same ones pass, fail and are skipped, and calls
# were replaced. pytorch_tests.sh PLUGIN test_nn.py FOLDER
set -u
here=$(dirname "$0") plugin=$(realpath "$1") tests=$2 out=$3
mkdir -p "$out"
python3 "$here/../pytorch_tests/run_tests.py" "$tests" >"$out/alone.jsonl" 2>"$out/alone.log" &
for algorithm in persist_static persist_static_small_h standard persist_static+conversion; do
  spool=$(mktemp -d)
  (
    LD_PRELOAD=$plugin RNNADVISOR_SPOOL=$spool RNNADVISOR_MODE=calls RNNADVISOR_RECORD=choices RNNADVISOR_ACCELERATE=force:$algorithm \
      timeout 300 python3 "$here/../pytorch_tests/run_tests.py" "$tests" >"$out/$algorithm.jsonl" 2>"$out/$algorithm.log"
    python3 -c "
import sys; sys.path.insert(0, '$here'); import choices
made, _, _ = choices.read('$spool')
print('$algorithm', 'replaced', [sum(c['substituted'][phase] for c in made) for phase in range(3)], 'of', [sum(c['calls'][phase] for c in made) for phase in range(3)])" >"$out/$algorithm.replaced"
  ) &
done
wait
for algorithm in persist_static persist_static_small_h standard persist_static+conversion; do
  cat "$out/$algorithm.replaced"
  python3 "$here/../pytorch_tests/compare_tests.py" "$out/alone.jsonl" "$out/$algorithm.jsonl"
done
