#!/usr/bin/env bash
# Gets Microsoft's SARIF Multitool, which has the official schema of SARIF 2.1.0, from npm into build/sarif, for the tests. Where that cannot be had
# it says so, and the tests that need it are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
version=5.7.0
place=build/sarif
tool=$place/node_modules/@microsoft/sarif-multitool-linux
if [ -f "$tool/package.json" ] && grep -q "\"$version\"" "$tool/package.json"; then exit 0; fi
skip() { printf 'SKIPPED: %s: SARIF is not validated by its official schema\n' "$*" >&2; exit 0; }
[ "$(uname -s) $(uname -m)" = "Linux x86_64" ] || skip "the SARIF Multitool is made for Linux on x86_64"
command -v npm >/dev/null || skip "there is no npm (the package npm has it)"
mkdir -p "$place"
npm install --prefix "$place" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error \
  "@microsoft/sarif-multitool-linux@$version" >"$place/npm.log" 2>&1 || skip "npm could not install it ($place/npm.log says why)"
chmod u+x "$tool/Sarif.Multitool"
