#!/usr/bin/env bash
# container_test.sh RNNADVISOR PLUGIN PROBE: what docs/profiling.md says of containers, in podman, which takes docker's words. The
# image holds a shell and the shared libraries that the three need, nothing else; rnnadvisor and its plugin come in by a mount.
# Where podman runs no container (many sandboxes allow none) it skips and says why.
set -euo pipefail
rnnadvisor=$1
plugin=$2
probe=$3
skip() { printf 'NOT RUN: %s\n' "$*"; exit 77; }
fail() { printf '%s\n' "$*" >&2; exit 1; }
for tool in podman sqlite3 ldd; do command -v "$tool" >/dev/null || skip "$tool is missing (Debian: podman sqlite3)"; done
work=$(mktemp -d)
chmod 755 "$work"

# A mount namespace of our own hides a hybrid cgroup hierarchy, which crun refuses; the machine's is left alone.
plain=(podman --root "$work/storage" --runroot "$work/run" --log-level=error)
podman_() { "${prefix[@]}" "${plain[@]}" "$@"; }
prefix=()
finish() {
  local status=$?
  podman_ rm -f -a >/dev/null 2>&1 || true
  "${plain[@]}" unmount -a >/dev/null 2>&1 || true
  umount "$work/storage/overlay" 2>/dev/null || true
  rm -rf "$work" || true
  exit "$status"
}
trap finish EXIT

root=$work/root
mkdir -p "$root"/{bin,tmp,work,proc,sys,dev,etc}
cp /bin/sh "$root/bin/sh"
for file in /bin/sh "$rnnadvisor" "$probe" "$plugin"; do
  ldd "$file" | grep -o '/[^ ]*' | while read -r library; do
    case $library in "$(dirname "$probe")"* | */standin/*) continue ;; esac
    mkdir -p "$root$(dirname "$library")"
    cp -Ln "$library" "$root$library"
  done
done
echo 'root:x:0:0::/:/bin/sh' >"$root/etc/passwd"
tree=$work/tree
mkdir -p "$tree/bin" "$tree/lib/rnnadvisor"
cp "$rnnadvisor" "$tree/bin/"
cp "$plugin" "$tree/lib/rnnadvisor/"
build=$(cd "$(dirname "$probe")/.." && pwd)

image=rnnadvisor-test
tar -C "$root" -c . | podman_ import - $image >/dev/null 2>"$work/why" || skip "podman imports no image: $(tail -n 1 "$work/why")"
run=(run --network=none --cgroups=disabled --cap-drop=all --user 12345:12345 --ulimit nofile=1024:1024 --ulimit nproc=4096:4096)
if ! podman_ "${run[@]}" --rm $image /bin/sh -c : 2>"$work/why"; then
  prefix=(unshare -m sh -c 'umount -l /sys/fs/cgroup/unified 2>/dev/null; exec "$@"' sh)
  podman_ "${run[@]}" --rm $image /bin/sh -c : 2>"$work/why" || skip "podman runs no container here: $(tail -n 1 "$work/why")"
fi
mkdir -m 777 "$work/out"
# PROBE finds the stand-ins by the paths of the build folder.
mounts=(-v "$tree:/opt/rnnadvisor:ro" -v "$build:$build:ro" -v "$work/out:/work" -w /work)
profile=(/opt/rnnadvisor/bin/rnnadvisor profile --mode calls)

echo "rnnadvisor profile in a container, without any privilege"
podman_ "${run[@]}" --rm --hostname gpu-host "${mounts[@]}" $image "${profile[@]}" -o run.rnnprof "$probe" forward 3 2>"$work/screen" ||
  fail "profile in the container: $(cat "$work/screen")"
[ "$(sqlite3 "$work/out/run.rnnprof" 'SELECT count(*) FROM calls')" = 3 ] || fail "calls are missing"
[ "$(sqlite3 "$work/out/run.rnnprof" 'SELECT DISTINCT host FROM processes')" = gpu-host ] || fail "the host is another"
grep -q 'RNN calls' "$work/screen" || fail "no screen: $(cat "$work/screen")"

echo "the program's exit status comes out of the container"
status=0
podman_ "${run[@]}" --rm "${mounts[@]}" $image "${profile[@]}" --quiet -o seven.rnnprof "$probe" end return || status=$?
[ "$status" = 7 ] || fail "exit status $status"

echo "podman stop: rnnadvisor is process 1 and ends the program in order"
podman_ "${run[@]}" -d --name hammer "${mounts[@]}" $image "${profile[@]}" --quiet -o stopped.rnnprof "$probe" hammer >/dev/null
for _ in $(seq 100); do compgen -G "$work/out/stopped.rnnprof.spool-*/*.rnnspool" >/dev/null && break; sleep 0.1; done
sleep 0.3
podman_ stop --time 20 hammer >/dev/null 2>&1 || fail "podman stop failed"
[ "$(sqlite3 "$work/out/stopped.rnnprof" 'SELECT count(*) > 0 FROM calls')" = 1 ] || fail "no calls after podman stop"
[ "$(podman_ inspect --format '{{.State.ExitCode}}' hammer)" = 143 ] || fail "exit status after podman stop: $(podman_ inspect --format '{{.State.ExitCode}}' hammer)"
if compgen -G "$work/out/*.spool-*" >/dev/null; then fail "a folder was left: $(ls "$work/out")"; fi

echo "env in one container, collect outside"
mkdir -m 777 "$work/out/shared"
podman_ "${run[@]}" --rm "${mounts[@]}" $image /bin/sh -c \
  "eval \"\$(/opt/rnnadvisor/bin/rnnadvisor env --shell bash --mode calls --folder /work/shared --quiet)\"; $probe forward 4"
"$rnnadvisor" collect "$work/out/shared" -o "$work/out/shared.rnnprof" --quiet
[ "$(sqlite3 "$work/out/shared.rnnprof" 'SELECT count(*) FROM calls')" = 4 ] || fail "env and collect: calls are missing"
echo "containers: profile, exit status, stop, env and collect"
