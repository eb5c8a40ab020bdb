# Shared by setup.sh and test.sh: headings with elapsed time, and packages.
start_seconds=$SECONDS
say() { printf '\n\033[1m== [%3dm%02ds] %s\033[0m\n' $(((SECONDS - start_seconds) / 60)) $(((SECONDS - start_seconds) % 60)) "$*"; }
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

build_packages="g++ cmake ninja-build ccache mold libfmt-dev libexpected-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libsqlite3-dev ca-certificates"
test_packages="libgtest-dev libgmock-dev libbenchmark-dev libvalijson-dev chromium libxml2-utils mandoc sqlite3 dpkg-dev file zsh fish"
full_packages="clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev"

jobs=${RNNADVISOR_JOBS:-$(nproc)}
# Objects are shared between the presets: the same file compiled with the same flags is compiled once.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$PWD"
