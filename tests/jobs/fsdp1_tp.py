# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""FullyShardedDataParallel over tensor parallelism: the model and the mesh of fsdp2_tp.py."""

import argparse

import torch
import torch.distributed as dist
from common import finish, start
from models import ModelArgs, Transformer, TransformerBlock
from oracle import note_parameters
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from training import train_on_random_tokens


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seq-parallel", action="store_true")
    arguments = parser.parse_args()
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("dp", "tp"))
    args = ModelArgs(dropout_p=0.0, weight_tying=False)
    model = FullyShardedDataParallel(
        Transformer.parallelize(Transformer(args), mesh["tp"], arguments.seq_parallel),
        device_mesh=mesh["dp"],
        auto_wrap_policy=ModuleWrapPolicy({TransformerBlock}),
        use_orig_params=True,
        device_id=torch.device("cpu"),
    )
    note_parameters(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    torch.manual_seed(mesh["dp"].get_local_rank())
    train_on_random_tokens(model, args, optimizer)
    finish()


if __name__ == "__main__":
    main()
