# shellcheck shell=bash
# Shared by setup.sh and test.sh: stages with their times, progress of builds and tests, and packages.
start_seconds=$SECONDS
minutes() { printf '%3dm%02ds' $(($1 / 60)) $(($1 % 60)); }
core_seconds() { # what all programs that this shell started have computed, on all cores together; its stat's cutime and cstime
  local stat
  stat=$(</proc/$$/stat)
  read -ra stat <<<"${stat##*) }"
  printf '%s' $(((stat[13] + stat[14]) / 100))
}
stage_name="" stage_start=$SECONDS stage_core_seconds=0 stage_times=""
end_stage() {
  [ -n "$stage_name" ] || return 0
  stage_times="$stage_times$(minutes $((SECONDS - stage_start))) $(minutes $(($1 - stage_core_seconds)))  $stage_name"$'\n'
}
say() { # a heading with the time since the start; the stage before it ends here
  local computed
  computed=$(core_seconds)
  end_stage "$computed"
  stage_name=$* stage_start=$SECONDS stage_core_seconds=$computed
  printf '\n\033[1m== [%s] %s\033[0m\n' "$(minutes $((SECONDS - start_seconds)))" "$*"
}
print_stage_times() { # how long each stage took and what all cores computed in it, the last one included
  end_stage "$(core_seconds)"
  printf '\n%s\n%s' "   time    cores  stage" "$stage_times"
}
plain() { printf '%s\n' "$*"; }
die() { printf '\n%s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    die "These packages must be installed by root, and there is no sudo: $*"
  fi
}

# install_packages NAME…: installs those that are not there yet.
install_packages() {
  missing=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
  done
  if [ -z "$missing" ]; then plain "all packages are installed"; return 0; fi
  command -v apt-get >/dev/null || die "This script installs packages with apt-get (Debian 12 or Ubuntu 24.04 and later). Install by hand:$missing"
  plain "installing:$missing"
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get update -qq
  # shellcheck disable=SC2086 # a list of words
  as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null || die "apt-get could not install:$missing"
}

build_packages="g++ cmake ninja-build ccache mold libfmt-dev libexpected-dev nlohmann-json3-dev libtomlplusplus-dev libeigen3-dev libcli11-dev libsqlite3-dev zlib1g-dev qt6-base-dev qt6-svg-dev ca-certificates"
test_packages="libgtest-dev libgmock-dev libbenchmark-dev libvalijson-dev chromium libxml2-utils mandoc sqlite3 dpkg-dev file zsh fish mypy python3 python3-pytest python3-venv patchelf xvfb x11-xserver-utils fonts-dejavu-core"
full_packages="clang-tidy-19 libclang-19-dev llvm-19-dev libclang-rt-19-dev jupyter-nbconvert python3-ipykernel"
# Where npm is there some other way, Debian's package of it may conflict: NodeSource's package nodejs brings npm.
command -v npm >/dev/null || full_packages="$full_packages npm"

# Passes on what ninja and ctest print, but of their lines of progress only every tenth part, and of tests those that did not pass.
progress() {
  local line count total shown=0 LC_ALL=C  # names of tests are any bytes
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      :
    elif [[ $line =~ ^\ *([0-9]+)/([0-9]+)\ Test\ .*\ Passed\  ]]; then
      line="${BASH_REMATCH[1]}/${BASH_REMATCH[2]} tests"
    else
      [[ $line =~ ^\ +Start\ +[0-9]+: ]] || printf '%s\n' "$line"
      continue
    fi
    count=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if ((count * 10 / total > shown)); then
      shown=$((count * 10 / total))
      printf '%s\n' "$line"
    fi
  done
}

configure() { # configure PRESET [CMake arguments]: silent unless it fails
  cmake --preset "$@" >"configure-$1.log" 2>&1 || { cat "configure-$1.log"; die "Configuring '$1' failed; the lines above say what is missing."; }
  rm -f "configure-$1.log"
}

jobs=${RNNADVISOR_JOBS:-$(nproc)}
# Objects are shared between the presets: the same file compiled with the same flags is compiled once. The rest is what precompiled headers need.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$PWD" CCACHE_SLOPPINESS=pch_defines,time_macros
