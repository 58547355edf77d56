# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the names in commtap_plan/torch_names.py against the Python files of a torch: the installed one, or an unpacked
one whose folder, that with version.py, TORCH_SOURCES names. Imports no torch.
"""

import ast
import functools
import importlib.util
import os
import re
import sys
import types
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools" / "plan"))

from commtap_plan import replacing, torch_names  # noqa: E402
from commtap_plan.torch_names import EVERY, READ, REPLACED, Name  # noqa: E402


@functools.cache
def root() -> Path:
    named = os.environ.get("TORCH_SOURCES")
    spec = None if named else importlib.util.find_spec("torch")
    return Path(named or spec.submodule_search_locations[0])


@functools.cache
def minor() -> int:
    found = re.search(r"__version__ = '2\.(\d+)\.", (root() / "version.py").read_text())
    assert found
    return int(found[1])


@functools.cache
def tree_of(file: str) -> ast.Module:
    return ast.parse((root() / file).read_text())


def scope_of(defined: str) -> ast.Module | ast.ClassDef | None:
    """Returns the module or class of "file" or "file:Class"."""
    file, _, name = defined.partition(":")
    if not (root() / file).is_file():
        return None
    found = [each for each in ast.walk(tree_of(file)) if isinstance(each, ast.ClassDef) and each.name == name]
    return found[0] if found else None if name else tree_of(file)


def definitions(scope: ast.Module | ast.ClassDef) -> dict[str, ast.AST]:
    """Returns what a module or a class defines, with the attributes that its methods give to `self`."""
    found: dict[str, ast.AST] = {}
    functions: list[ast.AST] = []

    def visit(node: ast.AST) -> None:
        for each in ast.iter_child_nodes(node):
            if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
                found.setdefault(each.name, each)
                functions.append(each)
            else:
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    found.setdefault(each.id, each)
                visit(each)

    visit(scope)
    if isinstance(scope, ast.ClassDef):
        for each in (node for function in functions for node in ast.walk(function)):
            if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                found.setdefault(each.attr, each)
    return found


def parameters_of(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def faults(row: Name) -> list[str]:
    """Returns what this torch has not of a row, or has although the row says that it does not."""
    scope = scope_of(row.defined)
    known = definitions(scope) if scope else {}
    expected = row.minors[0] <= minor() <= row.minors[1]
    found = []
    for name in row.names:
        if name == EVERY:
            found += [] if known else [f"{row.defined} does not exist"]
        elif (name in known) != expected:
            found.append(f"{row.defined} {'lacks' if expected else 'has'} {name}: {row.why}")
        elif expected and row.parameters:
            missing = sorted(set(row.parameters) - parameters_of(known[name]))
            found += [f"{name}() of {row.defined} has no parameter {each}" for each in missing]
    return found


@pytest.mark.parametrize("row", REPLACED + READ, ids=lambda row: f"{row.owner}.{row.names[0]}")
def test_torch_has_the_names_that_a_plan_depends_on(row: Name) -> None:
    assert faults(row) == []


def test_no_name_has_two_rows() -> None:
    names = [(row.owner, name) for row in REPLACED for name in row.names]
    assert len(names) == len(set(names))


def test_what_is_not_in_the_table_is_not_replaced() -> None:
    owner = types.ModuleType("torch.distributed.distributed_c10d")
    owner.all_reduce = owner.isend = None
    replacing.replace(owner, "all_reduce", 1)
    assert owner.all_reduce == 1
    with pytest.raises(KeyError, match="isend is replaced, and is not in REPLACED"):
        replacing.replace(owner, "isend", 1)
    with pytest.raises(KeyError), replacing.replaced([(owner, "isend", 1)]):
        pass
    assert owner.isend is None


def test_every_method_of_a_mesh_may_be_replaced_but_not_every_special_one() -> None:
    mesh = "torch.distributed.device_mesh.DeviceMesh"
    assert torch_names.row_of(mesh, "get_group").names == (EVERY,)
    assert torch_names.row_of(mesh, "__getitem__").names == ("__getitem__",)
    with pytest.raises(KeyError):
        torch_names.row_of(mesh, "__hash__")


def imported_from_torch(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            names |= {
                (each.asname or each.name).partition(".")[0]
                for each in node.names
                if f"{module}.{each.name}".lstrip(".").startswith("torch")
            }
    return names


def direct_replacements(tree: ast.Module) -> list[str]:
    """Returns the assignments to attributes of what torch defines, and calls of setattr() that may be such."""
    of_torch = imported_from_torch(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr":
            if ast.unparse(node.args[0]) not in ("tensor", "ShownFloat"):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found += [ast.unparse(node)] if ast.unparse(node).partition(".")[0] in of_torch else []
    return found


def test_a_direct_replacement_is_found() -> None:
    text = "import torch\nfrom torch import nn as n\nimport os\ntorch.a.b = 1\nn.c = 2\nos.d = 3\nsetattr(x, 'e', 4)"
    assert sorted(direct_replacements(ast.parse(text))) == ["n.c", "setattr(x, 'e', 4)", "torch.a.b"]


def test_every_replacement_goes_through_the_table() -> None:
    for file in (REPOSITORY / "tools" / "plan" / "commtap_plan").glob("*.py"):
        if file.name != "replacing.py":
            assert (file.name, direct_replacements(ast.parse(file.read_text()))) == (file.name, [])
