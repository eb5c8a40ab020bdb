#!/usr/bin/env bash
# Installs what is needed, builds rnnadvisor and runs its main job: live on the GPU of this machine, or on the profiles
# recorded on an H200 where there is none. Can be run again; what is there already is not done twice.
# With --no-packages nothing is installed: for machines on which you are not root and the packages are there some other way.
set -euo pipefail
cd "$(dirname "$0")"
. tools/common.sh
packages=yes
for argument in "$@"; do
  case "$argument" in
    --no-packages) packages=no ;;
    *) die "usage: ./setup.sh [--no-packages]" ;;
  esac
done

say "Packages"
if [ $packages = yes ]; then
  # shellcheck disable=SC2086
  install_packages $build_packages
else
  plain "as they are; needed: $build_packages"
fi

say "Build (build/release)"
# A compiler that has not been tried yet may warn of something new, which is no reason not to build.
configure release -DRNNADVISOR_TESTS=OFF -DRNNADVISOR_BENCHMARKS=OFF -DRNNADVISOR_WERROR=OFF
cmake --build build/release -j "$jobs" | progress
program=build/release/bin/rnnadvisor
grep -q "RNNADVISOR_HAVE_CUDA_RESULT:INTERNAL=ON" build/release/CMakeCache.txt || cat <<'TEXT'

This build has no CUDA part, because the CUDA toolkit (12 or later, with CUPTI) or the cuDNN 9 headers were not found. It
checks configurations, judges recorded profiles and writes reports. To run configurations on a GPU, install both from NVIDIA
(packages cuda-toolkit and cudnn9-cuda-13, or the same for your CUDA version), or set CUDAToolkit_ROOT and CUDNN_ROOT, and run
this script again.
TEXT

[ -x build/release/bin/rnnadvisor-gui ] || cat <<'TEXT'

This build has no window, because Qt 6.4 or later with SVG was not found (packages qt6-base-dev and qt6-svg-dev). Reports
and exports work without it.
TEXT

say "What this machine can do"
"$program" doctor || true

report=rnnadvisor-report.html
if grep -q '"can_run": *true' <<<"$("$program" doctor --json)"; then
  say "Live: NVIDIA's guide, figure 10, on this GPU"
  "$program" sweep samples/sweeps/guide-figure-10.toml -o rnnadvisor-guide-figure-10.rnnprof --force --quiet
  "$program" report rnnadvisor-guide-figure-10.rnnprof --format text --format "html:$report" --force
else
  say "No GPU can be used here: a report from the profile recorded on an H200"
  "$program" report sample:guide-figure-10 --format text --format "html:$report" --force
fi
say "Done"
plain "The report above is also a page: $PWD/$report"
plain "Next: $program check --cell lstm --hidden-size 1000 --data-type half --batch-size 33 --device h200"
