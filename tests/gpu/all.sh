#!/usr/bin/env bash
# Everything that only a GPU can show, each part with a limit of its own; a part that fails does not keep the next from running.
#
# usage: tests/gpu/all.sh BIN_FOLDER OUTPUT_FOLDER [PART…]
#
# parts, with about how many seconds each takes on an H200 (estimates until a run says otherwise; OUTPUT_FOLDER/parts.txt then has them):
#   tests 60        the test programs of this folder
#   overhead 150    mode full beside torch.profiler and nothing, interleaved
#   programs 200    the sample programs, unchanged results, every call
#   memory 120      sizes, fit and PyTorch's peak against the models
#   verify 240      advise --verify --torch on what is known to gain
#   validate 480    every rule on both sides of its boundary
#   planted 300     the first suggestion against brute force
#   programs-planted 230  the same for programs in PyTorch
#   programs-held-out 160  those that no rule was changed for; only when it is named
#   reproduce 90    recorded calls as programs of their own, in C++ and PyTorch
#   calibration 420 a grid of times, and configurations held back from it
#
# PYTHON names the interpreter that has PyTorch (default: python3). What needs a GPU skips with 77 without one.
set -uo pipefail
[ $# -ge 2 ] || { sed -n '2,19p' "$0"; exit 2; }
bin=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
shift 2
here=$(realpath "$(dirname "$0")")
python=${PYTHON:-python3}
parts=${*:-tests overhead programs memory verify validate planted programs-planted reproduce calibration}
failed=0

part() { # part NAME LIMIT_SECONDS COMMAND…
  local name=$1 limit=$2 begin=$SECONDS status=0
  shift 2
  timeout --signal=INT --kill-after=20 "$limit" "$@" >"$out/$name.log" 2>&1 || status=$?
  printf '%-20s %4d s  status %d\n' "$name" $((SECONDS - begin)) "$status" | tee -a "$out/parts.txt"
  [ "$status" = 0 ] || [ "$status" = 77 ] || failed=1
}

for name in $parts; do
  case $name in
    tests)
      for test in experiment_gpu_test runner_gpu_test trace_gpu_test; do
        [ ! -x "$bin/$test" ] || part "$test" 180 "$bin/$test"
      done ;;
    overhead)
      part overhead 300 "$python" "$here/overhead/measure.py" "$(find "$bin/.." -name librnnadvisor_plugin.so | head -n 1)" \
        "$(find "$bin/.." -name bare_cupti.so | head -n 1)" "$out/overhead-full.jsonl" --rounds 6 --cases launch-bound --warmup 200 \
        --variants none,full,torch.profiler ;;
    programs) part programs 400 "$python" "$here/programs/check_programs.py" "$bin/rnnadvisor" "$out/programs" --jobs 8 ;;
    memory) part memory 300 "$python" "$here/memory/prove.py" "$bin" "$out/memory" ;;
    verify) part verify 400 "$python" "$here/torch_whatif/verify_command.py" "$bin/rnnadvisor" "$out/torch-verify.json" --python "$python" ;;
    validate)
      part validate 600 "$bin/rnnadvisor" rules validate -o "$out/rules-validate.rnnprof" --record "$out/rules-validate.json" --budget 480 --force ;;
    planted) part planted 450 "$bin/planted_suite" measure "$here/planted/suite.toml" "$out/planted.rnnprof" "$bin/rnnadvisor" ;;
    programs-planted)
      part programs-planted 420 "$python" "$here/planted_programs/measure.py" "$bin/rnnadvisor" "$out/programs-planted" --budget 230 ;;
    programs-held-out)
      part programs-held-out 420 "$python" "$here/planted_programs/measure.py" "$bin/rnnadvisor" "$out/programs-held-out" --budget 230 \
        --suite "$here/planted_programs/held_out/suite.toml" ;;
    reproduce) part reproduce 180 "$python" "$here/reproduce/reproduce.py" "$bin/rnnadvisor" "$out/reproduce.json" ;;
    calibration)
      part calibration 420 "$bin/rnnadvisor" sweep sample:calibration -o "$out/calibration.rnnprof" --no-trace --counters off \
        --warmup 2 --min-repeats 7 --max-repeats 9 --budget-seconds 0.1
      part held-back 240 "$bin/rnnadvisor" sweep sample:calibration-held-back -o "$out/calibration-held-back.rnnprof" --no-trace \
        --counters off --warmup 2 --min-repeats 7 --max-repeats 9 --budget-seconds 0.1 ;;
    *) printf '%s\n' "no part is called '$name'" >&2; exit 2 ;;
  esac
done
exit $failed
