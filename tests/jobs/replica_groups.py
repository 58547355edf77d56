# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two replica groups, as torchft runs them: by its environment each is a job of one rank, and a process group that is
made by hand, with a store of its own, joins them.
"""

import os
import socket
import subprocess
import sys
from datetime import timedelta

REPLICAS = 2
PATIENCE = timedelta(seconds=60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def launch() -> int:
    """Starts one rank of each replica group."""
    port = free_port()
    place = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1"}
    started = [
        subprocess.Popen(
            [sys.executable, __file__, str(replica), str(port)],
            env=os.environ | place | {"MASTER_PORT": str(free_port())},
        )
        for replica in range(REPLICAS)
    ]
    return max(process.wait() for process in started)


def train(replica: int, port: int) -> None:
    import torch
    import torch.distributed as dist

    store = dist.TCPStore("127.0.0.1", port, REPLICAS, is_master=replica == 0, timeout=PATIENCE)
    group = dist.ProcessGroup(store, replica, REPLICAS)
    backend = dist.ProcessGroupGloo(store, replica, REPLICAS, PATIENCE)
    backend.options.global_ranks_in_group = list(range(REPLICAS))
    backend.options.group_name = "quorum_0"
    kind = dist.ProcessGroup.BackendType.GLOO
    group._register_backend(torch.device("cpu"), kind, backend)
    group._set_default_backend(kind)
    for _ in range(3):
        gradient = torch.ones(16)
        group.allreduce([gradient], dist.AllreduceOptions()).wait()
    print(f"replica {replica} {gradient[0].item()}", flush=True)
    group.barrier(dist.BarrierOptions()).wait()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(launch())
    train(int(sys.argv[1]), int(sys.argv[2]))
