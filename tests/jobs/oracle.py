# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Records a job's collectives with PyTorch's own tools, to check commtap's reports.

With JOB_ORACLE=FILE in the environment a job writes to FILE, as JSON:

- `ops`: every call of a collective op that the main thread dispatched in the whole job, with its tensors' bytes. A
  TorchDispatchMode records them from the import of this module on. It runs above the dispatcher's kernels and shares
  nothing with commtap.
- `steps`: the counts of one CommDebugMode per `step_context()`, in eager code only. A context cannot span a second
  forward of a module.
- `parameters`: the parameters that `note_parameters()` found in a model with PyTorch's public methods.

Without JOB_ORACLE this module does nothing, and the job runs as its user wrote it.
"""

import atexit
import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

_PATH = os.environ.get("JOB_ORACLE")
_NAMESPACES = ("c10d", "_c10d_functional", "_dtensor")
_result: dict[str, Any] = {"ops": [], "steps": [], "parameters": []}


def _bytes(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    return sum(_bytes(item) for item in value) if isinstance(value, (list, tuple)) else 0


def _dtype(value: Any) -> str | None:
    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch.")
    if isinstance(value, (list, tuple)):
        return next((found for item in value if (found := _dtype(item))), None)
    return None


def _group_size(arguments: dict[str, Any]) -> int:
    if "group_size" in arguments:
        return arguments["group_size"]
    if "process_group" in arguments:
        return dist.ProcessGroup.unbox(arguments["process_group"]).size()
    group = arguments["group_name"]
    return (dist.distributed_c10d._resolve_process_group(group) if isinstance(group, str) else group).size()


def _payload(name: str, arguments: dict[str, Any]) -> int:
    """Returns the size in bytes that nccl-tests defines for this collective."""
    tensors = [
        value
        for value in arguments.values()
        if isinstance(value, torch.Tensor) or (isinstance(value, (list, tuple)) and _dtype(value))
    ]
    size = _group_size(arguments)
    if "barrier" in name:
        return 0
    if name.startswith("_c10d_functional") and "all_gather" in name:
        return _bytes(tensors[0]) * size
    if "gather_" in name and "allgather" not in name:
        return _bytes(arguments["input_tensors"]) * size
    if name == "c10d.scatter_":
        return _bytes(arguments["output_tensors"]) * size
    if "reduce_scatter" in name or "alltoall" in name:
        for key in ("input", "input_tensor", "input_tensors", "inputs"):
            if key in arguments:
                return _bytes(arguments[key])
    # The other ops have one tensor argument, or their output first (allgather_, _allgather_base_).
    return _bytes(tensors[0])


def _collective(func: Any, args: tuple, kwargs: dict) -> dict[str, Any] | None:
    schema = func._schema
    namespace, _, op = schema.name.partition("::")
    names = [argument.name for argument in schema.arguments]
    # An op without a group argument (wait_tensor, check_for_nan) does not communicate.
    if namespace not in _NAMESPACES or not {"process_group", "group_name"} & set(names):
        return None
    arguments = dict(zip(names, args, strict=False)) | kwargs
    name = f"{namespace}.{op}"
    dtype = None if "barrier" in name else next((found for v in arguments.values() if (found := _dtype(v))), None)
    return {"op": name, "bytes": _payload(name, arguments), "size": _group_size(arguments), "dtype": dtype}


class _CollectiveLog(TorchDispatchMode):
    """Logs each collective op that reaches the dispatcher on this thread."""

    supports_higher_order_operators = True

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if any(issubclass(each, DTensor) for each in types):
            return NotImplemented
        if not isinstance(func, torch._ops.HigherOrderOperator):
            found = _collective(func, args, kwargs or {})
            if found:
                _result["ops"].append(found)
        return func(*args, **(kwargs or {}))


def _op_counts(counts: dict[Any, int]) -> dict[str, int]:
    return {str(op): count for op, count in counts.items() if count}


@contextlib.contextmanager
def step_context() -> Iterator[None]:
    """Wraps one training step, in a CommDebugMode of its own if JOB_ORACLE is set."""
    if not _PATH:
        yield
        return
    from torch.distributed.tensor.debug import CommDebugMode

    with CommDebugMode() as mode:
        yield
    modules = {
        name: {phase: _op_counts(counts) for phase, counts in phases.items()}
        for name, phases in mode.comm_module_counts.items()
    }
    tree = mode.advanced_module_tracker.module_helper_dict
    _result["steps"].append({"counts": _op_counts(mode.get_comm_counts()), "modules": modules, "tree": list(tree)})


def note_parameters(model: torch.nn.Module) -> None:
    """Records the table that CommDebugMode's tests build as their ground truth, with shapes and dtypes."""
    if not _PATH:
        return
    root = type(model).__name__
    for full_name, parameter in model.named_parameters(remove_duplicate=False):
        path, _, name = full_name.rpartition(".")
        data = parameter.data
        sharded = isinstance(data, DTensor)
        mesh = (
            {
                "device_type": data.device_mesh.device_type,
                "dim_names": list(data.device_mesh.mesh_dim_names) if data.device_mesh.mesh_dim_names else None,
                "shape": list(data.device_mesh.shape),
            }
            if sharded
            else None
        )
        _result["parameters"].append(
            {
                "module": f"{root}.{path}" if path else root,
                "name": name,
                "shape": list(parameter.shape),
                "local_shape": list(data.to_local().shape if sharded else parameter.shape),
                "dtype": str(parameter.dtype).removeprefix("torch."),
                "requires_grad": parameter.requires_grad,
                "mesh": mesh,
                "placements": [repr(placement) for placement in data.placements] if sharded else None,
            }
        )


def _write() -> None:
    with open(_PATH, "w", encoding="utf-8") as file:
        json.dump(_result, file)


if _PATH:
    _log = _CollectiveLog()
    _log.__enter__()
    atexit.register(_write)
