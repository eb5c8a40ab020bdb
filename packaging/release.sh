#!/usr/bin/env bash
# Makes what is given to others, in build/packages: Debian packages for the command, the window and C++ programmers, a tarball, a wheel, a bill of
# materials and checksums. Then checks them, at last in a clean Debian 12, and writes packaging/release-log.txt.
# For Debian 12 on x86_64, with the CUDA toolkit and cuDNN's headers as for a build; the clean root needs root.
#   --no-root   without the clean root
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/common.sh
clean_root=yes
for argument in "$@"; do
  case "$argument" in
    --no-root) clean_root=no ;;
    *) die "usage: packaging/release.sh [--no-root]" ;;
  esac
done
build=build/portable
out=build/packages
limit_mb=25

commit=$(git describe --always --abbrev=12 --dirty --exclude '*')

say "Packages that are needed"
# shellcheck disable=SC2086
install_packages $build_packages dpkg-dev fakeroot lintian python3 mmdebstrap binutils patchelf buildah

say "Build (preset portable, with the window)"
configure portable -DRNNADVISOR_CUDA=ON -DRNNADVISOR_GUI=ON
cmake --build $build -j "$jobs" | progress

say "Make"
# The files in the packages are as old as the commit, so that the same build gives the same packages.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf $out
mkdir -p $out
config=$PWD/$build/CPackConfig.cmake
(umask 022 && cd $out && cpack --config "$config" -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=xz -D CPACK_THREADS=0 && cpack --config "$config" -G TGZ) >$build/cpack.log 2>&1 ||
  { cat $build/cpack.log; die "CPack failed"; }
rm -rf $out/_CPack_Packages $out/copyright
packaging/wheel.py $build -o $out # fails where more than glibc, or a newer one, is needed
packages=$(cd $out && ls -- *.deb *.tar.gz *.whl 2>/dev/null || true)
# shellcheck disable=SC2086 # a list of words
(cd $out && python3 "$OLDPWD/packaging/sbom.py" spdx "$OLDPWD/$build" rnnadvisor.spdx.json $packages && sha256sum $packages rnnadvisor.spdx.json >SHA256SUMS)

log=packaging/release-log.txt
{
  plain "packaging/release.sh at commit $commit, $(date -u -d "@$SOURCE_DATE_EPOCH" +%F)"
  plain ""
  (cd $out && stat -c '%9s  %n' $packages)
} >$log

say "Check: checksums, bill of materials, size, dependencies"
(cd $out && sha256sum --check --quiet SHA256SUMS)
python3 packaging/sbom.py check $out/rnnadvisor.spdx.json $out | tee -a $log
runtime=$(echo $out/rnnadvisor_*.deb)
[ "$(stat -c %s "$runtime")" -lt $((limit_mb * 1000 * 1000)) ] || die "$runtime has $limit_mb MB or more"
for package in "$out"/*.deb; do
  depends=$(dpkg-deb --field "$package" Depends)
  plain "$(dpkg-deb --field "$package" Package) depends on: $depends" | tee -a $log
  ! grep -qiE 'cuda|cudnn|cupti|nvidia' <<<"$depends" || die "$package depends on NVIDIA's libraries, which are loaded at run time where they are"
done
[[ "$(dpkg-deb --field "$runtime" Depends)" =~ ^libc6\ \([^,]*\)$ ]] || die "$runtime needs more than libc6"

say "Check: lintian"
# What it must not say: errors and warnings, but those tags that packaging/lintian-tags.txt gives a reason for.
lintian --no-cfg --suppress-tags-from-file packaging/lintian-tags.txt --fail-on error,warning "$out"/*.deb
plain "lintian: no error or warning but the tags of packaging/lintian-tags.txt" >>$log

if [ $clean_root = yes ]; then
  say "Check: installed, used and removed in a clean Debian 12"
  packaging/clean_root.sh $out $log
fi
say "Done"
plain "build/packages has the packages, $log what was checked"
print_stage_times
