# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Where the process of a rank ends before its script does."""

import ctypes
import functools
import os
import sys
import sysconfig
import traceback
import types
from collections.abc import Callable
from typing import Any

import torch
from torch.distributed.pipelining.schedules import PipelineScheduleMulti, PipelineScheduleSingle
from torch.optim.optimizer import register_optimizer_step_post_hook

from commtap_plan import replacing


class DataDecides(Exception):
    """The script asks for a value that only the real job has."""


class ObjectMissing(DataDecides):
    """The script receives an object that no planned rank has sent yet."""

    def __init__(self, what: str, path: str, source: int) -> None:
        super().__init__(what)
        self.path = path
        self.source = source


#: Files below these folders are not the user's. The last is that of torch, which PYTHONPATH may have added.
_LIBRARIES = (
    *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    os.path.dirname(os.path.abspath(torch.__file__)) + os.sep,
)
#: Folders of libraries, wherever they are.
_OF_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def is_users(file: str) -> bool:
    """Returns whether a source file is of the script, not of a library or of this package."""
    return not (file.startswith((*_LIBRARIES, _OWN, "<frozen")) or any(each in file for each in _OF_LIBRARIES))


def users_line(frames: list[tuple[str, int]]) -> str:
    """Returns "file:line" of the innermost frame of the script, else of the innermost frame."""
    found = [f"{file}:{line}" for file, line in frames if is_users(file)]
    return (found or [f"{file}:{line}" for file, line in frames] or [""])[-1]


def line_of_error(error: BaseException) -> str:
    return users_line([(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)])


def advice_on(error: BaseException) -> str:
    """Returns what to do about an error of torch whose text does not say it; "" for any other."""
    if any("/torch/distributed/checkpoint/" in frame.filename for frame in traceback.extract_tb(error.__traceback__)):
        return "ranks save or load a checkpoint together: leave it out if the environment has COMMTAP_PLAN"
    operator = getattr(error, "func", None)
    if operator is None:
        return ""
    if "bincount" in str(operator):
        return "its length is a value: give it minlength and plan with --assume-balanced, or plan with --real"
    return "it needs values, which fake tensors do not have: plan with --real"


def line_now() -> str:
    frames: list[tuple[str, int]] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        frames.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return users_line(frames[::-1])


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None)
    if not hasattr(library, "commtap_api_current_step"):
        raise RuntimeError("libcommtap.so is not preloaded: start the plan with commtap plan")
    library.commtap_api_current_step.restype = ctypes.c_long
    library.commtap_api_snapshot_file.argtypes = (ctypes.c_char_p,)
    return library


class Watch:
    """Follows the steps of this process, and ends it.

    A step ends where commtap's own counter ends it: docs/steps.md. But a pipeline stage receives before its forward, so
    after an optimizer's step the next step begins with the schedule. A forward is an outermost module call that is not
    part of a backward.

    Attributes:
        steps: steps after which the process ends; 0: it does not.
        forwards: forwards after which it ends; 0: it does not.
        before_last: the file for the report before the last step. What that step adds, each further step would add.
        stop: ends the process; does not return.
    """

    def __init__(self, steps: int, forwards: int, before_last: str, stop: Callable[[], Any]) -> None:
        self.steps = steps
        self.forwards = forwards
        self.before_last = before_last
        self.stop = stop
        self._library = _library()
        self._depth = 0
        self._begun = 0
        self._step = 0
        self._optimizer_stepped = False
        register_optimizer_step_post_hook(self._after_optimizer)
        for schedule in (PipelineScheduleSingle, PipelineScheduleMulti):  # their eval() calls step()
            replacing.replace(schedule, "step", self._after_look(schedule.step))
        torch.nn.modules.module.register_module_forward_pre_hook(self._before)
        torch.nn.modules.module.register_module_forward_hook(self._after, always_call=True)

    def _after_look(self, run: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(run)
        def run_schedule(*args: Any, **kwargs: Any) -> Any:
            self._look(begins_step=self._optimizer_stepped)
            return run(*args, **kwargs)

        return run_schedule

    def _look(self, begins_step: bool = False) -> None:
        """Sees whether a step has ended, or ends with what `begins_step` says."""
        step = self._library.commtap_api_current_step() + begins_step
        if 0 < self.steps <= step:
            self.stop()
        if step > self._step:
            self._step = step
            self._library.commtap_api_snapshot_file(self.before_last.encode())

    def _after_optimizer(self, *_: Any) -> None:
        self._optimizer_stepped = True

    def _before(self, *_: Any) -> None:
        self._look()
        if self._depth == 0 and torch._C._current_graph_task_id() == -1:
            self._optimizer_stepped = False
            self._begun += 1
            if 0 < self.forwards < self._begun:
                self.stop()
        self._depth += 1

    def _after(self, *_: Any) -> None:
        self._depth -= 1
