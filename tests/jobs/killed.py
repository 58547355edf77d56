# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job that is killed in the middle of a step.

Every rank appends a line to the file <log>.<rank> before each collective: its report must hold these lines. In the
step --stop it waits for a message that is never sent.
"""

import argparse

import torch
import torch.distributed as dist
from common import start
from models import MLP_PLAN, MLPModule
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("--stop", type=int, default=3)
    arguments = parser.parse_args()
    rank = start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = parallelize_module(MLPModule(), mesh, MLP_PLAN)
    with open(f"{arguments.log}.{rank}", "w", encoding="utf-8") as log:
        for step in range(arguments.stop + 1):
            print("MLPModule.net2 forward all_reduce 320", file=log, flush=True)
            loss = model(torch.ones(8, 10)).square().mean()
            loss.backward()
            mean = loss.detach().clone()
            print("Global other all_reduce 4", file=log, flush=True)
            dist.all_reduce(mean)
            if step == arguments.stop:
                # No module has taken or given a message, so nothing shows that this one is for the model.
                print("Global other recv 28", file=log, flush=True)
                dist.recv(torch.zeros(7), src=1 - rank)


if __name__ == "__main__":
    main()
