#!/usr/bin/env bash
# Checks commtap on this machine's GPUs, with the torch of a Python:
#
#   PYTHON=python3.12 tests/gpu/run.sh            ends with "N passed, N failed"; gpu-results.json has all
#   PYTHON=python3.12 tests/gpu/run.sh --help     which parts, how long, where the results go
#   tests/gpu/run.sh --dry-run                    without a GPU: shows that the checks themselves work
#
# In the folder of `./dev gpu pack` it checks the wheel that is there. In a checkout it builds commtap into build-gpu
# (or BUILD_DIR), which needs a compiler, meson, ninja and the libraries of `./dev`. Or LIBRARY and COMMAND name an
# installed libcommtap.so and command line; docs/gpu.md says how to find them.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python=$(command -v "${PYTHON:-python3}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

from_wheel() { # wheel
  "$python" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' "$1" "$work/site"
  local lines
  mapfile -t lines < <(PYTHONPATH=$work/site "$python" -c '
from commtap.locations import command_path, library_path
print(library_path(), command_path(), sep="\n")')
  LIBRARY=${lines[0]} COMMAND=${lines[1]}
  chmod u+x "$COMMAND"
}

from_checkout() {
  local build_dir=${BUILD_DIR:-$root/build-gpu}
  if [ ! -e "$build_dir/build.ninja" ]; then
    meson setup "$build_dir" "$root" -Dpython="$python" >/dev/null
  fi
  ninja -C "$build_dir" --quiet shim/libcommtap.so tracker-library python-part tools/commtap
  LIBRARY=$(realpath "$build_dir/shim/libcommtap.so") COMMAND=$(realpath "$build_dir/tools/commtap")
}

wheels=("$root"/commtap-*.whl)
if [ -n "${LIBRARY:-}" ]; then
  COMMAND=${COMMAND:-$(command -v commtap)}
elif [ -e "${wheels[0]}" ]; then
  from_wheel "${wheels[0]}"
else
  from_checkout
fi
export LIBRARY COMMAND
"$python" "$root/tests/gpu/check.py" "$@"
