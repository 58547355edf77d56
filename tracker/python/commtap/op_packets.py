# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The ops that `CommDebugMode` counts and their keys, as in PyTorch's own class (2.13)."""

from typing import Any

import torch
import torch.distributed._functional_collectives

_FUNCTIONAL = (
    "all_gather_into_tensor",
    "all_gather_into_tensor_coalesced",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all_single",
    "broadcast",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_coalesced",
)
_C10D = (
    "_allgather_base_",
    "_reduce_scatter_base_",
    "allgather_",
    "allgather_coalesced_",
    "allgather_into_tensor_coalesced_",
    "allreduce_",
    "allreduce_coalesced_",
    "alltoall_",
    "alltoall_base_",
    "broadcast_",
    "gather_",
    "reduce_",
    "reduce_scatter_",
    "reduce_scatter_tensor_coalesced_",
    "scatter_",
)

#: The tracker's name of an op ("_c10d_functional.all_reduce"): its key in the counts. A native functional op has the
#: key of its older name. Sends, receives and barriers have no key.
PACKETS: dict[str, Any] = {
    **{f"_c10d_functional.{name}": getattr(torch.ops.c10d_functional, name) for name in _FUNCTIONAL},
    **{f"c10d.{name}": getattr(torch.ops.c10d, name) for name in _C10D},
    "_dtensor.shard_dim_alltoall": torch.ops._dtensor.shard_dim_alltoall,
}

#: The tracker's name of an op: its packet, for the ops that count only while a mode's `comm_registry` has them.
NATIVE_PACKETS: dict[str, Any] = {
    **{f"_c10d_functional.{name}": getattr(torch.ops._c10d_functional, name) for name in _FUNCTIONAL},
    "_dtensor.shard_dim_alltoall": torch.ops._dtensor.shard_dim_alltoall,
}

#: The initial `comm_registry`: functional collectives under all their names, and DTensor's own.
USUAL_REGISTRY: frozenset[Any] = frozenset(
    {
        *NATIVE_PACKETS.values(),
        *(PACKETS[name] for name in NATIVE_PACKETS),
        torch.ops._c10d_functional_autograd.all_to_all_single,
    }
)
