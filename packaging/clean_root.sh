#!/usr/bin/env bash
# clean_root.sh PACKAGES LOG: in a Debian 12 that has nothing but its essential packages and apt, installs, uses and removes every package of the
# folder PACKAGES, unpacks and uses the tarball, and builds the container image. Adds to LOG a line for each. Needs root, mmdebstrap and buildah.
# Debian's mirror is the one that apt uses on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$(realpath "$1") log=$(realpath "$2")
[ "$(id -u)" = 0 ] || { echo "clean_root.sh must be run by root: it makes a root folder and enters it" >&2; exit 1; }
base=build/debian-12.tar
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Kept for a week: making it takes two minutes.
if [ -z "$(find $base -mtime -7 2>/dev/null)" ]; then
  echo "making a Debian 12 root"
  # shellcheck disable=SC2016 # apt-get fills it in
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u | grep -E ' bookworm[a-z-]* main$' >"$work/sources" || true
  mkdir -p build
  # Without sources, as on Ubuntu, mmdebstrap takes Debian's own.
  if [ -s "$work/sources" ]; then mirror=-; else mirror=; fi
  # shellcheck disable=SC2086 # nothing or one word
  mmdebstrap --quiet --variant=minbase --format=tar bookworm $base.new $mirror <"$work/sources"
  mv $base.new $base
fi

root=$work/root
mkdir "$root"
tar -C "$root" -xf $base
mkdir "$root/packages"
cp "$packages"/* "$root/packages/"
cp -r tests/install/consumer packaging/in_clean_root.sh "$root/packages/"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
# A name space of its own for processes and mounts: nothing outlives it, and nothing of it is seen here.
# shellcheck disable=SC2016 # the inner shell expands it
unshare --mount --pid --fork bash -c 'mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i \
  PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 bash /packages/in_clean_root.sh' "$root" | tee "$work/lines"
{
  echo
  echo "In a root made by mmdebstrap (minbase, Debian $(cat "$root/etc/debian_version")), entered by chroot:"
  cat "$work/lines"
} >>"$log"

# The container image from the same root in place of debian:12-slim, which would have to be fetched.
storage=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs)
from=$(buildah "${storage[@]}" from scratch)
buildah "${storage[@]}" add -q "$from" $base / >/dev/null
buildah "${storage[@]}" commit -q "$from" docker.io/library/debian:12-slim >/dev/null
buildah "${storage[@]}" build -q --isolation chroot --pull-never -f packaging/container/Dockerfile -t rnnadvisor-check "$packages" >"$work/image.log" 2>&1 ||
  { tail -n 30 "$work/image.log" >&2; echo "FAILED: packaging/container/Dockerfile" >&2; exit 1; }
from=$(buildah "${storage[@]}" from --pull-never localhost/rnnadvisor-check)
entry=$(buildah "${storage[@]}" inspect --format '{{index .OCIv1.Config.Entrypoint 0}}' "$from")
buildah "${storage[@]}" run --isolation chroot "$from" "$entry" check --cell lstm --hidden-size 1000 --data-type half --device h200 --no-color >"$work/verdict"
grep -q LSTM "$work/verdict"
buildah "${storage[@]}" run --isolation chroot "$from" sh -c '! ls /tmp/*.deb 2>/dev/null'
echo "container: packaging/container/Dockerfile builds on that root, and its entry point judges a configuration" | tee -a "$log"
