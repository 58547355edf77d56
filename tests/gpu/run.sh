#!/usr/bin/env bash
# The checks that need a GPU: commtap built for the torch of this machine's Python, over NCCL on all of its GPUs.
#
#   PYTHON=python3.12 tests/gpu/run.sh        ends with "N passed, N failed"; docs/gpu.md keeps what it prints
#
# Needs no network where a compiler, meson, ninja and the libraries of `./dev` are there. BUILD_DIR: where it builds.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=$(command -v "${PYTHON:-python3}")
export BUILD_DIR=${BUILD_DIR:-build-gpu}

"$python" - <<'END'
import torch

print(f"torch {torch.__version__}, NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}")
for gpu in range(torch.cuda.device_count()):
    print(f"GPU {gpu}: {torch.cuda.get_device_name(gpu)}")
END

if [ ! -e "$BUILD_DIR/build.ninja" ]; then
  meson setup "$BUILD_DIR" -Dpython="$python" >/dev/null
fi
ninja -C "$BUILD_DIR" --quiet
exec "$python" tests/gpu/check.py
