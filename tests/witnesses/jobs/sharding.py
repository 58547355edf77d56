# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Accelerate's FSDP on CPUs."""

from accelerate import Accelerator, FullyShardedDataParallelPlugin, PartialState
from accelerate.utils import DistributedType


def use_fsdp(plugin: FullyShardedDataParallelPlugin) -> None:
    """Sets the state that an Accelerator has on GPUs; on CPUs it would ignore the plugin and use DDP."""
    Accelerator(cpu=True).state.fsdp_plugin = plugin
    PartialState().distributed_type = DistributedType.FSDP
