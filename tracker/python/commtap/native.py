# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Finds or loads libcommtap.so and calls the functions of `shim/commtap.h`."""

import ctypes
import functools
import os
from collections.abc import Callable
from typing import Any

# libcommtap.so picks the tracker for the torch that is loaded, so torch must be loaded first.
import torch

from commtap.locations import library_path
from commtap.preload import is_preloaded

ABSENT = -1
INVALID = -2
FAILED = -3


class CollectiveRow(ctypes.Structure):
    """`struct commtap_collective`."""

    _fields_ = (
        ("module_id", ctypes.c_uint32),
        ("issued_in_id", ctypes.c_uint32),
        ("module", ctypes.c_char_p),
        ("issued_in", ctypes.c_char_p),
        ("phase", ctypes.c_char_p),
        ("op", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("group", ctypes.c_char_p),
        ("dtype", ctypes.c_char_p),
        ("count", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
    )


class Place(ctypes.Structure):
    """`struct commtap_place`."""

    _fields_ = (
        ("module_id", ctypes.c_uint32),
        ("parent_id", ctypes.c_uint32),
        ("module", ctypes.c_char_p),
        ("phase", ctypes.c_char_p),
    )


_SIGNATURES: dict[str, tuple[Any, ...]] = {
    # name: result, parameters
    "start": (ctypes.c_int,),
    "stop": (ctypes.c_int,),
    "reset": (ctypes.c_int,),
    "snapshot": (ctypes.c_long, ctypes.c_char_p, ctypes.c_size_t),
    "snapshot_file": (ctypes.c_int, ctypes.c_char_p),
    "scope_push": (ctypes.c_int, ctypes.c_char_p),
    "scope_pop": (ctypes.c_int,),
    "current_module": (ctypes.c_long, ctypes.c_char_p, ctypes.c_size_t),
    "is_backward": (ctypes.c_int,),
    "capture_begin": (ctypes.c_long, ctypes.c_int),
    "capture_read": (ctypes.c_long, ctypes.c_long, ctypes.POINTER(CollectiveRow), ctypes.c_size_t),
    "capture_end": (ctypes.c_int, ctypes.c_long),
    "where": (ctypes.c_int, ctypes.POINTER(Place)),
    "module_info": (ctypes.c_int, ctypes.c_uint32, ctypes.POINTER(Place)),
    "keep_in_memory": (ctypes.c_int,),
    "mark_step": (ctypes.c_int,),
    "current_step": (ctypes.c_long,),
}
_WITH_THE_GIL: dict[str, tuple[Any, ...]] = {
    "observe_modules": (ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p),
    "module_id": (ctypes.c_long, ctypes.py_object),
}


class Native:
    """The functions of `commtap.h` as attributes, without their prefix.

    Args:
        path: the library's path; None if it is preloaded.
    """

    def __init__(self, path: str | None) -> None:
        """Binds every function of the library."""
        #: Releases the GIL during a call, which the functions that take the GIL themselves require.
        releasing = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        holding = ctypes.PyDLL(path, mode=ctypes.RTLD_GLOBAL)
        for library, signatures in ((releasing, _SIGNATURES), (holding, _WITH_THE_GIL)):
            for name, (result, *parameters) in signatures.items():
                function = getattr(library, f"commtap_api_{name}")
                function.restype, function.argtypes = result, parameters
                setattr(self, name, function)

    def __getattr__(self, name: str) -> Callable[..., int]:
        raise AttributeError(f"commtap.h has no function {name}")

    def place(self) -> Place:
        """Returns the module and phase that a collective made now would have."""
        place = Place()
        self.where(ctypes.byref(place))
        return place

    def info(self, module_id: int) -> Place | None:
        """Returns a module's name and parent; None if there is no such module."""
        place = Place()
        return place if self.module_info(module_id, ctypes.byref(place)) == 0 else None


def _load() -> Native:
    path = library_path()
    if not path.is_file():
        raise RuntimeError(f"commtap: {path} is missing; build or install commtap, or preload it")
    native = Native(str(path))
    # A program that only imports this package, without COMMTAP_OUT, must leave no report files.
    if "COMMTAP_OUT" not in os.environ:
        native.keep_in_memory()
    return native


@functools.cache
def native() -> Native:
    """Returns the library; loads it at the first call.

    Raises:
        RuntimeError: the library is missing, has no tracker for this torch, or is switched off (COMMTAP=0).
    """
    found = Native(None) if is_preloaded() else _load()
    if found.is_backward() == ABSENT:
        raise RuntimeError(
            f"commtap: the library has no tracker for torch {torch.__version__}, or is switched off by COMMTAP=0"
        )
    return found
