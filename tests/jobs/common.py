# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that every job calls at its start and at its end."""

import argparse
import ctypes
import gc
import json
from collections.abc import Callable

import torch
import torch.distributed as dist

COMPILE_CHOICES = ("no", "function", "method", "fullgraph")


def start() -> int:
    """Joins the job's process group and returns the rank."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    return dist.get_rank()


def finish() -> None:
    """Leaves the group after a barrier: a rank that exits early can break its peers' sockets."""
    _keep_tensors()
    _keep_reducers()
    dist.barrier()
    dist.destroy_process_group()


_kept: list[torch.Tensor] = []


def _keep_tensors() -> None:
    """Keeps every tensor that Python knows alive until the interpreter has exited.

    A Gloo worker that releases the last reference to one needs the GIL. If it waits for the GIL when the interpreter
    begins to exit, torch ends the process with "terminate called without an active exception", commtap or not
    (pytorch/pytorch#190489).
    """
    _kept.extend(each for each in gc.get_objects() if issubclass(type(each), torch.Tensor))


def _keep_reducers() -> None:
    """Keeps DDP's reducers, which may be the last owners of their process groups, until the process has ended.

    A reducer is released under the GIL, and with it the group, which waits for its Gloo workers: for ever if one of
    them needs the GIL to release a collective. A quick rank meets that, with the shim and without.
    """
    for each in gc.get_objects():
        if issubclass(type(each), torch.nn.Module) and hasattr(each, "reducer"):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each.reducer))


def say(text: str) -> None:
    """Prints on rank 0 only, unbuffered, so that a killed job's output is complete."""
    if dist.get_rank() == 0:
        print(text, flush=True)


def say_loss(step: int, loss: torch.Tensor) -> None:
    """Prints the loss with all its digits, so that equal output means equal computation."""
    say(f"step {step} loss {loss.item()!r}")


def add_compile_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds options for the ways in which users compile a model."""
    parser.add_argument("--compile", choices=COMPILE_CHOICES, default="no")
    parser.add_argument("--backend", default="aot_eager")


def maybe_compile(model: torch.nn.Module, arguments: argparse.Namespace) -> torch.nn.Module:
    """Returns torch.compile(model), the model after model.compile(), or the model unchanged."""
    if arguments.compile == "no":
        return model
    if arguments.compile == "method":
        model.compile(backend=arguments.backend)
        return model
    return torch.compile(model, backend=arguments.backend, fullgraph=arguments.compile == "fullgraph")


def say_compile_counters(arguments: argparse.Namespace, say: Callable[[str], None] = say) -> None:
    """Prints how often Dynamo compiled and recompiled, and the number of graphs."""
    if arguments.compile == "no":
        return
    from torch._dynamo.utils import counters, get_compilation_metrics

    compiled = [metrics.co_name for metrics in get_compilation_metrics()]
    say(
        json.dumps(
            {
                "frames": dict(counters["frames"]),
                "unique_graphs": counters["stats"]["unique_graphs"],
                "graph_breaks": sum(counters["graph_break"].values()),
                "compiled": compiled,
                "caches": {name: dict(counters[name]) for name in ("aot_autograd", "inductor")},
            }
        )
    )
