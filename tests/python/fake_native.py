# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A library that is not there."""

from collections.abc import Callable
from typing import Any


class FakeNative:
    """Answers in place of `commtap.native.Native`, and notes the calls."""

    def __init__(self) -> None:
        #: (function, arguments), in order.
        self.calls: list[tuple[str, tuple]] = []
        #: Function: its result, or a callable that returns it. Others return 0.
        self.results: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.calls.append((name, arguments))
            result = self.results.get(name, 0)
            return result(*arguments) if callable(result) else result

        return call

    def names(self) -> list[str]:
        """The functions called, in order."""
        return [name for name, _ in self.calls]
