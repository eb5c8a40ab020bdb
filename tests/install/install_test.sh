#!/usr/bin/env bash
# install_test.sh BUILD_DIR: installs the built tree, moves it elsewhere, uses the program and the plugin, builds a consumer of the
# libraries, and makes both packages.
set -euo pipefail
build=$1
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
program=$work/moved/bin/rnnadvisor
"$program" version
"$program" check --cell lstm --hidden-size 1000 --data-type half --device h200 --no-color >"$work/out.txt"
grep -q "LSTM" "$work/out.txt"
test -s "$work/moved/share/man/man1/rnnadvisor.1"
# Every card has its page, and what a page links to is there.
pages=$work/moved/share/doc/rnnadvisor/rules
(cd "$work/moved/share/rnnadvisor/rules" && find . -name '*.toml') | sed 's/toml$/md/' | sort >"$work/cards.txt"
(cd "$pages" && find . -name '*.md' ! -path ./README.md) | sort | diff "$work/cards.txt" -
grep -roE '\]\([^):#]+\)' "$pages" >"$work/links.txt"
while IFS= read -r line; do
  file=${line%%:*} link=${line##*](}
  test -e "${file%/*}/${link%)}" || { printf '%s\n' "leads nowhere: $line"; exit 1; }
done <"$work/links.txt"
# The plugin lies where the program looks for it, and other people's programs run with it as without.
plugin=$work/moved/lib/rnnadvisor/librnnadvisor_plugin.so
test "$(LD_PRELOAD=$plugin /bin/echo unchanged 2>&1)" = unchanged
cmake -S "$source/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
cmake --build "$work/consumer" >/dev/null
"$work/consumer/consumer" | grep 65536
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -G TGZ >/dev/null && cpack --config "$build/CPackConfig.cmake" -G DEB >/dev/null)
tar -tzf "$work"/*.tar.gz | grep 'bin/rnnadvisor$'
tar -tzf "$work"/*.tar.gz | grep 'lib/rnnadvisor/librnnadvisor_plugin.so$'
tar -tzf "$work"/*.tar.gz | grep 'share/man/man1/rnnadvisor.1$'
tar -tzf "$work"/*.tar.gz | grep 'share/doc/rnnadvisor/rules/README.md$'
deb=$(echo "$work"/rnnadvisor_*.deb)
dpkg-deb --contents "$deb" | grep 'usr/bin/rnnadvisor$'
dpkg-deb --contents "$deb" | grep 'usr/lib/rnnadvisor/librnnadvisor_plugin.so$'
dpkg-deb --contents "$deb" | grep 'usr/share/man/man1/rnnadvisor.1$'
dpkg-deb --contents "$deb" | grep 'usr/share/doc/rnnadvisor/rules/README.md$'
dpkg-deb --field "$deb" Depends | grep libc6
# A server needs no Qt.
if dpkg-deb --field "$deb" Depends | grep -i qt; then exit 1; fi
if [ -e "$build/bin/rnnadvisor-gui" ]; then
  tar -tzf "$work"/*.tar.gz | grep 'bin/rnnadvisor-gui$'
  dpkg-deb --contents "$work"/rnnadvisor-gui_*.deb | grep 'usr/bin/rnnadvisor-gui$'
  for library in libqt6svg6 libqt6widgets6; do dpkg-deb --field "$work"/rnnadvisor-gui_*.deb Depends | grep "$library"; done
fi
dpkg-deb --extract "$deb" "$work/deb"
"$work/deb/usr/bin/rnnadvisor" version
test "$(LD_PRELOAD=$work/deb/usr/lib/rnnadvisor/librnnadvisor_plugin.so /bin/echo unchanged 2>&1)" = unchanged
echo "installed tree, consumer, TGZ and DEB work"
