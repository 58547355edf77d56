# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A GPU that a script may talk to on a machine without one. Its tensors are fake; nothing runs on it."""

import contextlib
import functools
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.distributed import device_mesh
from torch.nn.parallel import DistributedDataParallel
from torch.overrides import TorchFunctionMode

from commtap_plan import replacing, stops

_MEMORY = 80 << 30
_PROPERTIES = types.SimpleNamespace(
    name="planned", total_memory=_MEMORY, major=9, minor=0, multi_processor_count=132, gcnArchName=""
)


class _Anything:
    """A stream or an event: every method of it returns at once."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.cuda_stream = 0
        self.device = torch.device("cuda", _current())
        self.stream_id = self.device_index = self.device_type = 0

    def query(self) -> bool:
        return True

    def elapsed_time(self, _: Any) -> float:
        return 0.0

    def record_event(self, event: Any = None) -> Any:
        return event or _Anything()

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None

    def __enter__(self) -> "_Anything":
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _current() -> int:
    return int(os.environ.get("LOCAL_RANK", "0"))


def _returning(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


@contextlib.contextmanager
def _stream(stream: Any) -> Iterator[Any]:
    yield stream


_FUNCTIONS: dict[str, Any] = {
    "is_available": _returning(True),
    "is_initialized": _returning(True),
    "is_bf16_supported": _returning(True),
    "device_count": lambda: int(os.environ.get("LOCAL_WORLD_SIZE", "8")),
    "current_device": _current,
    "get_device_name": _returning("planned"),
    "get_device_properties": _returning(_PROPERTIES),
    "get_device_capability": _returning((9, 0)),
    "memory_stats": _returning({}),
    "mem_get_info": _returning((_MEMORY, _MEMORY)),
    "Stream": _Anything,
    "Event": _Anything,
    "current_stream": lambda *_: _Anything(),
    "default_stream": lambda *_: _Anything(),
    "stream": _stream,
    "is_current_stream_capturing": _returning(False),
    **dict.fromkeys(
        (
            "_lazy_init",
            "init",
            "set_device",
            "set_stream",
            "synchronize",
            "empty_cache",
            "manual_seed",
            "manual_seed_all",
            "seed",
            "ipc_collect",
            "reset_peak_memory_stats",
            "reset_max_memory_allocated",
            "set_per_process_memory_fraction",
        ),
        _returning(None),
    ),
    **dict.fromkeys(
        ("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved"), _returning(0)
    ),
    "get_rng_state": lambda *_: torch.zeros(16, dtype=torch.uint8),
    "set_rng_state": _returning(None),
}


#: What torch itself asks, and would go on with a GPU.
_OF_A_GPU = ("is_available", "is_initialized", "_lazy_init", "init")


def _on_cpu(value: Any) -> Any:
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


class OnCpu(TorchFunctionMode):
    """Keeps what a script puts on a GPU in this machine's memory: this torch has no GPUs, not even fake ones."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        if getattr(function, "__name__", "") == "cuda":
            return args[0]
        named = {name: _on_cpu(value) for name, value in (kwargs or {}).items()}
        result = function(*map(_on_cpu, args), **named)
        # torch.device("cuda", 1) comes here too, and the CPU has no number.
        return torch.device("cpu") if isinstance(result, torch.device) and result.type == "cpu" else result


def _with_cpu_device(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        kwargs = {name: _on_cpu(value) for name, value in kwargs.items() if name not in ("device_ids", "output_device")}
        return real(*map(_on_cpu, args), **kwargs)

    return function


def _is_available(real: Callable[[], bool], asks: Callable[[], bool], notes: dict[str, None]) -> Callable[[], bool]:
    """Answers True to a script that has asked for a GPU. Torch itself would use it, and gets the truth."""

    noted: list[str] = []

    @functools.wraps(real)
    def is_available() -> bool:
        if replacing.from_torch(sys._getframe(1)):
            return real()
        if not asks() and not noted:
            noted.append(stops.line_now())
            notes[
                f"{noted[0]}: torch.cuda.is_available() is False here: a job on GPUs may go another way. Let the "
                "script ask for nccl or torch.cuda.set_device() before, or plan --fake with a torch built for CUDA"
            ] = None
        return asks()

    return is_available


def _without_gpus(notes: dict[str, None], asks_for_nccl: Callable[[], bool]) -> list[replacing.Replacement]:
    """What a script may ask of a GPU, for a torch that has none: its tensors are on the CPU."""
    asked: list[bool] = []

    def set_device(*_: Any, **__: Any) -> None:
        asked.append(True)

    available = _is_available(torch.cuda.is_available, lambda: bool(asked) or asks_for_nccl(), notes)
    make_mesh = _with_cpu_device(device_mesh.init_device_mesh)
    replacing.replace_everywhere(device_mesh, "init_device_mesh", make_mesh)
    parts = [
        (DistributedDataParallel, "__init__"),
        (torch.autocast, "__init__"),
        (torch.nn.Module, "to"),
        (torch.amp.GradScaler, "__init__"),
        (device_mesh.DeviceMesh, "__init__"),
    ]
    kept = [(torch.cuda, name, new) for name, new in _FUNCTIONS.items() if name not in _OF_A_GPU]
    kept.append((torch.nn.Module, "cuda", lambda module, *_: module))
    kept += [(torch.cuda, "is_available", available), (torch.cuda, "set_device", set_device)]
    return kept + [(owner, name, _with_cpu_device(getattr(owner, name))) for owner, name in parts]


@contextlib.contextmanager
def without_gpu(fake: bool, notes: dict[str, None], asks_for_nccl: Callable[[], bool]) -> Iterator[None]:
    """Runs a block that talks to a GPU which this machine does not have; changes nothing on one that has.

    `asks_for_nccl` says whether the script has made a process group for GPUs.
    """
    with contextlib.ExitStack() as stack:
        if torch.cuda.is_available():
            pass
        elif fake and torch.backends.cuda.is_built():
            torch._C._ensureCUDADeviceGuardSet()
            stack.enter_context(replacing.replaced([(torch.cuda, name, new) for name, new in _FUNCTIONS.items()]))
        else:
            stack.enter_context(replacing.replaced(_without_gpus(notes, asks_for_nccl)))
            stack.enter_context(OnCpu())
        yield
