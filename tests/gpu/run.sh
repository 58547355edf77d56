#!/usr/bin/env bash
# Runs the checks that need a GPU: builds commtap for this Python's torch and uses NCCL on all GPUs.
#
#   PYTHON=python3.12 tests/gpu/run.sh        ends with "N passed, N failed"; docs/gpu.md records the output
#
# Needs no network if a compiler, meson, ninja and the libraries of `./dev` are installed. BUILD_DIR: the build folder.
# LIBRARY: an installed libcommtap.so to check instead of building one; docs/gpu.md says how to find it.
# ROUNDS: how often each mode's host time is taken, 5 by default.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=$(command -v "${PYTHON:-python3}")

"$python" - <<'END'
import torch

print(f"torch {torch.__version__}, NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}")
for gpu in range(torch.cuda.device_count()):
    print(f"GPU {gpu}: {torch.cuda.get_device_name(gpu)}")
END

if [ -z "${LIBRARY:-}" ]; then
  build_dir=${BUILD_DIR:-build-gpu}
  if [ ! -e "$build_dir/build.ninja" ]; then
    meson setup "$build_dir" -Dpython="$python" >/dev/null
  fi
  ninja -C "$build_dir" --quiet
  LIBRARY=$(realpath "$build_dir/shim/libcommtap.so")
fi
export LIBRARY
exec "$python" tests/gpu/check.py
