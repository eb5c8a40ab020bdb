#!/bin/sh
# JUnit output of every fixture is well-formed by xmllint. Exit 77: skipped, there is no xmllint.
set -u
if ! command -v xmllint >/dev/null 2>&1; then
  echo "SKIPPED: no xmllint on this machine (libxml2-utils); the JUnit report was NOT parsed by it" >&2
  exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$1" "$work" || exit 1
for file in "$work"/*.xml; do
  xmllint --noout --nonet "$file" || exit 1
done
