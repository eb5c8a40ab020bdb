#!/usr/bin/env bash
# vscode_test.sh RNNADVISOR FOLDER: the tests of the extension for VS Code, on a stand-in for it and the real server; then its package, made in
# FOLDER, where npm can get @vscode/vsce. Without Node.js 18 or later it skips and says so.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
RNNADVISOR_PROGRAM=$(realpath "$1")
export RNNADVISOR_PROGRAM
folder=$2
version=$(node --version 2>/dev/null || true)
[[ $version =~ ^v([0-9]+) && ${BASH_REMATCH[1]} -ge 18 ]] ||
  { printf 'NOT RUN: Node.js 18 or later is missing (Debian: nodejs), found "%s"\n' "$version"; exit 77; }
node --test "$source"/editors/vscode/test/extension.test.js
mkdir -p "$folder"
rm -f "$folder"/rnnadvisor.vsix
status=0
"$source/editors/vscode/package.sh" "$folder/rnnadvisor.vsix" || status=$?
[ $status != 77 ] || { printf 'the package was not tried: see above\n'; exit 0; }
[ $status = 0 ] || exit $status
# Nothing but what it needs, and all of that.
found=$(python3 -c 'import sys, zipfile; print(*sorted(zipfile.ZipFile(sys.argv[1]).namelist()), sep="\n")' "$folder/rnnadvisor.vsix")
expected='[Content_Types].xml
extension.vsixmanifest
extension/LICENSE.txt
extension/README.md
extension/package.json
extension/src/client.js
extension/src/extension.js
extension/src/findings.js'
[ "$found" = "$expected" ] || { printf 'the package has other files:\n%s\n' "$found"; exit 1; }
