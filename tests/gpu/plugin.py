# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Calls NCCL through its library's own handle, as some inference engines do: only its profiler plugin sees the calls.

The last line has the calls and bytes by function.
"""

import ctypes
import json

import torch
import torch.distributed as dist
from job import used_library
from place import start, synchronize

FLOAT32, SUM = 7, 0  # ncclFloat32, ncclSum
COUNT, SIZE = 3, 1 << 16


class UniqueId(ctypes.Structure):
    """ncclUniqueId."""

    _fields_ = (("internal", ctypes.c_char * 128),)


def check(result: int) -> None:
    """Raises if a call to NCCL has failed."""
    if result != 0:
        raise RuntimeError(f"NCCL returned {result}")


def shared_id(nccl: ctypes.CDLL) -> UniqueId:
    """Returns the id that rank 0 has made."""
    identity = UniqueId()
    if dist.get_rank() == 0:
        check(nccl.ncclGetUniqueId(ctypes.byref(identity)))
    box = [bytes(identity)]
    dist.broadcast_object_list(box)
    return UniqueId.from_buffer_copy(box[0])


def main() -> None:
    """Runs the job; its process group is Gloo's."""
    rank = start()
    torch.ones(1, device="cuda")
    ranks, peer = dist.get_world_size(), (rank + 1) % dist.get_world_size()
    nccl = ctypes.CDLL(used_library())
    communicator = ctypes.c_void_p()
    check(nccl.ncclCommInitRank(ctypes.byref(communicator), ranks, shared_id(nccl), rank))
    tensor, other = torch.ones(SIZE, device="cuda"), torch.ones(SIZE, device="cuda")
    buffer, output = ctypes.c_void_p(tensor.data_ptr()), ctypes.c_void_p(other.data_ptr())
    stream, size = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), ctypes.c_size_t(SIZE)
    for _ in range(COUNT):
        check(nccl.ncclAllReduce(buffer, output, size, FLOAT32, SUM, communicator, stream))
    check(nccl.ncclGroupStart())
    check(nccl.ncclSend(buffer, size, FLOAT32, peer, communicator, stream))
    check(nccl.ncclRecv(output, size, FLOAT32, (rank - 1) % ranks, communicator, stream))
    check(nccl.ncclGroupEnd())
    synchronize()
    check(nccl.ncclCommDestroy(communicator))
    dist.barrier()
    dist.destroy_process_group()
    one = [1, 4 * SIZE]
    print(json.dumps({"ncclAllReduce": [COUNT, 4 * SIZE * COUNT], "ncclSend": one, "ncclRecv": one}))


if __name__ == "__main__":
    main()
