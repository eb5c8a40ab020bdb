#!/usr/bin/env bash
# Run by clean_root.sh inside of the clean root, with the packages in /packages: prints one line for each thing that was tried and worked.
set -euo pipefail
cd /packages
quiet() { "$@" >/tmp/log 2>&1 || { tail -n 30 /tmp/log >&2; echo "FAILED: $*" >&2; exit 1; }; }
fail() { echo "FAILED: $*" >&2; exit 1; }
works() { printf '  %s\n' "$*"; }
export DEBIAN_FRONTEND=noninteractive
install() { quiet apt-get install -y --no-install-recommends "$@"; }
quiet apt-get update

use_command() { # use_command PREFIX: the command and the plugin below it
  local program=$1/bin/rnnadvisor
  "$program" version >/dev/null
  "$program" check --cell lstm --hidden-size 1000 --data-type half --device h200 --no-color | grep LSTM >/dev/null || fail "check"
  "$program" report sample:gnmt --format html:/tmp/report.html --force --quiet >/dev/null
  grep -q '</html>' /tmp/report.html || fail "report"
  [ "$(LD_PRELOAD=$1/lib/rnnadvisor/librnnadvisor_plugin.so /bin/echo unchanged 2>&1)" = unchanged ] || fail "a program with the plugin"
  # No GPU here: the program runs as it is, and its profile says that it had no calls.
  [ "$("$program" profile --quiet -o /tmp/run.rnnprof -- /bin/echo recorded 2>/dev/null)" = recorded ] || fail "profile"
  rm /tmp/run.rnnprof /tmp/report.html
}

mkdir /tmp/tree
tar -C /tmp/tree --strip-components=1 -xzf rnnadvisor-*.tar.gz 2>/dev/null || { quiet apt-get install -y gzip; tar -C /tmp/tree --strip-components=1 -xzf rnnadvisor-*.tar.gz; }
use_command /tmp/tree
works "tarball: unpacked into a folder; judges, reports, records a program"
rm -r /tmp/tree

packages_before=$(dpkg-query -W -f '${Package}\n')
install ./rnnadvisor_*.deb
added=$(comm -13 <(sort <<<"$packages_before") <(dpkg-query -W -f '${Package}\n' | sort) | tr '\n' ' ')
[ "$added" = "rnnadvisor " ] || fail "rnnadvisor brings other packages: $added"
use_command /usr
gzip -dc /usr/share/man/man1/rnnadvisor.1.gz | grep '^\.Nm rnnadvisor' >/dev/null || fail "the manual"
offers=$(bash -c 'set +eu; . /usr/share/bash-completion/completions/rnnadvisor; COMP_WORDS=(rnnadvisor che) COMP_CWORD=1; _rnnadvisor rnnadvisor che; echo "${COMPREPLY[*]}"')
[[ "$offers" == *check* ]] || fail "completion in bash offers: $offers"
works "rnnadvisor: installed (no other package needed); judges, reports, records a program; manual; completion in bash"

install zsh fish
zsh -fc 'autoload -Uz compinit && compinit -u && [[ $_comps[rnnadvisor] = _rnnadvisor ]]' || fail "completion in zsh"
fish -c 'complete -C "rnnadvisor che"' | grep check >/dev/null || fail "completion in fish"
works "rnnadvisor: completion in zsh and fish"

install ./rnnadvisor-gui_*.deb
QT_QPA_PLATFORM=offscreen quiet rnnadvisor-gui --screenshot overview /tmp/overview.png sample:gnmt
[ -s /tmp/overview.png ] || fail "the window paints nothing"
grep -q 'rnnprof' /usr/share/mime/globs || fail "the type of .rnnprof is not known"
quiet apt-get install -y --no-install-recommends desktop-file-utils
desktop-file-validate /usr/share/applications/rnnadvisor-gui.desktop || fail "the entry in menus"
works "rnnadvisor-gui: installed; paints a recorded profile; the type of .rnnprof files is known; its entry in menus is valid"

install ./rnnadvisor-dev_*.deb g++ cmake make
quiet cmake -S consumer -B /tmp/consumer
quiet cmake --build /tmp/consumer
/tmp/consumer/consumer | grep 65536 >/dev/null || fail "a program with the libraries"
works "rnnadvisor-dev: installed; a program finds it by find_package(), is compiled as C++20 because of it, and runs"

for name in rnnadvisor-dev rnnadvisor-gui rnnadvisor; do
  dpkg -L $name | while read -r path; do [ -d "$path" ] || echo "$path"; done >/tmp/files
  quiet apt-get purge -y $name
  while read -r path; do [ ! -e "$path" ] || fail "$name is removed, but there is still $path"; done </tmp/files
  works "$name: removed with its $(wc -l </tmp/files) files"
done
! grep -q 'rnnprof' /usr/share/mime/globs || fail "the type of .rnnprof is still known"
left=$(find / -xdev \( -path /packages -o -path /proc -o -path /tmp -o -path /dev \) -prune -o -name '*rnnadvisor*' -print)
[ -z "$left" ] || fail "left behind: $left"
works "nothing is left behind"
