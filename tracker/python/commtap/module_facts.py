# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collects the modules' facts for `CommDebugMode`: depth, type, parameters, placements, parents, and tracker ids."""

import threading
from collections import OrderedDict, defaultdict
from typing import Any

import torch
from torch.distributed.tensor import DTensor
from torch.utils.hooks import RemovableHandle

from commtap.mod_tracker import ModTracker
from commtap.native import native
from commtap.operations import OperationLog


class _Forward(threading.local):
    """The modules whose forward a thread is inside, outermost first."""

    def __init__(self) -> None:
        self.names: list[str] = []


class CommModuleTracker(ModTracker):
    """A `ModTracker` that also records each module at its first call in a context.

    The dictionaries have the names of those in PyTorch's CommDebugMode, because its users read them.
    """

    def __init__(self) -> None:
        super().__init__()
        #: Module: depth, module_type, and parameters (name: placements) if any is a DTensor. In order of first calls.
        self.module_helper_dict: dict[str, dict[str, Any]] = {}
        #: Module: {parameter name: tensor}.
        self.module_parameters_dict: dict[str, dict[str, Any]] = {}
        #: Module: itself and all modules that its first call was inside.
        self.module_parents_dict: dict[str, set[str]] = {}
        #: Module: the modules called directly inside it, each once.
        self.parent_dict: dict[str, list[str]] = {}
        #: "module.parameter": placements.
        self.sharding_dict: dict[str, tuple] = {}
        self.log = OperationLog()
        self._name_of_id: dict[int, str] = {}
        self._forward = _Forward()

    @property
    def name(self) -> str:
        """The module that this thread is in; in backward, the module whose backward runs."""
        return self.name_of(native().place().module_id)

    @property
    def activation_checkpointing(self) -> bool:
        """Whether this thread recomputes a forward inside a backward."""
        return native().place().phase == b"recompute"

    @property
    def parent_list(self) -> list[str]:
        """ "Global" and the modules whose forward this thread is in, outermost first. Excludes recomputed forwards."""
        return ["Global", *self._forward.names]

    @property
    def register_forward_hook_handles(self) -> dict[str, RemovableHandle]:
        """Module: a handle whose remove() does nothing, because no hook is registered with the module."""
        return {name: RemovableHandle(OrderedDict()) for name in self.module_helper_dict if name != "Global"}

    @property
    def module_depth_dict(self) -> dict[str, int]:
        """Module: depth, with Global at 0. PyTorch 2.4 has it in place of `module_helper_dict`."""
        return {name: facts["depth"] for name, facts in self.module_helper_dict.items()}

    def name_of(self, module_id: int) -> str:
        """Returns the name of the module with this tracker id, even if it was not called in this context."""
        known = self._name_of_id.get(module_id)
        if known is None:
            info = native().info(module_id)
            known = info.module.decode(errors="replace") if info is not None and module_id != 0 else "Global"
            self._name_of_id[module_id] = known
            self._add_parents(module_id, known)
        return known

    def _add_parents(self, module_id: int, name: str) -> None:
        """Adds the parents of a module called before this context, from the tracker's tree."""
        parents = {"Global", name}
        info = native().info(module_id)
        while info is not None and info.parent_id != 0:
            parents.add(self._name_of_id.get(info.parent_id) or native().info(info.parent_id).module.decode())
            info = native().info(info.parent_id)
        self.module_parents_dict.setdefault(name, parents)

    def before_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None) -> None:
        """Enters a module call and records the module's facts."""
        outer = self._thread.names[-1] if self._thread.names else "Global"
        super().before_module(module, args, kwargs)
        if self.is_bw:
            return
        name = self._thread.names[-1]
        if outer == "Global":
            self.log.root_called(name)
        self._name_of_id[native().module_id(module)] = name
        if name not in self.module_helper_dict:
            self._note_call(outer, name)
        self._note_parameters(module, name)
        self._forward.names.append(name)

    def after_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None, output: Any) -> None:
        """Leaves a module call."""
        if not self.is_bw and self._forward.names:
            self._forward.names.pop()
        super().after_module(module, args, kwargs, output)

    def _note_call(self, outer: str, name: str) -> None:
        parents = self.parents
        self.module_helper_dict[name] = {"depth": len(parents) - 1}
        self.module_parents_dict[name] = parents
        self.parent_dict.setdefault(outer, []).append(name)

    def _note_parameters(self, module: torch.nn.Module, name: str) -> None:
        facts = self.module_helper_dict[name]
        facts["module_type"] = str(type(module)).replace("<", "").replace(">", "")
        placements: defaultdict[str, str] = defaultdict(str)
        for parameter_name, parameter in module.named_parameters(recurse=False):
            self.module_parameters_dict.setdefault(name, {})[parameter_name] = parameter.data
            if isinstance(parameter.data, DTensor):
                self.sharding_dict[f"{name}.{parameter_name}"] = parameter.data.placements
                placements[parameter_name] = str(parameter.data.placements)
        if placements:
            facts["parameters"] = dict(placements)

    def __enter__(self) -> "CommModuleTracker":
        self.module_parameters_dict.clear()
        self.sharding_dict.clear()
        self.parent_dict.clear()
        self.module_helper_dict.clear()
        self.module_helper_dict["Global"] = {"depth": 0}
        self.module_parents_dict.clear()
        self.module_parents_dict["Global"] = set()
        self.log = OperationLog()
        self._name_of_id = {0: "Global"}
        self._forward = _Forward()
        super().__enter__()
        return self

    def print_paramater_info(self) -> None:
        """Prints the parameters by module. PyTorch spells the name so."""
        print(self.module_parameters_dict)

    def print_sharding_info(self) -> None:
        """Prints the placements, one line per parameter."""
        for key, value in self.sharding_dict.items():
            print(f"{key}: {value}")
