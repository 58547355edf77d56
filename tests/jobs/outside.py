# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Functions of torch that communicate outside of every module, and functions of the job that look like them."""

import threading

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from common import finish, say, start
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import loss_parallel
from torch.nn import functional as F
from torch.profiler import record_function

WIDTH = 8


def tensors(mesh: DeviceMesh) -> None:
    weight = distribute_tensor(torch.rand(WIDTH, WIDTH), mesh, [Shard(0)])
    weight.full_tensor()
    weight.redistribute(placements=[Replicate()])
    with record_function("evaluate"):
        weight.full_tensor()


def loss(mesh: DeviceMesh) -> None:
    """The classes are shared by the ranks."""
    local = torch.rand(4, WIDTH // mesh.size(), requires_grad=True)
    logits = DTensor.from_local(local, mesh, [Shard(1)], run_check=False)
    with loss_parallel():
        F.cross_entropy(logits, torch.arange(4)).backward()
    say(f"gradient {local.grad.sum().item()!r}")


def sharded_model(mesh: DeviceMesh) -> None:
    model = fully_shard(torch.nn.Linear(WIDTH, WIDTH), mesh=mesh)
    model(torch.rand(2, WIDTH)).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    torch.nn.utils.get_total_norm([model.weight.grad]).full_tensor()
    say(f"norm {norm.full_tensor().item()!r}")
    dcp.save(model.state_dict(), checkpoint_id="checkpoint")
    dcp.load(model.state_dict(), checkpoint_id="checkpoint")


def objects() -> None:
    found = [None] * dist.get_world_size()
    dist.all_gather_object(found, dist.get_rank())
    dist.broadcast_object_list(found)


def clip_grad_norm_() -> None:
    """Has torch's name, and is not torch's function."""
    dist.all_reduce(torch.ones(WIDTH))


def main() -> None:
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    tensors(mesh)
    loss(mesh)
    sharded_model(mesh)
    objects()
    clip_grad_norm_()
    thread = threading.Thread(target=lambda: distribute_tensor(torch.rand(WIDTH), mesh, [Shard(0)]))
    thread.start()
    thread.join()
    finish()


if __name__ == "__main__":
    main()
