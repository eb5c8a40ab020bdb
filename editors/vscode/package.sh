#!/usr/bin/env bash
# package.sh OUTPUT.vsix: packs the extension with @vscode/vsce, which npm fetches; it is in no file of ours. Exit status 77 where it cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
output=$(realpath -m "$1")
command -v npm >/dev/null || { printf 'NOT PACKAGED: npm is missing (Debian: npm)\n'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# 2.32 is the last that runs with Node.js 18, which Debian 12 has.
npm install --prefix "$work/tool" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error @vscode/vsce@2.32.0 >"$work/npm.log" 2>&1 ||
  { printf 'NOT PACKAGED: npm could not get @vscode/vsce:\n'; tail -5 "$work/npm.log"; exit 77; }
mkdir "$work/extension"
cp -R "$here/package.json" "$here/README.md" "$here/src" "$here/../../LICENSE" "$work/extension"
cd "$work/extension"
"$work/tool/node_modules/.bin/vsce" package --allow-missing-repository --no-dependencies --out "$output"
