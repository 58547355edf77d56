# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Optimizer steps for `commtap verify`, as the argument says: `sampled.py equal | train | graph | cost`.

equal: an optimizer has each tensor twice, on the CPU and on the GPU. train: some steps of a model; says its parameters.
graph: a step of Adam is captured and replayed. cost: how long the GPU takes for steps with samples and without.
The last line of each rank is JSON.
"""

import hashlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable

import torch
from place import DEVICE, finish, start, synchronize

STEPS = 8
COST_STEPS = 12
COST_BYTES = int(os.environ.get("COST_BYTES", str(2 << 30)))
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex128)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
SHAPES = ((), (1,), (7,), (4096,), (4097,), (3, 5, 333), (1 << 20,), (0,))


class Idle(torch.optim.Optimizer):
    """Leaves its parameters as they are."""

    def __init__(self, parameters: list[torch.Tensor]) -> None:
        super().__init__(parameters, {})

    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Does nothing."""


class Twins(torch.nn.Module):
    """Parameters named one_N and other_N, which are equal; the other ones are on the device."""

    def __init__(self, tensors: list[torch.Tensor], gradients: list[torch.Tensor | None]) -> None:
        super().__init__()
        for number, (tensor, gradient) in enumerate(zip(tensors, gradients, strict=True)):
            for name, device in (("one", "cpu"), ("other", DEVICE)):
                parameter = torch.nn.Parameter(tensor.to(device, copy=True), requires_grad=gradient is not None)
                if gradient is not None:
                    parameter.grad = gradient.to(device, copy=True)
                self.register_parameter(f"{name}_{number}", parameter)

    def forward(self) -> None:
        """Is called, so that the parameters have names."""


def tensors_of(dtype: torch.dtype) -> list[torch.Tensor]:
    """Returns tensors of one dtype, contiguous and not.

    To the kernel, which knows four dimensions, the parts of complex numbers are a dimension of their own.
    """
    made = [(torch.randn(shape, dtype=torch.float64) * 50).to(dtype) for shape in SHAPES]
    image = (torch.randn(4, 3, 8, 9, dtype=torch.float64) * 50).to(dtype)
    permuted = image[0].permute(2, 0, 1) if dtype.is_complex else image.permute(3, 0, 2, 1)
    made += [image.contiguous(memory_format=torch.channels_last), permuted, torch.ones(5000).to(dtype)]
    return made


def equal() -> dict[str, object]:
    """Samples all dtypes; some values are infinite or not numbers."""
    tensors = [tensor for dtype in FLOATS + INTEGERS for tensor in tensors_of(dtype)]
    tensors += [torch.tensor([1.0, float(special), 2.0]) for special in ("inf", "-inf", "nan")]
    has_gradient = [tensor.is_floating_point() for tensor in tensors]
    gradients = [torch.randn_like(tensor) if has else None for tensor, has in zip(tensors, has_gradient, strict=True)]
    model = Twins(tensors, gradients)
    model()
    optimizer = Idle(list(model.parameters()))
    for _ in range(3):
        optimizer.step()
        synchronize()
    return {"tensors": len(tensors), "gradients": sum(has_gradient)}


def model_of(width: int) -> torch.nn.Module:
    """Returns a model with parameters in several dtypes and layouts."""
    torch.manual_seed(7)
    layers = [torch.nn.Linear(width, width), torch.nn.LayerNorm(width), torch.nn.GELU(), torch.nn.Linear(width, width)]
    return torch.nn.Sequential(*layers).to(DEVICE)


def train() -> dict[str, object]:
    """Trains a model; returns a hash of its parameters, of the random numbers after it, and its losses."""
    model, frozen = model_of(256), model_of(64).requires_grad_(requires_grad=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = (
            model(torch.randn(32, 256, device=DEVICE)).square().mean() + frozen(torch.randn(2, 64, device=DEVICE)).sum()
        )
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(parameter.detach().cpu().numpy().tobytes())
    digest.update(torch.randn(16, device=DEVICE).cpu().numpy().tobytes())
    return {"losses": losses, "hash": digest.hexdigest()}


def graph() -> dict[str, object]:
    """Captures forward, backward and a step of Adam after three eager steps, and replays them."""
    model = model_of(128)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
    given = torch.randn(32, 128, device=DEVICE)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        model(given).square().mean().backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        step()
    before = [parameter.detach().clone() for parameter in model.parameters()]
    for _ in range(5):
        captured.replay()
    synchronize()
    moved = all(bool((old != new).any()) for old, new in zip(before, model.parameters(), strict=True))
    step()  # eager again: the fifth step that torch labels
    synchronize()
    step()
    synchronize()
    return {"moved": moved}


def cost() -> dict[str, object]:
    """Returns the milliseconds of an idle optimizer's steps, on the host alone and with the GPU."""
    count = COST_BYTES // 2 // 4 // 64
    parameters = [torch.nn.Parameter(torch.ones(count, device=DEVICE)) for _ in range(64)]
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    optimizer = Idle(list(parameters))
    host, both = [], []
    for _ in range(COST_STEPS):
        synchronize()
        begin = time.perf_counter()
        optimizer.step()
        host.append((time.perf_counter() - begin) * 1e3)
        synchronize()
        both.append((time.perf_counter() - begin) * 1e3)
    return {"bytes": 2 * 64 * count * 4, "host_ms": host, "ms": both, "median_ms": statistics.median(both)}


JOBS: dict[str, Callable[[], dict[str, object]]] = {"equal": equal, "train": train, "graph": graph, "cost": cost}


def main() -> None:
    """Runs one of the jobs."""
    start()
    said = JOBS[sys.argv[1]]()
    finish()
    print(json.dumps(said))


if __name__ == "__main__":
    main()
