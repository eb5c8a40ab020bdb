#!/usr/bin/env bash
# install_test.sh BUILD_DIR: installs the built tree, moves it elsewhere, uses the program and the plugin, builds a consumer of the
# libraries, and makes the packages and their bill of materials.
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
for completion in bash-completion/completions/rnnadvisor zsh/site-functions/_rnnadvisor fish/vendor_completions.d/rnnadvisor.fish; do
  grep -q rnnadvisor "$work/moved/share/$completion"
done
# Beside everybody else's libraries, as in /usr/lib, each says whose it is.
if find "$work/moved/lib" -maxdepth 1 -type f ! -name 'librnnadvisor_*' | grep .; then exit 1; fi
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
# A recording says what a program was started with: only its owner reads it.
(cd "$work" && "$program" profile --quiet --keep-spool -o run.rnnprof -- /bin/true)
[ "$(stat -c %a "$work/run.rnnprof")" = 600 ]
if [ "$(id -u)" = 0 ]; then folder_mode=1733; else folder_mode=700; fi
[ "$(stat -c %a "$work"/run.rnnprof.spool-*)" = $folder_mode ]
cmake -S "$source/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
cmake --build "$work/consumer" >/dev/null
"$work/consumer/consumer" | grep 65536
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -G TGZ >/dev/null && cpack --config "$build/CPackConfig.cmake" -G DEB >/dev/null)
tar -tzf "$work"/*.tar.gz | grep 'bin/rnnadvisor$'
tar -tzf "$work"/*.tar.gz | grep 'lib/rnnadvisor/librnnadvisor_plugin.so$'
tar -tzf "$work"/*.tar.gz | grep 'share/man/man1/rnnadvisor.1$'
tar -tzf "$work"/*.tar.gz | grep 'share/doc/rnnadvisor/rules/README.md$'
deb=$(echo "$work"/rnnadvisor_*.deb)
has() { grep -q "$2\$" <<<"$(dpkg-deb --contents "$1")" || { printf '%s\n' "$1 lacks $2"; exit 1; }; }
for file in bin/rnnadvisor lib/rnnadvisor/librnnadvisor_plugin.so share/man/man1/rnnadvisor.1.gz share/doc/rnnadvisor/rules/README.md \
  share/doc/rnnadvisor/copyright share/bash-completion/completions/rnnadvisor share/zsh/vendor-completions/_rnnadvisor; do has "$deb" "usr/$file"; done
# A server needs no Qt and no CUDA, and of a portable build nothing but the C library.
[[ "$(dpkg-deb --field "$deb" Depends)" =~ ^libc6\ \([^,]*\)$ ]]
dev=$(echo "$work"/rnnadvisor-dev_*.deb)
for file in lib/librnnadvisor_core.a lib/cmake/rnnadvisor/rnnadvisorConfig.cmake include/rnnadvisor/core/config/rnn_config.h \
  share/doc/rnnadvisor-dev/copyright; do has "$dev" "usr/$file"; done
dpkg-deb --field "$dev" Depends | grep libsqlite3-dev
if [ -e "$build/bin/rnnadvisor-gui" ]; then
  tar -tzf "$work"/*.tar.gz | grep 'bin/rnnadvisor-gui$'
  gui=$(echo "$work"/rnnadvisor-gui_*.deb)
  for file in bin/rnnadvisor-gui share/applications/rnnadvisor-gui.desktop share/mime/packages/rnnadvisor-mime.xml \
    share/icons/hicolor/scalable/apps/rnnadvisor-gui.svg; do has "$gui" "usr/$file"; done
  for library in libqt6svg6 libqt6widgets6; do dpkg-deb --field "$gui" Depends | grep "$library"; done
fi
# The bill of materials: of what is compiled in, and of these files.
sbom=$source/../../packaging/sbom.py
python3 "$sbom" spdx "$build" "$work/sbom.json" "$work"/*.deb "$work"/*.tar.gz
python3 "$sbom" check "$work/sbom.json" "$work"
for library in libsqlite3-dev zlib1g-dev nlohmann-json3-dev libcli11-dev cuda-cudart-static; do grep -q "\"name\": \"$library\"" "$work/sbom.json"; done
# It is about these bytes: another file is noticed.
echo >>"$dev"
if python3 "$sbom" check "$work/sbom.json" "$work" 2>/dev/null; then exit 1; fi
dpkg-deb --extract "$deb" "$work/deb"
"$work/deb/usr/bin/rnnadvisor" version
test "$(LD_PRELOAD=$work/deb/usr/lib/rnnadvisor/librnnadvisor_plugin.so /bin/echo unchanged 2>&1)" = unchanged
echo "installed tree, consumer, TGZ and DEB work"
