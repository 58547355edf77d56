# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A process that has imported torch forks ranks, which then set their place, their folder and their arguments."""

import multiprocessing
import os
import socket
import sys

import torch
import torch.distributed as dist
from common import finish, start

WORLD_SIZE = 2


def work(rank: int, port: int) -> None:
    """Runs one rank, which has numbers on this host that differ from its ranks."""
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank + 4), "WORLD_SIZE": str(WORLD_SIZE)}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    if "COMMTAP_OUT" in os.environ:
        os.environ["COMMTAP_OUT"] += f"/of-{rank}"
    sys.argv = ["rank.py", "--number", str(rank)]
    start()
    dist.all_reduce(torch.ones(4))
    finish()


def main() -> None:
    context = multiprocessing.get_context(sys.argv[1])
    if sys.argv[1] == "forkserver":
        context.set_forkserver_preload(["torch"])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ranks = [context.Process(target=work, args=(rank, port)) for rank in range(WORLD_SIZE)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    print([rank.exitcode for rank in ranks], flush=True)


if __name__ == "__main__":
    main()
