# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Calls the Python wheel's NCCL, as far as possible without a GPU, through a library linked with NCCL.

The argument is the path of that library. Prints NCCL's version, then each call and its result.
"""

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

import torch.distributed as dist


class UniqueId(ctypes.Structure):
    _fields_ = (("internal", ctypes.c_char * 128),)


[package] = importlib.util.find_spec("nvidia.nccl").submodule_search_locations
nccl = ctypes.CDLL(str(Path(package) / "lib" / "libnccl.so.2"), mode=os.RTLD_LOCAL)
user = ctypes.CDLL(sys.argv[1], mode=os.RTLD_LOCAL)
user.nccl_user_function.restype = ctypes.c_void_p


def call(name: str, *arguments: object) -> None:
    function = ctypes.CFUNCTYPE(ctypes.c_int, *(type(each) for each in arguments))
    print(name, function(user.nccl_user_function(name.encode()))(*arguments), flush=True)


dist.init_process_group("gloo")
version = ctypes.c_int()
nccl.ncclGetVersion(ctypes.byref(version))
print("version", f"{version.value // 10000}.{version.value // 100 % 100}.{version.value % 100}")
call("ncclGroupStart")
call("ncclGroupEnd")
null, size, number = ctypes.c_void_p(), ctypes.c_size_t(4), ctypes.c_int(0)
call("ncclAllReduce", null, null, size, number, number, null, null)  # no communicator
identity, communicator = UniqueId(), ctypes.c_void_p()
nccl.ncclGetUniqueId(ctypes.byref(identity))
call("ncclCommInitRank", ctypes.c_void_p(ctypes.addressof(communicator)), ctypes.c_int(1), identity, number)  # no GPU
dist.destroy_process_group()
