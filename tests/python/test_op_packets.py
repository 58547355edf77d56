# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.op_packets: the ops that count are those of PyTorch's CommDebugMode, by the names of the tracker."""

import re
from pathlib import Path

import torch
from commtap.op_packets import NATIVE_PACKETS, PACKETS, USUAL_REGISTRY
from torch.distributed.tensor.debug import _comm_mode as peer

OP_TABLE = Path(__file__).resolve().parents[2] / "tracker" / "collectives" / "op_table.cc"


def test_every_op_is_a_collective_of_the_tracker() -> None:
    known = {name.replace("::", ".") for name in re.findall(r'\{"([\w:]+)", k', OP_TABLE.read_text(encoding="utf-8"))}
    assert PACKETS.keys() <= known
    assert NATIVE_PACKETS.keys() <= PACKETS.keys()


def test_a_native_op_has_the_key_of_its_older_name() -> None:
    ours = {NATIVE_PACKETS[name]: PACKETS[name] for name in NATIVE_PACKETS}
    dtensor = torch.ops._dtensor.shard_dim_alltoall  # has one name
    autograd = torch.ops._c10d_functional_autograd.all_to_all_single  # calls the op that the tracker counts
    theirs = {native: older for native, older in peer.NATIVE_TO_PY_MAPPING.items() if native is not autograd}
    assert ours == theirs | {dtensor: dtensor}


def test_ops_of_c10d_are_those_of_pytorch() -> None:
    ours = {packet for name, packet in PACKETS.items() if name.startswith("c10d.")}
    assert ours == set(peer.c10d_collective_ops) - {torch.ops.c10d.send, torch.ops.c10d.recv_}


def test_the_registry_is_that_of_pytorch() -> None:
    assert peer.CommDebugMode().comm_registry == USUAL_REGISTRY
