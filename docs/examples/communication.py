# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the collectives of a tensor-parallel model, at every noise level. One process acts as one rank of four.

PYTHONPATH=tracker/python python docs/examples/communication.py mlp --noise-level 1
"""

import argparse
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from commtap import CommDebugMode
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module
from torch.testing._internal.distributed.fake_pg import FakeStore

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "jobs"))
from models import MLP_PLAN, MLPModule, MLPStacked, ModelArgs, Transformer, parallelize_stacked


def make(name: str, mesh: DeviceMesh) -> tuple[torch.nn.Module, torch.Tensor]:
    """Returns a parallel model and its batch."""
    if name == "mlp":
        return parallelize_module(MLPModule(), mesh, MLP_PLAN), torch.rand(8, 10)
    if name == "stacked":
        return parallelize_stacked(MLPStacked(), mesh), torch.rand(8, 10)
    model = Transformer(ModelArgs(n_layers=1, dropout_p=0.0, checkpoint_activations=name == "checkpointed"))
    return Transformer.parallelize(model, mesh, use_seq_parallel=True), torch.zeros(8, 8, dtype=torch.int64)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=("mlp", "stacked", "transformer", "checkpointed"))
    parser.add_argument("--noise-level", type=int, default=0, choices=range(4))
    parser.add_argument("--placements", action="store_true", help="print placements instead of the table")
    parser.add_argument("--json", help="a file for the browser page")
    arguments = parser.parse_args()
    dist.init_process_group("fake", rank=0, world_size=4, store=FakeStore())
    model, batch = make(arguments.model, init_device_mesh("cpu", (4,), mesh_dim_names=("tp",)))
    comm_mode = CommDebugMode()
    with comm_mode:
        model(batch).sum().backward()
    if arguments.json:
        comm_mode.generate_json_dump(arguments.json, noise_level=arguments.noise_level)
    if arguments.placements:
        comm_mode.print_sharding_info()
    else:
        print(comm_mode.generate_comm_debug_tracing_table(noise_level=arguments.noise_level), end="")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
