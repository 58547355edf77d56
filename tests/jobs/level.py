# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tensor parallelism of an MLP under torch.profiler, which prints its count of each op, for COMMTAP_LEVEL."""

import json

import torch
import torch.distributed as dist
from common import finish, start
from models import MLP_PLAN, MLPModule
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module

STEPS = 3


def main() -> None:
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = parallelize_module(MLPModule(), mesh, MLP_PLAN)
    batch = torch.rand(8, 10)
    model(batch).sum().backward()  # the first step also traces each op on fake tensors for DTensor's sharding
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        for _ in range(STEPS):
            model(batch).sum().backward()
    with torch._subclasses.fake_tensor.FakeTensorMode():  # computes nothing, so nothing must count
        MLPModule()(torch.rand(8, 10))
    if dist.get_rank() == 0:
        print(
            json.dumps({event.key: event.count for event in profile.key_averages() if event.key.startswith("aten::")})
        )
    finish()


if __name__ == "__main__":
    main()
