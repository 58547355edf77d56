# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch.multiprocessing.spawn: one command, one process per rank, and no RANK in their environment."""

import argparse
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WORLD_SIZE = 2


def work(rank: int, port: int) -> None:
    """Runs one rank."""
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=WORLD_SIZE)
    value = torch.ones(4) * (rank + 1)
    for _ in range(3):
        dist.all_reduce(value)
    if rank == 0:
        print(f"value {value.tolist()}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--method", choices=("spawn", "fork"), default="spawn")
    arguments = parser.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    if arguments.method == "spawn":
        mp.spawn(work, args=(port,), nprocs=WORLD_SIZE)
    else:
        mp.start_processes(work, args=(port,), nprocs=WORLD_SIZE, start_method="fork")
    print("done", flush=True)


if __name__ == "__main__":
    main()
