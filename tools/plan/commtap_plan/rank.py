# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The process of one rank: runs the user's script without a cluster, and says how it ended."""

import contextlib
import gc
import os
import resource
import runpy
import sys
import time
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import torch

from commtap_plan import balance, cuda, ddp, fake, groups, objects, replacing, stops
from commtap_plan.settings import DATA, ERROR, SCRIPT, STEPS, Outcome, RankSettings, before_last_path


class Process:
    """What this process notes for its outcome."""

    def __init__(self, settings: RankSettings, planned_groups: groups.Groups) -> None:
        self.settings = settings
        self.groups = planned_groups
        self.started = time.monotonic()
        self.meshes: list[dict[str, Any]] = []
        self.notes: dict[str, None] = {}
        self.mail = objects.deliver_objects(settings)

    def end(
        self, ended: str, where: str = "", what: str = "", waits_for: stops.ObjectMissing | None = None
    ) -> NoReturn:
        """Ends the process at once: what the script would do at its exit is part of the real job only."""
        outcome = Outcome(
            ended,
            where,
            what,
            self.meshes,
            [made for made in self.groups.made if made[1]],
            list(self.notes),
            sorted(self.mail.peers),
            self.mail.gathered,
            waits_for.path if waits_for else "",
            waits_for.source if waits_for else -1,
            _parameter_bytes(),
            time.monotonic() - self.started,
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        )
        outcome.write(self.settings)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(0 if ended in (STEPS, SCRIPT) else 1)


def _parameter_bytes() -> int:
    """Returns the size of this rank's parameters; for a DTensor, of its part of them."""
    total = 0
    for thing in gc.get_objects():
        kind = type(thing)
        if issubclass(kind, torch.Tensor) and (kind is torch.nn.Parameter or vars(thing).get("_is_param", False)):
            local = getattr(thing, "_local_tensor", thing)
            total += local.numel() * local.element_size()
    return total


def _watch_meshes(process: Process) -> None:
    """Notes each device mesh that a script makes."""
    from torch.distributed.device_mesh import DeviceMesh

    real = DeviceMesh.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        if kwargs.get("_layout") is None:
            names = list(self.mesh_dim_names or [])
            process.meshes.append({"names": names, "ranks": self.mesh.tolist()})

    replacing.replace(DeviceMesh, "__init__", init)


def _run(settings: RankSettings, arguments: list[str]) -> None:
    if settings.kind == "module":
        sys.path.insert(0, os.getcwd())
        sys.argv = [settings.target, *arguments]
        runpy.run_module(settings.target, run_name="__main__", alter_sys=True)
        return
    is_script = settings.kind == "script"
    sys.path.insert(0, os.path.dirname(os.path.abspath(settings.target)) if is_script else "")
    sys.argv = [settings.target if is_script else "-c", *arguments]
    main = types.ModuleType("__main__")
    file = settings.target if is_script else "<string>"
    text = settings.target
    if is_script:
        with open(settings.target, "rb") as script:
            text = script.read()
        main.__file__ = settings.target
    sys.modules["__main__"] = main
    exec(compile(text, file, "exec"), main.__dict__)


@contextlib.contextmanager
def _depth(process: Process) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        if process.settings.fake:
            stack.enter_context(fake.fake_tensors(process.notes))
        if process.settings.assume_balanced:
            stack.enter_context(balance.balanced(process.notes))
        yield


def _what(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    advice = stops.advice_on(error)
    return f"{type(error).__name__}: {lines[0] if lines else ''}{': ' if advice else ''}{advice}"


def main(settings_text: str, arguments: list[str]) -> int:
    settings = RankSettings.from_json(settings_text)
    os.environ["TORCH_COMPILE_DISABLE"] = "1"
    planned_groups = groups.without_network(settings)
    ddp.give_futures()
    process = Process(settings, planned_groups)
    balance.forget_counts(process.notes)
    if settings.fake:
        fake.keep_meshes_real()
    _watch_meshes(process)
    before_last = str(before_last_path(Path(settings.folder), settings.rank))
    stops.Watch(settings.steps, settings.forwards, before_last, lambda: process.end(STEPS))
    try:
        with cuda.without_gpu(settings.fake, process.notes, planned_groups.asked.asks_for_nccl), _depth(process):
            _run(settings, arguments)
    except SystemExit as ending:
        if ending.code in (None, 0):
            process.end(SCRIPT)
        process.end(ERROR, stops.line_of_error(ending), f"the script ended with status {ending.code}")
    except BaseException as error:  # whatever ends a script
        traceback.print_exc()
        kind = DATA if isinstance(error, (stops.DataDecides, *fake.DATA_ERRORS)) else ERROR
        waits_for = error if isinstance(error, stops.ObjectMissing) else None
        process.end(kind, stops.line_of_error(error), _what(error), waits_for)
    process.end(SCRIPT)
