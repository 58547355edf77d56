# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes and destroys all process groups four times, as test suites and notebooks do.

Some ranks keep the old objects alive, so that a new group has the address of an old one on the other ranks only.
"""

import os
import sys
import tempfile

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

TURNS = 4
KEEPERS = {"none": (), "one": (1,), "all": (0, 1, 2)}


def main() -> None:
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    kept = []
    for turn in range(TURNS):
        store = f"file://{tempfile.gettempdir()}/groups-again-{os.environ['MASTER_PORT']}-{turn}"
        dist.init_process_group("gloo", init_method=store, rank=rank, world_size=size)
        pair = [0, 1 + turn % 2]
        two = dist.new_group(pair)
        mesh = init_device_mesh("cpu", (size,), mesh_dim_names=("dp",))
        extra = dist.new_group(list(range(size)), group_desc="extra")
        for call in range(turn + 1):
            if turn % 2:
                dist.all_gather([torch.empty(4) for _ in range(size)], torch.ones(4))
            else:
                dist.all_reduce(torch.ones(8))
            dist.all_reduce(torch.ones(2), group=extra)
            if rank in pair:
                dist.broadcast(torch.ones(2 + call), 0, group=two)
        dist.all_reduce(torch.ones(16 + turn), group=mesh.get_group("dp"))
        if rank in KEEPERS[sys.argv[1]]:
            kept.append((dist.group.WORLD, two, mesh, extra))
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
