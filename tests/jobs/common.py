# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""What every job does at its start and at its end."""

import argparse
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
    """Leaves together: a rank that goes early can break its peers' sockets."""
    _keep_tensors()
    dist.barrier()
    dist.destroy_process_group()


_kept: list[torch.Tensor] = []


def _keep_tensors() -> None:
    """Keeps every tensor that Python knows until the interpreter has gone.

    A worker of Gloo's that is the last to let go of one wants the GIL for it. If it waits for that when the interpreter
    begins to end, torch ends the process with "terminate called without an active exception", commtap or not
    (pytorch/pytorch#190489).
    """
    _kept.extend(each for each in gc.get_objects() if issubclass(type(each), torch.Tensor))


def say(text: str) -> None:
    """Prints on rank 0 alone, at once: a job that is killed has said what it said."""
    if dist.get_rank() == 0:
        print(text, flush=True)


def say_loss(step: int, loss: torch.Tensor) -> None:
    """The loss with all its digits: two runs that print the same computed the same."""
    say(f"step {step} loss {loss.item()!r}")


def add_compile_arguments(parser: argparse.ArgumentParser) -> None:
    """The ways in which users compile a model."""
    parser.add_argument("--compile", choices=COMPILE_CHOICES, default="no")
    parser.add_argument("--backend", default="aot_eager")


def maybe_compile(model: torch.nn.Module, arguments: argparse.Namespace) -> torch.nn.Module:
    """torch.compile(model), model.compile(), or the model as it is."""
    if arguments.compile == "no":
        return model
    if arguments.compile == "method":
        model.compile(backend=arguments.backend)
        return model
    return torch.compile(model, backend=arguments.backend, fullgraph=arguments.compile == "fullgraph")


def say_compile_counters(arguments: argparse.Namespace, say: Callable[[str], None] = say) -> None:
    """How often Dynamo compiled, into how many graphs, and how often it had to do so again."""
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
            }
        )
    )
