# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Packs the checks for a machine with a GPU, and writes down what they found.

gpu() { # pack [arguments of pack.py] | docs RESULTS
  local what=${1:-} dist=$BUILD/gpu/dist
  [ $# -gt 0 ] && shift
  case $what in
    pack)
      if [[ " $* " != *" --wheel"* && " $* " != *" --help "* ]]; then
        say "making the wheel"
        wheel --dest "$dist" >/dev/null
        set -- --wheel "$dist"/commtap-*.whl "$@"
      fi
      set_up tests
      python .dev/gpu/pack.py "$@"
      ;;
    docs)
      set_up tests
      python .dev/gpu/results.py "$@"
      ;;
    *) usage >&2; exit 2 ;;
  esac
}
