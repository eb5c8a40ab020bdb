#!/usr/bin/env bash
# security_test.sh SOURCE: every test that SECURITY.md names is there.
set -euo pipefail
cd "$1"
missing=0
while IFS=. read -r suite name; do
  grep -rqE "TEST(_F|_P)?\\($suite, $name\\)" tests --include='*_test.cpp' || { echo "SECURITY.md names a test that is not there: $suite.$name" >&2; missing=1; }
done < <(grep -oE '`[A-Z][A-Za-z]+\.[A-Z][A-Za-z]+`' SECURITY.md | tr -d '`' | sort -u)
while read -r file; do
  [ -e "$file" ] || { echo "SECURITY.md names a file that is not there: $file" >&2; missing=1; }
done < <(grep -oE '`(tests|profiler)/[A-Za-z0-9_/.]+`|\]\([a-z]+/[^)#]+' SECURITY.md | tr -d '`](')
exit $missing
