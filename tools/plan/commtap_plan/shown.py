# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for a float that a plan does not have, such as a loss. It may be shown, and calculated with; it decides
nothing.
"""

from typing import Any, NoReturn

from commtap_plan import stops

#: Neither 0, by which scripts divide, nor below, of which they take roots and logarithms.
_VALUE = 1.0

_TEXT = "<planned>"


def _decides(self: Any, *_: Any) -> NoReturn:
    raise stops.DataDecides(
        "a value that a plan does not have decides what the script does: leave the decision out if COMMTAP_PLAN is "
        "set, or plan with --real"
    )


def _again(*_: Any) -> "ShownFloat":
    return ShownFloat()


class ShownFloat(float):
    """The result of `.item()` on a tensor without values."""

    def __new__(cls) -> "ShownFloat":
        return super().__new__(cls, _VALUE)

    def __repr__(self) -> str:
        return _TEXT

    def __format__(self, _: str) -> str:
        return _TEXT

    __str__ = __repr__
    __hash__ = float.__hash__
    __reduce__ = lambda self: (ShownFloat, ())  # noqa: E731


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(ShownFloat, f"__{_name}__", _again)
    setattr(ShownFloat, f"__r{_name}__", _again)
for _name in ("neg", "pos", "abs", "round"):
    setattr(ShownFloat, f"__{_name}__", _again)
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "bool", "int", "trunc", "floor", "ceil"):
    setattr(ShownFloat, f"__{_name}__", _decides)
