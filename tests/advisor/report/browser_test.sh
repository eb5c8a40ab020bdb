#!/bin/sh
# Opens every kind of HTML report in headless Chromium: fails on any console message (an error, a refused style or script, a request that
# the page's policy blocks) and when the page's script did not run to its end.
#
#   browser_test.sh REPORT_SAMPLES       exit 0: fine, 1: failed, 77: skipped, there is no Chromium
set -u
samples=$1
browser=
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then browser=$name; break; fi
done
if [ -z "$browser" ]; then
  echo "SKIPPED: no chromium, chromium-browser or google-chrome on this machine; the HTML report was NOT opened in a browser" >&2
  exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$samples" "$work" || exit 1

status=0
for page in rich single fine empty bare checked tried sweep many predicted maps; do
  for hash in '' '#theme=dark'; do
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --no-first-run \
      --disable-background-networking --disable-component-update --disable-sync --enable-logging=stderr --v=0 \
      --dump-dom "file://$work/$page.html$hash" >"$work/dom" 2>"$work/log"
    if [ $? -ne 0 ]; then
      echo "FAILED: $browser did not open $page.html$hash"; tail -5 "$work/log"; status=1; continue
    fi
    if grep 'CONSOLE' "$work/log"; then
      echo "FAILED: $page.html$hash wrote to the console"; status=1
    fi
    if ! grep -q '<html[^>]*data-ready="yes"' "$work/dom"; then
      echo "FAILED: the script of $page.html$hash did not run to its end"; status=1
    fi
    if [ -n "$hash" ] && ! grep -q '<html[^>]*data-theme="dark"' "$work/dom"; then
      echo "FAILED: $page.html$hash did not become dark"; status=1
    fi
  done
done
# On paper what is folded stays folded: a report of one configuration has a few pages, of 500 not hundreds.
for limit in single:8 many:60; do
  page=${limit%:*}
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --no-pdf-header-footer \
    --print-to-pdf="$work/$page.pdf" "file://$work/$page.html" >/dev/null 2>"$work/log"
  pages=$(grep -a -c '/Type /Page$' "$work/$page.pdf")
  if [ "${pages:-0}" -lt 1 ] || [ "$pages" -gt "${limit#*:}" ]; then
    echo "FAILED: $page.html has ${pages:-no} pages on paper, at most ${limit#*:} were expected"; status=1
  fi
done
# The check itself must be able to fail: a changed script no longer has the hash that the policy names.
sed 's/data-ready\|dataset.ready/dataset.other/' "$work/single.html" >"$work/changed.html"
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --no-first-run \
  --disable-background-networking --disable-component-update --disable-sync --enable-logging=stderr --v=0 \
  --dump-dom "file://$work/changed.html" >"$work/dom" 2>"$work/log"
if ! grep -q 'CONSOLE' "$work/log" || grep -q 'data-ready="yes"' "$work/dom"; then
  echo "FAILED: a script that the policy does not name ran, or its refusal was not seen"; status=1
fi
[ $status -eq 0 ] && echo "11 pages, light and dark: no console message, scripts ran"
exit $status
