#!/usr/bin/env bash
# Runs the checks that need a GPU: builds commtap for this Python's torch and uses NCCL on all GPUs.
#
#   PYTHON=python3.12 tests/gpu/run.sh        ends with "N passed, N failed"; docs/gpu.md records the output
#
# Needs no network if a compiler, meson, ninja and the libraries of `./dev` are installed. BUILD_DIR: the build folder.
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
