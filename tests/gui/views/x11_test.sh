#!/usr/bin/env bash
# x11_test.sh PROGRAM SOURCE: every view in a window of a real X server, a file that is no profile, and a window that is closed by its
# manager's word.
set -euo pipefail
program=$1 source=$2
command -v Xvfb >/dev/null || { echo "no Xvfb (package xvfb)"; exit 77; }
work=$(mktemp -d)
fonts=$(realpath "$(dirname "$0")/../fonts/fonts.conf")
# What libdbus and fontconfig keep to the end is not ours; the other tests of the window look for leaks.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
# Without a display: words and pictures all the same, and no window says why.
none=(env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM "HOME=$work")
grep -q -- --screenshot <<<"$("${none[@]}" "$program" --help)"
"${none[@]}" "$program" --screenshot start "$work/none.png"
test -s "$work/none.png"
status=0
"${none[@]}" "$program" 2>"$work/error" || status=$?
[ $status = 3 ] && grep -q "no display" "$work/error"
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
[ -s "$work/display" ] || { cat "$work/xvfb.log"; exit 1; }
export FONTCONFIG_FILE=$fonts
export DISPLAY=:$(tr -d '[:space:]' <"$work/display") QT_QPA_PLATFORM=xcb HOME=$work XDG_CONFIG_HOME=$work XDG_RUNTIME_DIR=$work
chmod 700 "$work"
profile=$source/samples/recorded/programs/pytorch-two-layers.rnnprof
for view in start overview timeline recurrence findings explorer compare rules; do
  "$program" --screenshot "$view" "$work/$view.png" "$profile" --size 1280x720
  test -s "$work/$view.png"
done
QT_SCALE_FACTOR=2 "$program" --screenshot overview "$work/large.png" "$profile" --theme dark
test -s "$work/large.png"
# Dark where the desktop's palette is, here that of KDE.
mkdir "$work/kde"
for part in Button View Window Selection; do
  printf '[Colors:%s]\nBackgroundNormal=42,46,50\nForegroundNormal=252,252,252\n' $part
done >"$work/kde/kdeglobals"
kde=(env XDG_CURRENT_DESKTOP=KDE KDE_SESSION_VERSION=5 "XDG_CONFIG_HOME=$work/kde")
for theme in system light dark; do "${kde[@]}" "$program" --screenshot start "$work/$theme.png" --theme $theme; done
cmp "$work/system.png" "$work/dark.png"
if cmp -s "$work/system.png" "$work/light.png"; then exit 1; fi
# A damaged file has its own state, and no view of a profile.
head -c 5000 "$profile" >"$work/cut.rnnprof"
"$program" --screenshot start "$work/cut.png" "$work/cut.rnnprof"
if "$program" --screenshot overview "$work/none.png" "$work/cut.rnnprof" 2>"$work/error"; then exit 1; fi
grep -q "cut off" "$work/error"
# It stays open until it is told to end.
timeout --signal=TERM 3 "$program" "$profile" --at timeline,4.9s-5.1s && exit 1 || test $? = 124
timeout --signal=TERM 3 "$program" "$profile" --compare-with sample:programs/pytorch-gru && exit 1 || test $? = 124
echo "every view in a real X window"
