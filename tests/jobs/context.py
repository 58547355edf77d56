# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A script that uses PyTorch's or commtap's CommDebugMode by its import only; each rank writes the results."""

import argparse
import json

import torch
import torch.distributed as dist
from common import finish, start
from models import MLP_PLAN, MLPModule, ModelArgs, Transformer
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--own", action="store_true", help="PyTorch's own")
    parser.add_argument("--model", choices=("mlp", "transformer"), default="mlp")
    parser.add_argument("--steps", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.own:
        from torch.distributed.tensor.debug import CommDebugMode
    else:
        from commtap import CommDebugMode
    rank = start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    if arguments.model == "mlp":
        model = parallelize_module(MLPModule(), mesh, dict(MLP_PLAN))
        batch = torch.rand(8, 10)
    else:
        model = Transformer.parallelize(Transformer(ModelArgs(dropout_p=0.0)), mesh, use_seq_parallel=False)
        batch = torch.zeros(8, 8, dtype=torch.int64)
    mode = CommDebugMode()
    with mode:
        for _ in range(arguments.steps):
            model(batch).sum().backward()
    counts = {str(op): count for op, count in mode.get_comm_counts().items()}
    with open(f"counts.{rank}", "w", encoding="utf-8") as file:
        json.dump({"total": mode.get_total_counts(), "counts": counts}, file)
    for level in range(4):
        mode.generate_json_dump(f"dump.{rank}.{level}", noise_level=level)
        mode.log_comm_debug_tracing_table_to_file(f"table.{rank}.{level}", noise_level=level)
    finish()


if __name__ == "__main__":
    main()
