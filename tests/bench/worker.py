# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One rank of a benchmark: runs a job in alternating blocks, with and without the measured tool, in one process.

On a shared machine two processes differ by more than the tool costs; two neighbouring blocks of one process do not.
Prints one JSON line: pairs of CPU seconds (user + system, all threads) of neighbouring blocks, [off, on]. Every other
pair runs in the order on, off, so that a machine that slows down does not look like a cost.

Under callgrind, with a counter (counter.c), blocks are counted in instructions, which no neighbour can change;
callgrind writes a file per block. It needs the backend that does nothing, because waiting threads count instructions.
"""

import argparse
import contextlib
import ctypes
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

sys.path.insert(0, str(Path(__file__).parent.parent / "jobs"))

CALLS = 200  # per step of a job that only makes calls

Step = Callable[[], None]
Switch = Callable[[bool], contextlib.AbstractContextManager[object]]


class Block(torch.nn.Module):
    """A feed-forward block with a norm: five modules."""

    def __init__(self, dim: int):
        super().__init__()
        self.norm = torch.nn.LayerNorm(dim)
        self.up = torch.nn.Linear(dim, 4 * dim)
        self.act = torch.nn.GELU()
        self.down = torch.nn.Linear(4 * dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(self.act(self.up(self.norm(x))))


def training_step(model: torch.nn.Module, batch: torch.Tensor) -> Step:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step() -> None:
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def blocks(dim: int, count: int) -> torch.nn.Module:
    return torch.nn.Sequential(*[Block(dim) for _ in range(count)])


def tensor_parallel() -> Step:
    """Returns a step of many small DTensor ops: the worst case for a hook on ordinary ops."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    model = blocks(32, 8)
    for block in model:
        parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    return training_step(model, torch.rand(8, 32, requires_grad=True))


def ddp() -> Step:
    model = torch.nn.parallel.DistributedDataParallel(blocks(128, 8), bucket_cap_mb=1)
    return training_step(model, torch.rand(64, 128))


def shard(model: torch.nn.Module, units: Iterable[torch.nn.Module]) -> torch.nn.Module:
    """Applies FSDP2 to `units` and the model."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for unit in units:
        fully_shard(unit, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def fsdp2() -> Step:
    model = blocks(128, 8)
    return training_step(shard(model, model), torch.rand(64, 128))


class Transformer(torch.nn.Module):
    """A small language model without its loss: 7 million parameters."""

    WIDTH = 256
    WORDS = 8_000

    def __init__(self) -> None:
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(
            self.WIDTH, nhead=4, dim_feedforward=4 * self.WIDTH, dropout=0, batch_first=True, norm_first=True
        )
        self.words = torch.nn.Embedding(self.WORDS, self.WIDTH)
        self.encoder = torch.nn.TransformerEncoder(layer, num_layers=6, enable_nested_tensor=False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.encoder(self.words(words))

    @classmethod
    def batch(cls) -> torch.Tensor:
        """Two texts of 128 words."""
        return torch.randint(cls.WORDS, (2, 128))


def ddp_transformer() -> Step:
    return training_step(torch.nn.parallel.DistributedDataParallel(Transformer()), Transformer.batch())


def fsdp2_transformer() -> Step:
    model = Transformer()
    return training_step(shard(model, model.encoder.layers), Transformer.batch())


def forward_only(model: torch.nn.Module, batch: torch.Tensor) -> Step:
    @torch.no_grad()
    def step() -> None:
        model(batch)

    return step


def small_modules() -> Step:
    """The forward of 32 layers of a small transformer's width: 193 modules."""
    return forward_only(blocks(64, 32), torch.rand(64, 64))


def tiny_modules() -> Step:
    """Returns a forward with hardly any computation: the worst case for following module calls."""
    return forward_only(blocks(16, 32), torch.rand(4, 16))


def compiled() -> Step:
    """DDP around a compiled model."""
    model = torch.nn.parallel.DistributedDataParallel(blocks(128, 8), bucket_cap_mb=1)
    return training_step(torch.compile(model), torch.rand(64, 128))


def compiled_transformer() -> Step:
    model = torch.nn.parallel.DistributedDataParallel(Transformer())
    return training_step(torch.compile(model), Transformer.batch())


def compiled_collectives() -> Step:
    """A model whose layers and experts communicate inside compiled graphs: 14 collectives per step."""
    from compiled import Model

    model = Model(256, breaks=False, recompute=False)
    return training_step(torch.compile(model), torch.rand(256, 256, requires_grad=True))


class Many(torch.nn.Module):
    """A model whose layers do nothing."""

    def __init__(self, count: int):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Identity() for _ in range(count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def module_calls() -> Step:
    """Calls of modules that do nothing, by the model around them."""
    model, x = Many(CALLS), torch.zeros(1)

    def step() -> None:
        model(x)

    return step


def collectives() -> Step:
    """Collectives of a backend that does nothing."""
    x, group = torch.zeros(4), dist.group.WORLD

    def step() -> None:
        for _ in range(CALLS):
            dist.all_reduce(x, group=group)

    return step


def gloo_collectives() -> Step:
    """Collectives of one rank over Gloo: handed to its threads, waited for, and nothing to do."""
    return collectives()


def functional_collectives() -> Step:
    """Functional collectives of a backend that does nothing: two ops each."""
    x, name = torch.zeros(4), dist.group.WORLD.group_name

    def step() -> None:
        for _ in range(CALLS):
            funcol.wait_tensor(torch.ops._c10d_functional.all_reduce(x, "sum", name))

    return step


def ordinary_ops() -> Step:
    """Additions of four numbers."""
    x, y = torch.zeros(4), torch.zeros(4)

    def step() -> None:
        for _ in range(CALLS):
            torch.add(x, y, out=y)

    return step


def nccl_library() -> ctypes.CDLL:
    return ctypes.CDLL(str(Path(os.environ["BUILD_DIR"]) / "tests" / "nccl" / "libnccl-user.so"), mode=os.RTLD_LOCAL)


def nccl_function(name: str, *, interposed: bool) -> ctypes.c_void_p:
    """Returns the function as a library linked with NCCL finds it, or NCCL's own."""
    if not interposed:
        stub = ctypes.CDLL("libnccl.so.2", mode=os.RTLD_LOCAL | os.RTLD_NOLOAD)
        return ctypes.cast(getattr(stub, name), ctypes.c_void_p)
    find = nccl_library().nccl_user_function
    find.restype = ctypes.c_void_p
    return ctypes.c_void_p(find(name.encode()))


def cuda_library() -> ctypes.CDLL:
    return ctypes.CDLL(str(Path(os.environ["BUILD_DIR"]) / "tests" / "cuda" / "libcuda-user-13.so"), mode=os.RTLD_LOCAL)


def stream_wait_of(*, interposed: bool) -> ctypes.c_void_p:
    """Returns cudaStreamWaitEvent as a library linked with a fake of CUDA's runtime finds it, or the fake's own."""
    library = cuda_library()
    if not interposed:
        runtime = ctypes.CDLL("libcudart.so.13", mode=os.RTLD_LOCAL | os.RTLD_NOLOAD)
        return ctypes.cast(runtime.cudaStreamWaitEvent, ctypes.c_void_p)
    library.cuda_user_function.restype = ctypes.c_void_p
    return ctypes.c_void_p(library.cuda_user_function(b"cudaStreamWaitEvent"))


#: The functions that `nccl_calls` and `stream_waits` call, which a switch replaces.
all_reduce: list[ctypes.c_void_p] = []
stream_wait: list[ctypes.c_void_p] = []


def nccl_calls() -> Step:
    """Calls of a stub of NCCL that does nothing."""
    repeat, communicator = nccl_library().nccl_user_repeat, ctypes.c_void_p()
    split = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p, ctypes.c_int, ctypes.c_int], *[ctypes.c_void_p] * 2)
    parent = (ctypes.c_int * 3)(16, 0, 0)  # a communicator of the stub: ranks, rank, not queried
    function = split(nccl_function("ncclCommSplit", interposed=True).value)
    function(ctypes.addressof(parent), 0, 0, ctypes.addressof(communicator), None)

    def step() -> None:
        repeat(all_reduce[-1], ctypes.c_size_t(CALLS_OF["nccl_calls"]), communicator)

    return step


def stream_waits() -> Step:
    """Waits of a stream, by a fake of CUDA's runtime that does nothing else."""
    repeat, event = cuda_library().cuda_user_repeat, ctypes.create_string_buffer(64)

    def step() -> None:
        repeat(stream_wait[-1], ctypes.c_size_t(CALLS_OF["stream_waits"]), event)

    return step


JOBS = {
    job.__name__: job
    for job in (
        tensor_parallel,
        ddp,
        fsdp2,
        small_modules,
        tiny_modules,
        compiled,
        ddp_transformer,
        fsdp2_transformer,
        compiled_transformer,
        compiled_collectives,
        module_calls,
        collectives,
        gloo_collectives,
        functional_collectives,
        nccl_calls,
        stream_waits,
        ordinary_ops,
    )
}
#: Calls per step of the jobs that do not make CALLS of them.
CALLS_OF = {"nccl_calls": 100_000, "stream_waits": 100_000}
ON_FAKE_BACKEND = {
    "module_calls",
    "collectives",
    "functional_collectives",
    "nccl_calls",
    "stream_waits",
    "ordinary_ops",
}


def commtap_switch() -> Switch:
    folder = Path(os.environ["BUILD_DIR"])
    [path] = (folder / "tracker").glob("libcommtap-tracker-*.so")
    tracker = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_NOLOAD)

    def switch(on: bool) -> contextlib.AbstractContextManager[object]:
        tracker.commtap_set_enabled(int(on))
        return contextlib.nullcontext()

    return switch


def comm_debug_mode() -> object:
    from torch.distributed.tensor.debug import CommDebugMode

    return CommDebugMode()


def mod_tracker() -> object:
    from torch.distributed._tools.mod_tracker import ModTracker

    return ModTracker()


def profiler() -> object:
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])


@contextlib.contextmanager
def global_hooks() -> Iterator[None]:
    """Installs two hooks that do nothing: the cost of the cheapest tracker in Python."""
    from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

    before = register_module_forward_pre_hook(lambda *_: None)
    after = register_module_forward_hook(lambda *_: None)
    yield
    before.remove()
    after.remove()


#: commtap, and commtap in a process with COMMTAP_TIMING=host.
COMMTAP = ("commtap", "commtap_timing")
# CommDebugMode cannot span two steps, so the peers are entered per step, as their users must.
PEERS = {peer.__name__: peer for peer in (comm_debug_mode, mod_tracker, profiler, global_hooks)}


def interposition(job: str) -> Switch:
    def switch(on: bool) -> contextlib.AbstractContextManager[object]:
        if job == stream_waits.__name__:
            stream_wait[:] = [stream_wait_of(interposed=on)]
        else:
            all_reduce[:] = [nccl_function("ncclAllReduce", interposed=on)]
        return contextlib.nullcontext()

    return switch


def make_switch(what: str, job: str) -> Switch:
    if what == "interposition":
        return interposition(job)
    if what in COMMTAP:
        return commtap_switch()
    if what == "nothing":
        return lambda _on: contextlib.nullcontext()
    return lambda on: PEERS[what]() if on else contextlib.nullcontext()


def run_block(step: Step, steps: int, switch: Switch, on: bool, *, per_step: bool, warm_up: int) -> float:
    context = switch(on)
    for _ in range(0 if per_step else warm_up):
        step()  # lets the dispatcher's caches and the heap settle after the switch
    start = time.process_time()
    for _ in range(steps):
        with switch(on) if per_step else context:
            step()
    return time.process_time() - start


def count_instructions(counter: ctypes.CDLL, step: Step, switch: Switch, pairs: int) -> None:
    gc.disable()
    for nth in range(pairs):
        for on in (False, True) if nth % 2 == 0 else (True, False):
            switch(on)
            step()  # refills the caches that the switch emptied
            counter.counter_begin()
            step()
            counter.counter_end(int(on))


def peak_memory_kib() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1])
    return 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=sorted(JOBS))
    parser.add_argument("--measure", default="commtap", choices=["nothing", "interposition", *COMMTAP, *PEERS])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=10, help="steps in a block")
    parser.add_argument("--warm-up", type=int, default=8, help="steps between a switch and a block")
    parser.add_argument("--counter", help="the counter's library: count instructions")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    on_fake_backend = arguments.job in ON_FAKE_BACKEND or arguments.counter is not None
    if on_fake_backend:
        from torch.testing._internal.distributed.fake_pg import FakeStore

        dist.init_process_group("fake", rank=0, world_size=8 if arguments.counter is None else 2, store=FakeStore())
    else:
        dist.init_process_group("gloo")
    step, switch = JOBS[arguments.job](), make_switch(arguments.measure, arguments.job)
    if arguments.counter is not None:
        count_instructions(ctypes.CDLL(arguments.counter), step, switch, arguments.pairs)
        return
    per_step = arguments.measure in PEERS
    for on in (False, True):
        run_block(step, max(arguments.steps, 3), switch, on, per_step=per_step, warm_up=1)
    pairs = []
    began = time.monotonic()
    for nth in range(arguments.pairs):
        order = (False, True) if nth % 2 == 0 else (True, False)
        seconds = {
            on: run_block(step, arguments.steps, switch, on, per_step=per_step, warm_up=arguments.warm_up)
            for on in order
        }
        pairs.append((seconds[False], seconds[True]))
    span = (began, time.monotonic())
    switch(True)
    calls = CALLS_OF.get(arguments.job, CALLS)
    print(json.dumps({"pairs": pairs, "span": span, "calls": calls, "peak_kib": peak_memory_kib()}))
    # Destroy DDP first: otherwise it destroys its group with the GIL held, and waits for a Gloo thread that needs it.
    del step
    if not on_fake_backend:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
