# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`CommDebugMode`: counts the collectives of a piece of code by op and by module.

Names, methods and formats are those of `torch.distributed.tensor.debug.CommDebugMode` (PyTorch 2.13). The tracker
makes the counts: they cover every thread, compiled code as it runs, and any number of steps. A collective in backward
is attributed to the module whose forward made the running autograd node. PyTorch attributes it to the last module
whose hook ran.
"""

import json
from collections import defaultdict
from typing import Any

import torch
import torch.distributed as dist
from torch._guards import detect_fake_mode
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

from commtap.control import Capture, Threads
from commtap.module_facts import CommModuleTracker
from commtap.native import native
from commtap.op_packets import NATIVE_PACKETS, PACKETS, USUAL_REGISTRY
from commtap.operations import Operation, is_dry, operation
from commtap.tracing_tables import json_tree, module_table, tracing_table, without_color

__all__ = ["CommDebugMode"]


class PassCounts(dict):
    """One module's counts: "forward" and "backward", each {op: count}. Indexing with an op returns the sum of both."""

    def __init__(self) -> None:
        super().__init__(forward=defaultdict(int), backward=defaultdict(int))

    def __missing__(self, op: Any) -> int:
        if isinstance(op, str):
            raise KeyError(op)
        return self["forward"].get(op, 0) + self["backward"].get(op, 0)


def _whose_collectives() -> Threads:
    """Returns `Threads.THIS` in PyTorch's test harness, where each thread is a rank; else `Threads.ALL`."""
    ranks_are_threads = type(dist.distributed_c10d._world).__name__ == "ThreadLocalWorld"
    return Threads.THIS if ranks_are_threads else Threads.ALL


class CommDebugMode(TorchDispatchMode):
    """A context manager that counts collectives.

    Each entry clears all counts and records; contexts nest. The counts stay readable after the exit. As in PyTorch's
    class, they exclude sends, receives and barriers. `commtap.Capture` counts those, with bytes and groups.

    This mode's own `__torch_dispatch__` makes the op records of noise levels 1 to 3. It runs above the dispatcher's
    kernels, where a DTensor still has its placements. Compiled code stays compiled: only those of its ops that go
    through the dispatcher are recorded.

    Example::

        with CommDebugMode() as comm_mode:
            model(batch).sum().backward()
        comm_mode.get_comm_counts()[torch.ops.c10d_functional.all_reduce]
    """

    supports_higher_order_operators = True

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Returns True: torch.compile compiles, and compiled code runs, inside this mode."""
        return True

    def __init__(self) -> None:
        super().__init__()
        self.advanced_module_tracker = CommModuleTracker()
        #: The op packets that count as collectives in addition to c10d's. An added packet is counted only in eager code
        #: on this mode's threads.
        self.comm_registry: set[Any] = set(USUAL_REGISTRY)
        self._capture = Capture()
        #: The calls that this mode counts itself: (module, key, in backward).
        self._seen_here: list[tuple[str, Any, bool]] = []
        self._comm_counts: defaultdict[Any, int] = defaultdict(int)
        self._comm_module_counts: dict[str, PassCounts] = {}
        self._open = False

    def __enter__(self) -> "CommDebugMode":
        native()
        self._seen_here = []
        self._capture = Capture(_whose_collectives())
        self.advanced_module_tracker.__enter__()
        self._capture.__enter__()
        self._open = True
        super().__enter__()
        self._update()
        return self

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        self._capture.__exit__()
        self._update()
        self._open = False
        self.advanced_module_tracker.__exit__()

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.HigherOrderOperator):
            return func(*args, **kwargs)
        place = native().place()
        name, phase = self.advanced_module_tracker.name_of(place.module_id), place.phase.decode()
        record = operation(func, args, phase)
        if any(issubclass(each, DTensor) for each in types):
            self.advanced_module_tracker.log.add(name, record)
            return NotImplemented  # DTensor runs the op; its plain-tensor ops are dispatched here again
        output = func(*args, **kwargs)
        packet = self._packet_of_mode(func._overloadpacket, args)
        if packet is not None:
            self._seen_here.append((name, packet, record["is_bw"]))
        if not detect_fake_mode(args):
            self.advanced_module_tracker.log.add(name, record)
        return output

    def _packet_of_mode(self, packet: Any, args: tuple) -> Any | None:
        """Returns the key of a call that this mode counts in place of the tracker; None for any other call.

        Those are collectives on fake or meta tensors and calls of ops that the user added to `comm_registry`.
        """
        name = str(packet)
        if name in PACKETS:
            return PACKETS[name] if self._is_registered(name) and is_dry(args) else None
        return packet if packet in self.comm_registry and packet not in USUAL_REGISTRY else None

    def _is_registered(self, op: str) -> bool:
        return op not in NATIVE_PACKETS or NATIVE_PACKETS[op] in self.comm_registry

    def _update(self) -> None:
        """Updates the dictionaries of counts in place, so references to them stay current."""
        self._comm_counts.clear()
        self._comm_module_counts.clear()
        self._comm_module_counts["Global"] = PassCounts()
        for row in self._capture.collectives():
            packet = PACKETS.get(row.op)
            if packet is not None and self._is_registered(row.op):
                name = self.advanced_module_tracker.name_of(row.issued_in_id)
                self._add(name, packet, row.phase in ("backward", "recompute"), row.count)
        for name, packet, is_backward in self._seen_here:
            self._add(name, packet, is_backward, 1)

    def _add(self, name: str, packet: Any, is_backward: bool, count: int) -> None:
        self._comm_counts[packet] += count
        which = "backward" if is_backward else "forward"
        above = self.advanced_module_tracker.module_parents_dict.get(name, set())
        for each in dict.fromkeys(["Global", name, *sorted(above)]):
            self._comm_module_counts.setdefault(each, PassCounts())[which][packet] += count

    @property
    def comm_counts(self) -> dict[Any, int]:
        """Count by op packet; 0 for an op that was not called."""
        if self._open:
            self._update()
        return self._comm_counts

    @property
    def comm_module_counts(self) -> dict[str, PassCounts]:
        """Module name: {"forward": {op: count}, "backward": {op: count}}, including the modules called inside it."""
        if self._open:
            self._update()
        return self._comm_module_counts

    @property
    def comm_module_operation_counts(self) -> dict[str, dict[str, list[Operation]]]:
        """Module name: {"operations_list": records of the ops that ran in it}. Repeated steps add no records."""
        return self.advanced_module_tracker.log.by_module

    def get_total_counts(self) -> int:
        """Returns the number of collectives of all ops."""
        return sum(self.comm_counts.values())

    def get_comm_counts(self) -> dict[Any, int]:
        """Returns the count by op packet.

        The key is the older name, such as `torch.ops.c10d_functional.all_reduce`, for native functional ops too.
        """
        return self.comm_counts

    def get_comm_module_counts(self) -> dict[str, PassCounts]:
        """Returns `comm_module_counts`."""
        return self.comm_module_counts

    def get_parameter_info(self) -> dict[str, dict[str, Any]]:
        """Returns {module name: {parameter name: tensor}} for the modules called in this context."""
        return self.advanced_module_tracker.module_parameters_dict

    def get_sharding_info(self) -> dict[str, Any]:
        """Returns {"module.parameter": placements} for the parameters that are DTensors."""
        return self.advanced_module_tracker.sharding_dict

    def generate_module_tracing_table(self) -> str:
        """Returns a table with ANSI color: one line per module, each followed by one line per op that it called."""
        return module_table(self.advanced_module_tracker, self.comm_module_counts)

    def generate_comm_debug_tracing_table(self, noise_level: int = 3) -> str:
        """Returns a table of modules, collectives and ops, with ANSI color.

        Args:
            noise_level: 0 shows collectives by module; 1 adds module types, placements and ops on DTensors; 2 adds all
                other ops; 3 adds the trivial ones (detach, t, view, _to_copy, as_strided, transpose).
        """
        return tracing_table(self.advanced_module_tracker, self.comm_module_counts, noise_level)

    def generate_json_dump(self, file_name: str = "comm_mode_log.json", noise_level: int = 3) -> None:
        """Writes the JSON tree that PyTorch's browser page for CommDebugMode reads.

        Args:
            file_name: the file to create or overwrite.
            noise_level: as for `generate_comm_debug_tracing_table`.

        Raises:
            OSError: the file cannot be written.
        """
        tree = json_tree(self.advanced_module_tracker, self.comm_module_counts, noise_level)
        with open(file_name, "w", encoding="utf-8") as file:
            json.dump(tree, file, indent=4)

    def log_module_tracing_table_to_file(self) -> None:
        """Writes the result of `generate_module_tracing_table`, without color, to output.txt in the current folder.

        Raises:
            OSError: the file cannot be written.
        """
        self._write("output.txt", self.generate_module_tracing_table())

    def log_comm_debug_tracing_table_to_file(self, file_name: str = "comm_mode_log.txt", noise_level: int = 3) -> None:
        """Writes the result of `generate_comm_debug_tracing_table`, without color.

        Args:
            file_name: the file to create or overwrite.
            noise_level: as for `generate_comm_debug_tracing_table`.

        Raises:
            OSError: the file cannot be written.
        """
        self._write(file_name, self.generate_comm_debug_tracing_table(noise_level))

    @staticmethod
    def _write(file_name: str, table: str) -> None:
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(without_color(table))

    def print_paramater_info(self) -> None:
        """Prints the result of `get_parameter_info`. PyTorch spells the name so."""
        self.advanced_module_tracker.print_paramater_info()

    def print_sharding_info(self) -> None:
        """Prints the result of `get_sharding_info`, one line per parameter."""
        self.advanced_module_tracker.print_sharding_info()

    def __repr__(self) -> str:
        return f"CommDebugMode(get_total_counts()={self.get_total_counts()})"
