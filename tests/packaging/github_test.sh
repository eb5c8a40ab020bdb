#!/usr/bin/env bash
# github_test.sh RNNADVISOR SOURCE: the action's step as GitHub runs it, on configurations and on a recording, and the action by its official schema.
set -euo pipefail
program=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
mkdir "$work/bin" "$work/project"
ln -s "$program" "$work/bin/rnnadvisor"
cd "$work/project"
cat >one.toml <<'TOML'
cell = "lstm"
hidden_size = 1000
batch_size = 33
data_type = "half"
TOML
sed 's/1000/1024/' one.toml >two.toml
judge() { # judge STATUS COMMAND FILES ARGUMENTS
  status=0
  env PATH="$work/bin:$PATH" RUNNER_TEMP="$work" GITHUB_STEP_SUMMARY="$work/summary" GITHUB_OUTPUT="$work/output" RNNADVISOR_COMMAND="$2" \
    RNNADVISOR_FILES="$3" RNNADVISOR_ARGUMENTS="$4" bash "$source/packaging/github/judge.sh" >"$work/log" 2>"$work/errors" || status=$?
  [ "$status" = "$1" ] || { cat "$work/errors" >&2; fail "status $status, not $1: $*"; }
}
judge 1 check '*.toml' '--device a100 --fail-on opportunity'
grep -q '^::notice file=one.toml,line=' "$work/log" || fail "no annotation in one.toml"
grep -q '^::notice file=two.toml,line=' "$work/log" || fail "the pattern was not expanded"
grep -q '^## What to do first' "$work/summary" || fail "no summary"
sarif=$(sed -n 's/^sarif=//p' "$work/output")
grep -q '"version": "2.1.0"' "$sarif" || fail "no SARIF"
# Again, as a second step of one job: the summary is added to, not replaced.
judge 0 check one.toml '--device a100 --fail-on opportunity --write-baseline known.txt'
judge 0 check one.toml '--device a100 --fail-on opportunity --baseline known.txt'
[ "$(grep -c '^::' "$work/log" || true)" = 0 ] || fail "what is in the baseline is annotated"
[ "$(grep -c '^## What to do first' "$work/summary")" = 3 ] || fail "the summary was replaced"
judge 1 advise sample:programs/pytorch-gru '--fail-on warning'
grep -q '^::warning ' "$work/log" || fail "no warning of the recording"
judge 2 check missing.toml ''
validator=$source/build/validators/node_modules/@action-validator/cli/cli.mjs
if [ -f "$validator" ]; then
  node "$validator" "$source/packaging/github/action.yml" || fail "action.yml does not follow the schema of actions"
else
  echo "SKIPPED: action.yml was NOT validated: there is no action-validator in build/validators (tools/validators.sh gets it from npm)"
fi
echo "the action works"
