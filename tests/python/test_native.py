# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.native: the functions are those of commtap.h, and the library is found, loaded and asked once."""

import ctypes
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from commtap import native as native_module
from commtap.native import CollectiveRow, Native, Place

REPOSITORY = Path(__file__).resolve().parents[2]
HEADER = (REPOSITORY / "shim" / "commtap.h").read_text(encoding="utf-8")

#: The types of commtap.h as the package passes them. Strings and buffers are both `char *`.
C_TYPES = {
    "int": ctypes.c_int,
    "long": ctypes.c_long,
    "long capture": ctypes.c_long,
    "uint32_t id": ctypes.c_uint32,
    "size_t size": ctypes.c_size_t,
    "size_t capacity": ctypes.c_size_t,
    "char* buffer": ctypes.c_char_p,
    "const char* path": ctypes.c_char_p,
    "const char* name": ctypes.c_char_p,
    "enum commtap_threads threads": ctypes.c_int,
    "struct commtap_collective* rows": ctypes.POINTER(CollectiveRow),
    "struct commtap_place* place": ctypes.POINTER(Place),
    "struct commtap_place* module": ctypes.POINTER(Place),
    "void* before": ctypes.c_void_p,
    "void* after": ctypes.c_void_p,
    "void* module": ctypes.py_object,
}
#: For C only: Python code uses captures and module observers.
ONLY_C = {"set_collective_callback", "set_op_callback"}


def functions_of_header() -> dict[str, tuple]:
    """Name: result and parameters of each function in commtap.h."""
    found = {}
    for result, name, parameters in re.findall(r"F\((int|long), (\w+), \(([^)]*)\),", HEADER):
        types_ = [] if parameters == "void" else parameters.split(", ")
        found[name] = (result, *types_)
    return found


def fields_of(struct: str) -> list[tuple[str, str]]:
    """(name, C type) of each member of a struct in commtap.h."""
    [body] = re.findall(rf"^struct {struct} \{{\n(.*?)^\}};", HEADER, re.MULTILINE | re.DOTALL)
    return [(name, kind.replace(" ", "")) for kind, name in re.findall(r"^  ([\w ]+\*? ?)\b(\w+);", body, re.MULTILINE)]


class FakeFunction:
    """A function of a library, with ctypes' attributes."""

    restype: Any = None
    argtypes: Any = None


class FakeLibrary:
    """Records how it was loaded and which functions were looked up."""

    def __init__(self, path: str | None, mode: int = 0) -> None:
        self.path, self.mode = path, mode

    def __getattr__(self, name: str) -> FakeFunction:
        if not name.startswith("commtap_api_"):
            raise AttributeError(name)
        function = FakeFunction()
        function.loaded_from = self  # type: ignore[attr-defined]
        setattr(self, name, function)
        return function


class FakePyLibrary(FakeLibrary):
    """A library whose functions keep the GIL."""


@pytest.fixture
def fake_ctypes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads fake libraries."""
    monkeypatch.setattr(ctypes, "CDLL", FakeLibrary)
    monkeypatch.setattr(ctypes, "PyDLL", FakePyLibrary)


def test_signatures_are_those_of_the_header() -> None:
    expected = {
        name: tuple(C_TYPES[each] for each in types_)
        for name, types_ in functions_of_header().items()
        if name not in ONLY_C
    }
    assert len(expected) >= 18
    assert expected == {**native_module._SIGNATURES, **native_module._WITH_THE_GIL}


@pytest.mark.parametrize(("struct", "python"), [("commtap_collective", CollectiveRow), ("commtap_place", Place)])
def test_structures_are_those_of_the_header(struct: str, python: type[ctypes.Structure]) -> None:
    types_ = {"uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "constchar*": ctypes.c_char_p}
    assert list(python._fields_) == [(name, types_[kind]) for name, kind in fields_of(struct)]


def test_errors_are_those_of_the_header() -> None:
    for name in ("ABSENT", "INVALID", "FAILED"):
        assert f"COMMTAP_{name} = {getattr(native_module, name)}," in HEADER


@pytest.mark.usefixtures("fake_ctypes")
def test_functions_that_need_the_gil_keep_it() -> None:
    """`start` takes the GIL itself, so a caller that kept it would hang."""
    native = Native("/some/libcommtap.so")
    for name in functions_of_header().keys() - ONLY_C:
        library = getattr(native, name).loaded_from
        assert isinstance(library, FakePyLibrary) == (name in ("observe_modules", "module_id"))
        assert (library.path, library.mode) == ("/some/libcommtap.so", ctypes.RTLD_GLOBAL)
    assert native.capture_begin.restype is ctypes.c_long
    assert list(native.capture_begin.argtypes) == [ctypes.c_int]


@pytest.mark.usefixtures("fake_ctypes")
def test_a_function_that_the_header_lacks() -> None:
    with pytest.raises(AttributeError, match="no function set_op_callback"):
        Native(None).set_op_callback  # noqa: B018


@pytest.mark.usefixtures("fake_ctypes")
def test_places() -> None:
    native = Native(None)

    def where(place: Any) -> int:
        place._obj.module_id = 5
        return 0

    def module_info(module_id: int, place: Any) -> int:
        place._obj.module = b"Net.up"
        return 0 if module_id == 5 else native_module.INVALID

    native.where, native.module_info = where, module_info
    assert native.place().module_id == 5
    assert native.info(5).module == b"Net.up"
    assert native.info(6) is None


def test_a_library_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(native_module, "library_path", lambda: tmp_path / "libcommtap.so")
    with pytest.raises(RuntimeError, match=r"libcommtap\.so is missing; build or install commtap, or preload it"):
        native_module._load()


class FakeNative:
    """The functions that `_load` and `native` call."""

    made: list["FakeNative"] = []  # noqa: RUF012
    backward = 0

    def __init__(self, path: str | None) -> None:
        self.path, self.in_memory = path, False
        FakeNative.made.append(self)

    def keep_in_memory(self) -> int:
        self.in_memory = True
        return 0

    def is_backward(self) -> int:
        return FakeNative.backward


@pytest.fixture
def fake_native(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Replaces the binding, and returns the path of an empty library."""
    path = tmp_path / "libcommtap.so"
    path.touch()
    monkeypatch.setattr(native_module, "Native", FakeNative)
    monkeypatch.setattr(native_module, "library_path", lambda: path)
    monkeypatch.setattr(FakeNative, "made", [])
    monkeypatch.setattr(FakeNative, "backward", 0)
    return path


@pytest.mark.parametrize("out", [None, "out"])
def test_a_library_that_is_loaded_late_writes_no_report(
    fake_native: Path, monkeypatch: pytest.MonkeyPatch, out: str | None
) -> None:
    """Unless COMMTAP_OUT asks for one."""
    monkeypatch.delenv("COMMTAP_OUT", raising=False)
    if out is not None:
        monkeypatch.setenv("COMMTAP_OUT", out)
    monkeypatch.setattr(native_module, "is_preloaded", lambda: False)
    found = native_module.native.__wrapped__()
    assert found.path == str(fake_native)
    assert found.in_memory == (out is None)


@pytest.mark.usefixtures("fake_native")
def test_a_preloaded_library_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMMTAP_OUT", raising=False)
    monkeypatch.setattr(native_module, "is_preloaded", lambda: True)
    found = native_module.native.__wrapped__()
    assert (found.path, found.in_memory) == (None, False)


@pytest.mark.usefixtures("fake_native")
def test_a_library_without_a_tracker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_module, "is_preloaded", lambda: True)
    monkeypatch.setattr(FakeNative, "backward", native_module.ABSENT)
    with pytest.raises(RuntimeError, match=re.escape(f"no tracker for torch {torch.__version__}, or is switched off")):
        native_module.native.__wrapped__()
