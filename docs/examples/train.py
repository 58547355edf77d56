# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trains a small Transformer with FSDP2 over tensor parallelism, on four CPU ranks. Knows nothing of commtap.

commtap run --out out -- torchrun --nproc-per-node 4 docs/examples/train.py
"""

import argparse
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "jobs"))
from models import ModelArgs, Transformer

SIZES = ModelArgs(n_layers=4, vocab_size=512, max_seq_len=64, dim=256, dropout_p=0.0, weight_tying=False)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--keep-gathered", action="store_true", help="keep parameters gathered between the passes")
    arguments = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    mesh = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("dp", "tp"))
    model = Transformer.parallelize(Transformer(SIZES), mesh["tp"], use_seq_parallel=False)
    for block in model.layers:
        fully_shard(block, mesh=mesh["dp"], reshard_after_forward=not arguments.keep_gathered)
    fully_shard(model, mesh=mesh["dp"])
    optimizer = torch.optim.AdamW(model.parameters())
    torch.manual_seed(mesh["dp"].get_local_rank())
    for _ in range(arguments.steps):
        tokens = torch.randint(0, SIZES.vocab_size, (2, SIZES.max_seq_len))
        loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.roll(-1, dims=1).flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    if dist.get_rank() == 0:
        print(f"loss {loss.item():.3f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
