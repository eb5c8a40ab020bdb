#!/usr/bin/env bash
# screens_test.sh TEST: the window on two screens beside each other and on one of 4K, at scale 1 and 2. The screens are monitors of RandR
# 1.5, which Qt takes for screens of their own.
set -euo pipefail
test=$1
for tool in Xvfb:xvfb xrandr:x11-xserver-utils; do
  command -v "${tool%:*}" >/dev/null || { echo "no ${tool%:*} (package ${tool#*:})"; exit 77; }
done
work=$(mktemp -d)
fonts=$(realpath "$(dirname "$0")/../fonts/fonts.conf")
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
# -noreset: a server that resets when its last client leaves would forget the monitors that xrandr made.
Xvfb -noreset -displayfd 3 -screen 0 3840x2160x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
[ -s "$work/display" ] || { cat "$work/xvfb.log"; exit 1; }
export FONTCONFIG_FILE=$fonts
export DISPLAY=:$(tr -d '[:space:]' <"$work/display") QT_QPA_PLATFORM=xcb HOME=$work XDG_RUNTIME_DIR=$work
chmod 700 "$work"
# two_screens SCALE LEFT RIGHT: the tests with these monitors, WIDTH/MMxHEIGHT/MM+X+Y.
two_screens() {
  echo "--- two screens, scale $1"
  export RNNADVISOR_RIGHT_SCREEN="--setmonitor right $3 none"
  xrandr --setmonitor left "$2" screen >/dev/null
  # shellcheck disable=SC2086 # a list of words
  xrandr $RNNADVISOR_RIGHT_SCREEN
  [ "$(xrandr --listmonitors | head -1)" = "Monitors: 2" ] || { xrandr --listmonitors; exit 1; }
  QT_SCALE_FACTOR=$1 "$test" --gtest_filter="ScreensTest.*"
  xrandr --delmonitor right
  xrandr --delmonitor left
}
# A laptop beside a large screen: the window does not fit on the small one as it opens.
two_screens 1 1366/361x768/203+0+0 2474/654x2160/571+1366+0
two_screens 2 1920/508x2160/571+0+0 1920/508x2160/571+1920+0
echo "--- one screen of 4K, scale 2"
QT_SCALE_FACTOR=2 "$test" --gtest_filter="FourKTest.*"
echo "the window on two screens, at scale 1 and 2, and on one of 4K"
