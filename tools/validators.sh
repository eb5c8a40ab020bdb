#!/usr/bin/env bash
# Gets from npm into build/validators what the tests hold our files against: Microsoft's SARIF Multitool, which has the official schema of SARIF
# 2.1.0, and action-validator, which has those of GitHub's actions. Where they cannot be had it says so, and the tests that need them are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
place=build/validators
packages="@microsoft/sarif-multitool-linux@5.7.0 @action-validator/core@0.6.0 @action-validator/cli@0.6.0"
if [ "$(cat "$place/packages" 2>/dev/null)" = "$packages" ]; then exit 0; fi
skip() { printf 'SKIPPED: %s: SARIF and actions are not validated by their official schemas\n' "$*" >&2; exit 0; }
[ "$(uname -s) $(uname -m)" = "Linux x86_64" ] || skip "the SARIF Multitool is made for Linux on x86_64"
command -v npm >/dev/null || skip "there is no npm (the package npm has it)"
mkdir -p "$place"
# shellcheck disable=SC2086
npm install --prefix "$place" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error $packages \
  >"$place/npm.log" 2>&1 || skip "npm could not install them ($place/npm.log says why)"
chmod u+x "$place/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
printf '%s\n' "$packages" >"$place/packages"
