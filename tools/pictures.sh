#!/usr/bin/env bash
# Writes the pictures of docs/window.md and README.md anew: tools/pictures.sh [rnnadvisor-gui]. They come from the program and recorded
# samples alone, so that they never go stale.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/release/bin/rnnadvisor-gui}
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
sample=sample:programs/pytorch-two-layers
picture() { "$program" --screenshot "$1" "docs/pictures/$2.png" "${@:3}"; echo "docs/pictures/$2.png"; }
picture start start
picture overview overview "$sample"
picture findings finding "$sample" --at finding/1
picture timeline evidence "$sample" --at call/12 --size 1600x900
picture explorer explorer "$sample" --at finding/1
picture recurrence recurrence "$sample" --at call/12 --size 1600x900 --theme dark
picture overview sweep sample:guide-figure-10 --theme dark --size 1600x1000
picture compare compare sample:programs/pytorch-two-layers-split --compare-with "$sample"
