#!/usr/bin/env bash
# Writes the pictures of the documents anew: tools/pictures.sh [rnnadvisor-gui [FOLDER]]. They come from the program, recorded
# samples and the fonts in tests/gui/fonts alone; a test makes them again and compares, so that they never go stale.
set -euo pipefail
program=$(realpath "${1:-$(dirname "$0")/../build/release/bin/rnnadvisor-gui}")
folder=$(realpath "${2:-$(dirname "$0")/../docs/pictures}")
cd "$(dirname "$0")/.."
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen} TZ=UTC LC_ALL=C.UTF-8
export FONTCONFIG_FILE=$PWD/tests/gui/fonts/fonts.conf  # those fonts and no others, whatever the machine has
sample=sample:programs/pytorch-two-layers
picture() { "$program" --screenshot "$1" "$folder/$2.png" "${@:3}"; echo "$folder/$2.png"; }
picture start start
picture overview overview "$sample"
picture findings finding "$sample" --at finding/0
picture timeline evidence "$sample" --at call/12 --size 1600x900
picture explorer explorer "$sample" --at finding/0
picture recurrence recurrence "$sample" --at call/12 --size 1600x900 --theme dark
picture overview sweep sample:guide-figure-10 --theme dark --size 1600x1000
picture compare compare sample:programs/pytorch-two-layers-split --compare-with "$sample"
