# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Installs missing packages on the machine and in .venv.

readonly PACKAGES=(g++ ccache ninja-build python3-dev python3-venv libspdlog-dev libfmt-dev nlohmann-json3-dev libcli11-dev doctest-dev
  libsimdjson-dev libtomlplusplus-dev libgloo-dev libcpp-httplib-dev zlib1g-dev libzstd-dev)
readonly TEST_PACKAGES=(gdb git libc6-i386 libfaketime libjemalloc2 libtcmalloc-minimal4 musl-tools strace zstd debootstrap
  default-jre-headless iproute2 curl)
readonly WHEEL_PACKAGES=(dpkg-dev binutils)
readonly HEADERS=(spdlog/spdlog.h fmt/core.h nlohmann/json.hpp CLI/CLI.hpp doctest/doctest.h
  simdjson.h toml++/toml.h gloo/algorithm.h httplib.h zlib.h zstd.h)

has_system_packages() {
  command -v g++ >/dev/null && command -v ccache >/dev/null && python3 -c 'import ensurepip, venv' 2>/dev/null || return 1
  local header
  for header in "${HEADERS[@]}"; do
    [ -e "/usr/include/$header" ] || return 1
  done
}

as_root() { # command ...
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

has_wheel_packages() {
  command -v dpkg-source >/dev/null && command -v readelf >/dev/null
}

update_package_lists() {
  as_root apt-get update -qq || die "may not update the package lists; please run: sudo apt-get update"
}

install_system_packages() { # package ...
  command -v apt-get >/dev/null || die "needs the packages $* (Debian's names): please install them"
  as_root true 2>/dev/null || die "may not install packages; please run: sudo apt-get install $*"
  say "installing system packages: $*"
  update_package_lists
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

# Returns true if the Python $1 has a torch that this checkout supports. .venv then uses that torch.
has_supported_torch() {
  "$1" -c 'import torch, sys; sys.exit(not torch.__version__.startswith("2.13."))' 2>/dev/null
}

# Installs the browser for the tests of the HTML report.
need_chromium() {
  command -v chromium >/dev/null || command -v google-chrome >/dev/null || install_system_packages chromium
}

# Installs the tools with which the benchmark counts instructions and takes samples.
need_profilers() {
  if [ -e /usr/include/valgrind/callgrind.h ] && command -v perf >/dev/null; then return; fi
  install_system_packages valgrind linux-perf
}

# Installs clang, which includes libFuzzer.
need_clang() {
  [ -e "$(clang++-14 -print-runtime-dir 2>/dev/null)/libclang_rt.fuzzer-$(uname -m).a" ] ||
    install_system_packages clang-14 libclang-rt-14-dev
}

make_environment() {
  local options=()
  [ -x "$VENV/bin/python" ] && return
  if has_supported_torch python3; then options=(--system-site-packages); fi
  say "making .venv ${options[*]}"
  python3 -m venv "${options[@]}" "$VENV"
}

# Installs layers of Python packages into .venv: the files of .dev/requirements, by name. A command installs what it
# needs, so that a first build does not wait for what only a long test uses.
need_python() { # layer ...
  local layer file
  for layer in "$@"; do
    file=.dev/requirements/$layer.txt
    cmp -s "$file" "$VENV/.requirements-$layer" && continue
    make_environment
    say "installing $file into .venv"
    "$VENV/bin/pip" install -q --disable-pip-version-check -r "$file" 2> >(grep -v '^WARNING: ' >&2)
    cp "$file" "$VENV/.requirements-$layer"
  done
}

# Extracts the programs from Debian's package without installing it: an installation can start a Prometheus server and
# its dependency, a node exporter.
fetch_prometheus() {
  if command -v prometheus >/dev/null && command -v promtool >/dev/null; then return; fi
  command -v apt-get >/dev/null || die "needs prometheus and promtool: please put them on the PATH"
  local folder
  folder=$(mktemp -d)
  chmod 755 "$folder"
  say "fetching prometheus and promtool into .venv/bin"
  apt-cache show prometheus >/dev/null 2>&1 || update_package_lists
  if (cd "$folder" && apt-get download -qq prometheus >/dev/null 2>"$folder/log"); then
    dpkg-deb -x "$folder"/prometheus_*.deb "$folder"
    cp "$folder"/usr/bin/prometheus "$folder"/usr/bin/promtool "$VENV/bin/"
  else
    cat "$folder/log" >&2
    die "cannot fetch the package prometheus: please put prometheus and promtool on the PATH"
  fi
  rm -rf "$folder"
}

# On systems other than Debian, tests whose programs are missing are skipped with a message.
has_test_packages() {
  if command -v dpkg >/dev/null; then dpkg -s "${TEST_PACKAGES[@]}" >/dev/null 2>&1; else command -v strace >/dev/null; fi
}

set_up_tests() {
  need_python tests
  has_test_packages || install_system_packages "${TEST_PACKAGES[@]}"
  fetch_prometheus
}

# ccache caches precompiled headers only with these settings. A developer's own settings take precedence.
use_ccache() {
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}
}

# Sets up what builds commtap and runs it, and further layers of Python packages.
set_up() { # layer ...
  has_system_packages || install_system_packages "${PACKAGES[@]}"
  need_python run "$@"
  export PATH=$VENV/bin:$PATH
  use_ccache
}
