# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Several process groups: the default one, two with a description, and a mesh's dimensions."""

import oracle  # noqa: F401  (logs the calls if JOB_ORACLE is set)
import torch
import torch.distributed as dist
from common import finish, say, start
from torch.distributed.device_mesh import init_device_mesh


def main() -> None:
    rank = start()
    size = dist.get_world_size()
    everyone = dist.new_group(list(range(size)), group_desc="everyone")
    alone = [dist.new_group([i], group_desc=f"only_{i}") for i in range(size)]
    mesh = init_device_mesh("cpu", (1, size), mesh_dim_names=("dp", "tp"))
    value = torch.ones(4)
    dist.all_reduce(value)
    for _ in range(2):
        dist.all_reduce(value[:2], group=everyone)
    for _ in range(3):
        dist.all_reduce(value[:1], group=alone[rank])
    for _ in range(4):
        dist.all_reduce(value, group=mesh.get_group("tp"))
    dist.all_reduce(value, group=mesh.get_group("dp"))
    say(f"value {value.tolist()}")
    for group in (dist.group.WORLD, everyone, alone[rank], mesh.get_group("tp"), mesh.get_group("dp")):
        ranks = dist.get_process_group_ranks(group)
        print(f"rank {rank} group {group.group_name} {group.group_desc} {ranks}", flush=True)
    finish()


if __name__ == "__main__":
    main()
