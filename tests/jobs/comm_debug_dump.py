# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One step of a tensor-parallel MLP under CommDebugMode, which writes its own JSON to comm_debug.<rank>.json."""

import torch
import torch.distributed as dist
from common import finish, start
from models import MLP_PLAN, MLPModule
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import parallelize_module


def main() -> None:
    rank = start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = parallelize_module(MLPModule(), mesh, MLP_PLAN)
    mode = CommDebugMode()
    with mode:
        model(torch.rand(8, 10)).sum().backward()
    mode.generate_json_dump(file_name=f"comm_debug.{rank}.json", noise_level=1)
    finish()


if __name__ == "__main__":
    main()
