# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every API for a collective, called outside any module."""

import argparse
from collections.abc import Callable

import oracle  # noqa: F401  (logs the calls if JOB_ORACLE is set)
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from common import finish, say, start
from torch.distributed.distributed_c10d import _coalescing_manager


def reductions(rank: int, size: int) -> list[torch.Tensor]:
    """all_reduce, reduce, and the three forms of reduce_scatter."""
    summed = torch.arange(6.0) * (rank + 1)
    dist.all_reduce(summed)
    largest = torch.full((3,), rank, dtype=torch.int64)
    dist.all_reduce(largest, op=dist.ReduceOp.MAX, async_op=True).wait()
    rooted = torch.ones(5, dtype=torch.float64)
    dist.reduce(rooted, dst=0)
    scattered = torch.zeros(2)
    dist.reduce_scatter(scattered, [torch.full((2,), float(rank + i)) for i in range(size)])
    block = torch.zeros(3)
    dist.reduce_scatter_tensor(block, torch.arange(3.0 * size))
    return [summed, largest, rooted if rank == 0 else torch.zeros(5), scattered, block]


def gathers(rank: int, size: int) -> list[torch.Tensor]:
    """all_gather in both forms, gather, scatter, broadcast."""
    mine = torch.full((4,), float(rank), dtype=torch.bfloat16)
    pieces = [torch.zeros(4, dtype=torch.bfloat16) for _ in range(size)]
    dist.all_gather(pieces, mine)
    whole = torch.zeros(2 * size)
    dist.all_gather_into_tensor(whole, torch.full((2,), float(rank)))
    gathered = [torch.zeros(3) for _ in range(size)] if rank == 0 else None
    dist.gather(torch.full((3,), float(rank)), gathered, dst=0)
    part = torch.zeros(7)
    dist.scatter(part, [torch.full((7,), float(i)) for i in range(size)] if rank == 0 else None, src=0)
    shared = torch.full((9,), rank, dtype=torch.uint8)
    dist.broadcast(shared, src=1)
    return [*pieces, whole, part, shared]


def exchanges(rank: int, size: int) -> list[torch.Tensor]:
    """all_to_all with equal and unequal splits; send and recv, blocking, non-blocking and batched."""
    equal = torch.zeros(2 * size)
    dist.all_to_all_single(equal, torch.arange(2.0 * size) + 10 * rank)
    # Rank r sends r + 1 elements to everyone.
    unequal = torch.zeros(sum(i + 1 for i in range(size)))
    dist.all_to_all_single(
        unequal,
        torch.full(((rank + 1) * size,), float(rank)),
        output_split_sizes=[i + 1 for i in range(size)],
        input_split_sizes=[rank + 1] * size,
    )
    received = torch.zeros(5)
    if rank == 0:
        dist.send(torch.arange(5.0), dst=1)
        dist.isend(torch.arange(4, dtype=torch.int32), dst=1, tag=3).wait()
    elif rank == 1:
        dist.recv(received, src=0)
        dist.irecv(torch.zeros(4, dtype=torch.int32), src=0, tag=3).wait()
    ring = torch.zeros(6)
    operations = [
        dist.P2POp(dist.isend, torch.full((6,), float(rank)), (rank + 1) % size),
        dist.P2POp(dist.irecv, ring, (rank - 1) % size),
    ]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    lists = [torch.zeros(3) for _ in range(size)]
    if not torch.__version__.startswith("2.11."):  # its Gloo cannot exchange lists
        dist.all_to_all(lists, [torch.full((3,), float(10 * rank + i)) for i in range(size)])
    anyone = torch.zeros(8)
    if rank == 0:
        dist.send(torch.arange(8.0), dst=1)
    elif rank == 1:
        dist.recv(anyone)
    return [equal, unequal, received, ring, *lists, anyone]


def objects(rank: int, size: int) -> list[torch.Tensor]:
    """Python objects, pickled: collectives exchange their sizes first, then their bytes."""
    everyone: list = [None] * size
    dist.all_gather_object(everyone, {"rank": rank})
    from_zero = ["hello" if rank == 0 else None]
    dist.broadcast_object_list(from_zero, src=0)
    gathered: list | None = [None] * size if rank == 0 else None
    dist.gather_object(("from", rank), gathered, dst=0)
    mine: list = [None]
    dist.scatter_object_list(mine, list(range(size)) if rank == 0 else None, src=0)
    say(f"objects {everyone} {from_zero} {gathered} {mine}")
    return []


def coalesced(rank: int, size: int) -> list[torch.Tensor]:
    """Several tensors in one call."""
    first, second = torch.ones(3), torch.full((5,), float(rank))
    dist.all_reduce_coalesced([first, second])
    lists = [[torch.zeros(2), torch.zeros(4)] for _ in range(size)]
    dist.all_gather_coalesced(lists, [torch.full((2,), float(rank)), torch.ones(4)])
    # The manager makes one call of the block's collectives at its end.
    with _coalescing_manager():
        dist.all_reduce(first)
        dist.all_reduce(second)
    return [first, second, *lists[0], *lists[-1]]


def functional(rank: int, size: int) -> list[torch.Tensor]:
    """The functional collectives, which torch.compile and DTensor use."""
    group = dist.group.WORLD
    x = torch.arange(4.0) + rank
    results = [
        funcol.all_reduce(x, "sum", group),
        funcol.all_gather_tensor(x, 0, group),
        funcol.reduce_scatter_tensor(x, "sum", 0, group),
        funcol.all_to_all_single(x, None, None, group),
        funcol.broadcast(x, 0, group),
        *funcol.all_reduce_coalesced([x, x[:2]], "max", group),
        *funcol.all_gather_into_tensor_coalesced([x, x[:2]], group),
        *funcol.reduce_scatter_tensor_coalesced([x, x[:2]], "sum", [0, 0], group),
    ]
    return [result + 0 for result in results]


def barriers(_rank: int, _size: int) -> list[torch.Tensor]:
    """Both barriers."""
    dist.barrier()
    dist.monitored_barrier()
    return []


PARTS: dict[str, Callable[[int, int], list[torch.Tensor]]] = {
    part.__name__: part for part in (reductions, gathers, exchanges, objects, coalesced, functional, barriers)
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    arguments = parser.parse_args()
    rank = start()
    for name in arguments.parts:
        results = PARTS[name](rank, dist.get_world_size())
        say(f"{name} {[result.tolist() for result in results]}")
    finish()


if __name__ == "__main__":
    main()
