#!/usr/bin/env bash
# The step of action.yml: annotations on standard output, the report in the summary of the step, SARIF beside it; the exit status is that of
# rnnadvisor. Variables: RNNADVISOR_COMMAND, _FILES and _ARGUMENTS (the inputs), and those of GitHub.
set -euo pipefail
: "${RUNNER_TEMP:=$(mktemp -d)}" "${GITHUB_STEP_SUMMARY:=/dev/null}" "${GITHUB_OUTPUT:=/dev/null}"
# Both are lists of words and patterns, as a person would type them.
# shellcheck disable=SC2206
files=($RNNADVISOR_FILES) arguments=(${RNNADVISOR_ARGUMENTS:-})
command=${RNNADVISOR_COMMAND:-check}
unset RNNADVISOR_COMMAND RNNADVISOR_FILES RNNADVISOR_ARGUMENTS
status=0
rnnadvisor "$command" "${files[@]}" "${arguments[@]}" --force -f github -f "markdown:$RUNNER_TEMP/rnnadvisor.md" \
  -f "sarif:$RUNNER_TEMP/rnnadvisor.sarif" || status=$?
[ ! -f "$RUNNER_TEMP/rnnadvisor.md" ] || cat "$RUNNER_TEMP/rnnadvisor.md" >>"$GITHUB_STEP_SUMMARY"
[ ! -f "$RUNNER_TEMP/rnnadvisor.sarif" ] || printf 'sarif=%s\n' "$RUNNER_TEMP/rnnadvisor.sarif" >>"$GITHUB_OUTPUT"
exit $status
