# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The test suites to run. Versions are in requirements.txt."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Suite:
    """Tests of a package's source distribution; without a package, tests that torch ships."""

    name: str
    #: In the source distribution, or in this folder.
    files: tuple[str, ...]
    package: str = ""
    #: pytest's -k.
    only: str = ""
    variables: tuple[tuple[str, str], ...] = ()


_ACCELERATE = ("accelerator", "cpu", "data_loader", "grad_sync", "hooks", "modeling_utils", "optimizer", "scheduler")

SUITES = [
    Suite("torch_higher_order", ("torch_higher_order.py",)),
    Suite(
        "torch_distributed",
        ("torch_distributed.py",),
        only="not cuda and not nccl",
        variables=(("BACKEND", "gloo"), ("WORLD_SIZE", "2")),
    ),
    Suite(
        "accelerate",
        tuple(f"tests/test_{name}.py" for name in _ACCELERATE),
        package="accelerate",
        variables=(("HF_HUB_OFFLINE", "1"),),
    ),
    Suite("opt_einsum", ("opt_einsum/tests",), package="opt_einsum"),
    Suite("gpytorch", ("test",), package="gpytorch"),
]
