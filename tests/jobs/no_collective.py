# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Training without any process group; with --group, with a group that is never used."""

import argparse

import torch
import torch.distributed as dist
from models import MLPModule


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--group", action="store_true")
    if parser.parse_args().group:
        dist.init_process_group("gloo")
    model = MLPModule()
    loss = model(torch.ones(8, 10)).sum()
    loss.backward()
    print(f"loss {loss.item()!r}", flush=True)
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
