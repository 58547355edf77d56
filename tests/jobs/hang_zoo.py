# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that hang or go wrong, one per function; the argument names it. docs/design/hangs.md has the verdicts.

A rank that gets an error from Gloo stays, as a rank on NCCL would: NCCL waits where Gloo notices.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

#: Steps that all ranks make alike before one of them does otherwise.
STEPS = 4
FOREVER_S = 600
#: How long the ranks of long_end need to end.
SAVING_S = 8


def at_work() -> None:
    """Says that what follows is what the job is for."""
    print("at work", flush=True)


def stay(error: Exception | None = None) -> None:
    """Never returns."""
    print("stays", error or "", file=sys.stderr, flush=True)
    time.sleep(FOREVER_S)
    sys.exit("stayed too long")


@contextlib.contextmanager
def watched(before_s: float = 0) -> Iterator[None]:
    """Stays after an error, and aborts after WATCHDOG_S of the environment, as NCCL's watchdog does.

    `before_s` is for what comes before the collective.
    """
    watchdog = threading.Timer(before_s + float(os.environ.get("WATCHDOG_S", FOREVER_S)), os.abort)
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    except RuntimeError as error:
        stay(error)
    watchdog.cancel()


def wait(work: Any) -> None:
    """Waits for a collective, also for one that another rank has made impossible."""
    with watched():
        work.wait()


class Block(nn.Module):
    """A layer that communicates in its forward. Each has a payload of its own."""

    def __init__(self, size: int, kind: str = "all_reduce", group: Any = None) -> None:
        super().__init__()
        self.size = size
        self.kind = kind
        self.group = group
        self.dtype = torch.float32
        self.reduce_op = dist.ReduceOp.SUM
        self.root = 0

    def forward(self) -> None:
        x = torch.ones(self.size, dtype=self.dtype)
        if self.kind == "all_reduce":
            wait(dist.all_reduce(x, op=self.reduce_op, group=self.group, async_op=True))
        elif self.kind == "broadcast":
            wait(dist.broadcast(x, self.root, group=self.group, async_op=True))
        else:
            parts = [torch.empty_like(x) for _ in range(dist.get_world_size(self.group))]
            wait(dist.all_gather(parts, x, group=self.group, async_op=True))


class Net(nn.Module):
    """Three layers: two all_reduces and, between them, an all_gather."""

    def __init__(self) -> None:
        super().__init__()
        self.a = Block(4)
        self.b = Block(8, "all_gather")
        self.c = Block(16)

    def forward(self, left_out: str = "", twice: str = "", order: str = "abc") -> None:
        for name in order:
            for _ in range(0 if name == left_out else 2 if name == twice else 1):
                getattr(self, name)()


def barrier() -> None:
    wait(dist.barrier(async_op=True))


def trained() -> Net:
    """Returns a model after some steps that all ranks made alike."""
    net = Net()
    for _ in range(STEPS):
        net()
    at_work()
    return net


def skip(rank: int) -> None:
    """Rank 1 leaves out a layer."""
    net = trained()
    net(left_out="b" if rank == 1 else "")
    net()
    stay()


def extra(rank: int) -> None:
    """Rank 1 runs a layer twice."""
    net = trained()
    net(twice="b" if rank == 1 else "")
    net()
    stay()


def order(rank: int) -> None:
    """Rank 1 runs two layers in another order."""
    trained()(order="bac" if rank == 1 else "abc")
    stay()


def data_branch(rank: int) -> None:
    """The data of rank 1 takes another branch of the model: its first layer is left out."""
    trained()(order="bc" if rank == 1 else "abc")
    stay()


def size(rank: int) -> None:
    """Rank 1 has a larger tensor."""
    net = trained()
    net.c.size = 32 if rank == 1 else 16
    net()
    stay()


def dtype(rank: int) -> None:
    """Rank 1 has integers."""
    net = trained()
    net.c.dtype = torch.int32 if rank == 1 else torch.float32
    net()
    stay()


def reduce_op(rank: int) -> None:
    """Rank 1 takes the maximum where the others take the sum: nothing hangs."""
    net = trained()
    net.c.reduce_op = dist.ReduceOp.MAX if rank == 1 else dist.ReduceOp.SUM
    for _ in range(FOREVER_S):
        net()
        time.sleep(0.2)


def root(rank: int) -> None:
    """Rank 1 broadcasts from itself, the others expect rank 0."""
    trained()
    block = Block(64, "broadcast")
    block.root = 1 if rank == 1 else 0
    block()
    stay()


def own_root(rank: int) -> None:
    """Rank 1 broadcasts from itself in the last of several equal broadcasts."""
    block = Block(64, "broadcast")
    at_work()
    for step in range(STEPS):
        block.root = 1 if rank == 1 and step == STEPS - 1 else 0
        block()
    barrier()
    stay()


def short_batch(rank: int) -> None:
    """The last batch of rank 1 has fewer rows than those before."""
    block = Block(8, "all_gather")
    at_work()
    for step in range(STEPS):
        block.size = 6 if rank == 1 and step == STEPS - 1 else 8
        block()
    barrier()
    stay()


def gather_on_main(rank: int) -> None:
    """Rank 0 alone gathers objects between two steps."""
    model = DistributedDataParallel(nn.Linear(4, 4))
    for _ in range(STEPS):
        model(torch.rand(2, 4)).sum().backward()
    at_work()
    with watched():
        if rank == 0:
            dist.gather_object({"loss": 1}, [None] * dist.get_world_size())
        model(torch.rand(2, 4)).sum().backward()
    stay()


class Layered(nn.Module):
    """Equal layers, each of which gathers its parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Block(8, "all_gather") for _ in range(4))

    def forward(self, left_out: int = -1) -> None:
        for i, layer in enumerate(self.layers):
            if i != left_out:
                layer()


def layer_left_out(rank: int) -> None:
    """Rank 1 leaves out a layer that is equal to the next ones, and differs at the end only."""
    model = Layered()
    at_work()
    for step in range(STEPS):
        model(left_out=1 if rank == 1 and step == 2 else -1)
    barrier()
    stay()


def early_exit(rank: int) -> None:
    """Rank 1 ends after its steps; the others make one more."""
    net = trained()
    if rank == 1:
        os._exit(0)
    net()
    stay()


def exception(rank: int) -> None:
    """Rank 1 raises an exception in its forward."""
    net = trained()
    if rank == 1:
        raise ValueError("a bad sample")
    net()
    stay()


def killed(rank: int) -> None:
    """Rank 1 is killed, as the kernel kills what takes too much memory."""
    net = trained()
    if rank == 1:
        os.system(f"kill -9 {os.getpid()}")  # from outside: the process cannot note its end
    net()
    stay()


def stopped(rank: int) -> None:
    """Rank 1 is stopped."""
    net = trained()
    if rank == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    net()
    stay()


def uneven(rank: int) -> None:
    """Rank 1 has a batch less than the others, and waits for them at the end."""
    net = trained()
    if rank != 1:
        net()
    barrier()
    stay()


def evaluation(rank: int) -> None:
    """Rank 0 alone evaluates a model whose layers communicate."""
    net = trained()
    if rank == 0:
        net()
    barrier()
    stay()


class Pair(nn.Module):
    """Two layers, each with a group of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.first = Block(4, group=dist.new_group([0, 1], group_desc="first"))
        self.second = Block(8, group=dist.new_group([0, 1], group_desc="second"))

    def forward(self, order: tuple[str, str]) -> None:
        for name in order:
            getattr(self, name)()


def two_groups(rank: int) -> None:
    """Two ranks use two groups in another order."""
    at_work()
    Pair()(("first", "second") if rank == 0 else ("second", "first"))
    stay()


def three_groups(rank: int) -> None:
    """Three ranks wait for each other in a ring of groups of two."""
    pairs = [(0, 1), (1, 2), (0, 2)]
    groups = {pair: dist.new_group(list(pair), group_desc=f"pair{pair[0]}{pair[1]}") for pair in pairs}
    at_work()
    first = {0: (0, 1), 1: (1, 2), 2: (0, 2)}[rank]
    Block(4, group=groups[first])()
    stay()


def wrong_group(rank: int) -> None:
    """Rank 2 reduces over its node instead of over all."""
    net = trained()
    node = dist.new_group([2, 3], group_desc="node")
    if rank == 2:
        net.a.group = node
    net.a()
    stay()


def subset_barrier(rank: int) -> None:
    """Rank 0 waits for the others at a barrier that they do not have."""
    net = trained()
    if rank == 0:
        barrier()
    net()
    stay()


def micro_batch(rank: int) -> None:
    """The second stage of a pipeline expects a micro-batch more than the first one sends."""
    at_work()
    batches = 4
    for i in range(batches):
        if rank == 0 and i < batches - 1:
            wait(dist.isend(torch.ones(4), 1))
        elif rank == 1:
            wait(dist.irecv(torch.ones(4), 0))
    barrier()
    stay()


def replica_left_out(rank: int) -> None:
    """Ranks 2 and 3, a replica, leave out the reduction of gradients in one step, and wait at the end."""
    pairs = {
        name: dist.new_group(list(map(int, name[-2:])), group_desc=name) for name in ("tp01", "tp23", "dp02", "dp13")
    }
    attention = Block(4, group=pairs["tp01" if rank < 2 else "tp23"])
    gradients = Block(99, group=pairs["dp02" if rank % 2 == 0 else "dp13"])
    net = nn.ModuleDict({"attention": attention, "gradients": gradients})
    at_work()
    for step in range(2 * STEPS):
        net["attention"]()
        if rank < 2 or step != STEPS:
            net["gradients"]()
    barrier()
    stay()


def evaluation_break(rank: int) -> None:
    """The last stage of a pipeline leaves the evaluation a batch before the others."""

    def batch() -> None:
        x = torch.ones(1 << 20)
        if rank > 0:
            wait(dist.irecv(x, rank - 1))
        if rank < 2:
            wait(dist.isend(x, rank + 1))

    for _ in range(STEPS):
        batch()
    barrier()
    at_work()
    for _ in range(STEPS - 1 if rank == 2 else STEPS):
        batch()
    barrier()
    stay()


def both_receive(rank: int) -> None:
    """Two ranks receive from each other before they send."""
    at_work()
    peer = 1 - rank
    wait(dist.irecv(torch.ones(4), peer))
    wait(dist.isend(torch.ones(4), peer))
    stay()


def wrong_peer(rank: int) -> None:
    """Rank 0 sends to rank 2 what rank 1 waits for, and rank 2 does not want."""
    at_work()
    if rank == 0:
        wait(dist.isend(torch.ones(4), 2))
    elif rank == 1:
        wait(dist.irecv(torch.ones(4), 0))
    barrier()
    stay()


def message_size(rank: int) -> None:
    """A send and its receive have other sizes."""
    at_work()
    if rank == 0:
        wait(dist.isend(torch.ones(4), 1))
    else:
        wait(dist.irecv(torch.ones(8), 0))
    barrier()
    stay()


class StuckData(torch.utils.data.Dataset):
    """Samples, one of which rank 1 reads from a pipe into which nothing is written."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.path = f"samples.{rank}"

    def __len__(self) -> int:
        return STEPS + 2

    def __getitem__(self, index: int) -> torch.Tensor:
        if self.rank == 1 and index == STEPS:
            os.mkfifo(self.path)
            with open(self.path, "rb") as pipe:
                pipe.read()
        return torch.ones(4)


def data_loader(rank: int) -> None:
    """A worker of rank 1's data loader waits for storage."""
    at_work()
    net = Net()
    for _ in torch.utils.data.DataLoader(StuckData(rank), num_workers=1):
        net()
    stay()


def checkpoint(rank: int) -> None:
    """Rank 0 writes a checkpoint to storage that does not take it; the others wait at a barrier."""
    trained()
    if rank == 0:
        os.mkfifo("checkpoint")
        with open("checkpoint", "wb") as file:  # waits until another process reads
            torch.save(torch.ones(4), file)
    barrier()
    stay()


def lock(rank: int) -> None:
    """A thread of rank 1 waits for a lock that is never released."""
    net = trained()
    if rank == 1:
        held = threading.Lock()
        held.acquire()
        held.acquire()
    net()
    stay()


def absent_root(rank: int) -> None:
    """The root of a broadcast does not come."""
    trained()
    block = Block(64, "broadcast")
    if rank == 0:
        stay()
    block()
    stay()


class Branching(nn.Module):
    """A model that does not use all of its parameters for every sample."""

    def __init__(self) -> None:
        super().__init__()
        self.always = nn.Linear(4, 4)
        self.sometimes = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, uses_all: bool) -> torch.Tensor:
        x = self.always(x)
        return self.sometimes(x) if uses_all else x


def unused_parameters(rank: int) -> None:
    """Rank 1 does not use a layer, and DistributedDataParallel does not look for that: it waits for its gradients."""
    model = DistributedDataParallel(Branching())
    for _ in range(STEPS):
        model(torch.rand(2, 4), True).sum().backward()
    at_work()
    with watched():
        model(torch.rand(2, 4), rank != 1).sum().backward()
    stay()


class Compiled(nn.Module):
    """A model with a collective in its graph, and another graph on rank 1."""

    def __init__(self, rank: int) -> None:
        super().__init__()
        self.rank = rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        import torch.distributed._functional_collectives as functional

        group = dist.group.WORLD
        if self.rank == 1:
            return functional.all_reduce(x, "max", group) + 1
        return functional.all_gather_tensor(x, 0, group) + 1


def compiled(rank: int) -> None:
    """The compiled graphs of the ranks differ."""
    trained()
    with watched(before_s=40):  # the compilation
        torch.compile(Compiled(rank), backend="aot_eager")(torch.ones(4))
    stay()


def long_ago(rank: int) -> None:
    """Rank 1 makes another reduction once, and hangs 100,000 collectives later."""
    net = trained()
    net.c.reduce_op = dist.ReduceOp.MAX if rank == 1 else dist.ReduceOp.SUM
    net()
    net.c.reduce_op = dist.ReduceOp.SUM
    x = torch.ones(1)
    for _ in range(100_000):
        dist.all_reduce(x)
    if rank == 1:
        stay()
    net()
    stay()


def never_came(rank: int) -> None:
    """Rank 1 never joins the job."""
    stay()


def all_elsewhere(rank: int) -> None:
    """All ranks wait for something that is no rank."""
    trained()
    stay()


def slow_rank(rank: int) -> None:
    """Rank 1 needs a second for each step: nothing hangs."""
    at_work()
    net = Net()
    for _ in range(FOREVER_S):
        if rank == 1:
            time.sleep(1)
        net()


def slow_checkpoints(rank: int) -> None:
    """All ranks pause for a second in each step: nothing hangs."""
    at_work()
    net = Net()
    for _ in range(FOREVER_S):
        net()
        time.sleep(1)


def computing(rank: int) -> None:
    """Rank 1 computes for a long time, or for ever."""
    net = trained()
    end = time.monotonic() + FOREVER_S
    while rank == 1 and time.monotonic() < end:
        torch.ones(100).sum()
    net()
    stay()


def may_go_on() -> bool:
    """Whether the test lets the job go on."""
    return os.path.exists("go_on")


def lone_evaluation(rank: int) -> None:
    """Rank 0 evaluates alone, without communication; the others wait at a barrier."""
    trained()
    while rank == 0 and not may_go_on():
        torch.ones(100).sum()
    barrier()


def long_checkpoint(rank: int) -> None:
    """Rank 0 writes a checkpoint to slow storage; the others wait at a barrier."""
    trained()
    while rank == 0 and not may_go_on():
        time.sleep(0.05)
    barrier()


def busy_child(rank: int) -> None:
    """A child of rank 1 computes, as a compiler does; the others wait at a barrier. The child ends with its parent."""
    trained()
    if rank == 1:
        waits = f"not os.path.exists('go_on') and os.getppid() == {os.getpid()}"
        subprocess.run([sys.executable, "-c", f"import os\nwhile {waits}: sum(range(1000))"], check=True)
    barrier()


def long_end(rank: int) -> None:
    """All ranks save something for a while when they are asked to end: nothing hangs."""

    def save(*_: Any) -> None:
        time.sleep(SAVING_S)
        sys.exit(rank)

    signal.signal(signal.SIGTERM, save)
    at_work()
    net = Net()
    for _ in range(FOREVER_S):
        net()
        time.sleep(0.1)


def join(rank: int) -> None:
    """Rank 1 has fewer batches: torch's Join has it take part in the collectives of the others."""
    model = DistributedDataParallel(nn.Linear(4, 4))
    at_work()
    batches = 2 if rank == 1 else FOREVER_S
    with Join([model]):
        for _ in range(batches):
            model(torch.rand(2, 4)).sum().backward()
            time.sleep(0.2)
            if may_go_on():
                break
    barrier()


def going_on(rank: int) -> None:
    """All ranks go on until the job is ended, or a rank ends itself as ENDING says. Gloo's errors end no rank."""
    at_work()
    net = Net()
    how = os.environ.get("ENDING", "") if rank == dist.get_world_size() - 1 else ""
    for step in range(FOREVER_S):
        if step == 20:
            if os.environ.get("ENDING") == "returns":
                return
            if how == "raises":
                raise ValueError("a bad sample")
            if how == "exits":
                sys.exit(3)
            if how == "is_killed":
                subprocess.run(["kill", "-KILL", str(os.getpid())], check=True)
            if how == "hangs":
                stay()
        net()
        time.sleep(0.1)


def healthy(rank: int) -> None:
    """A job that ends."""
    trained()
    wait(dist.broadcast(torch.ones(4), 1, async_op=True))
    barrier()


def lone_group(rank: int) -> None:
    """Rank 0 alone makes a group, which all ranks of a job have to make."""
    net = trained()
    with watched():
        if rank == 0:
            dist.new_group([0, 1])
        net()
    stay()


def other_groups(rank: int) -> None:
    """Ranks 0 and 1 make a group of ranks 0 to 2, and the others one of ranks 0 and 1."""
    barrier()
    at_work()
    with watched():
        dist.new_group([0, 1, 2] if rank < 2 else [0, 1])
    stay()


CASES: list[Callable[[int], None]] = [
    skip, extra, order, data_branch, size, dtype, reduce_op, root, own_root, short_batch, gather_on_main,
    layer_left_out, replica_left_out, evaluation_break, early_exit, exception, killed, stopped, uneven, evaluation,
    two_groups, three_groups, wrong_group, subset_barrier, micro_batch, both_receive, wrong_peer, message_size,
    data_loader, checkpoint, lock, absent_root, unused_parameters, compiled, long_ago, never_came, all_elsewhere,
    lone_group, other_groups, slow_rank, slow_checkpoints, computing, lone_evaluation, long_checkpoint, busy_child,
    long_end, join, going_on, healthy,
]  # fmt: skip


def main() -> None:
    case = next(each for each in CASES if each.__name__ == sys.argv[1])
    rank = int(os.environ["RANK"])
    if case is never_came and rank == 1:
        stay()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    case(rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
