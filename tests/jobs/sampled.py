# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trains a small model in one of many ways, and says what COMMTAP_VERIFY is to find.

Prints a hash of the final parameters. Writes the values of parameters and gradients at the start of each optimizer's
step to values.RANK.json, and what it puts into its own reductions before: these are what a sample is made of.
"""

import argparse
import contextlib
import hashlib
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.tensor import Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel
from verify_parts import WIDTH, Net

Values = dict[str, tuple[list[float], list[float] | None]]


class Adapted(nn.Module):
    """A frozen layer with a trained one of low rank next to it."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base.requires_grad_(requires_grad=False)
        self.a = nn.Linear(base.in_features, 2, bias=False)
        self.b = nn.Linear(2, base.out_features, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.b(self.a(x))


def local(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """Returns the part of a tensor that this rank has."""
    return tensor if tensor is None or not hasattr(tensor, "_local_tensor") else tensor._local_tensor


def flat(tensor: torch.Tensor | None) -> list[float] | None:
    return None if tensor is None else tensor.detach().flatten().tolist()


def adapt(net: Net) -> Net:
    net.requires_grad_(requires_grad=False)
    for layer in net.layers:
        layer.up = Adapted(layer.up)
        layer.down = Adapted(layer.down)
    return net


def tensor_parallel(net: Net, *, sequence: bool) -> Net:
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    for layer in net.layers:
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        if sequence:
            ends = (ColwiseParallel(input_layouts=Shard(1)), RowwiseParallel(output_layouts=Shard(1)))
            plan = {"norm": SequenceParallel(), "up": ends[0], "down": ends[1]}
        parallelize_module(layer, mesh, plan)
    return net


def sharded_in_two_dimensions(net: Net) -> Net:
    mesh = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("dp", "tp"))
    for layer in net.layers:
        parallelize_module(layer, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
    return fully_shard(net, mesh=mesh["dp"])


MODELS: dict[str, Callable[[Net], nn.Module]] = {
    "ddp": DistributedDataParallel,
    "fsdp1": lambda net: FullyShardedDataParallel(net, device_id=torch.device("cpu")),
    "fsdp1_originals": lambda net: FullyShardedDataParallel(net, device_id=torch.device("cpu"), use_orig_params=True),
    "fsdp2": fully_shard,
    "fsdp2_tp": sharded_in_two_dimensions,
    "by_hand": lambda net: net,
    "bucket": lambda net: net,
    "lora": lambda net: DistributedDataParallel(adapt(net)),
    "tp": lambda net: tensor_parallel(net, sequence=False),
    "sp": lambda net: tensor_parallel(net, sequence=True),
}


class Training:
    """A model and its optimizers, the values at each step, and how a step is made."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.how = arguments.how
        self.net = Net()
        self.model = MODELS.get(self.how, DistributedDataParallel)(self.net)
        trained = [each for each in self.model.parameters() if each.requires_grad]
        if self.how == "two":
            halves = (trained[:5], trained[5:])
            self.optimizers = [torch.optim.SGD(halves[0], lr=0.1), torch.optim.AdamW(halves[1], lr=0.01)]
        elif self.how == "closure":
            self.optimizers = [torch.optim.LBFGS(trained, max_iter=2)]
        else:
            self.optimizers = [torch.optim.AdamW(trained, lr=0.01)]
        self.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        self.values: list[dict[str, object]] = []
        self.inputs: list[list[float] | None] = []
        for number, optimizer in enumerate(self.optimizers):
            optimizer.register_step_pre_hook(lambda *_, number=number: self.note(number))
        if self.how == "compiled":
            self.optimizers[0].step = torch.compile(self.optimizers[0].step, backend="eager")

    def note(self, optimizer: int) -> None:
        names = {id(each): name for name, each in self.model.named_parameters()}
        rows: Values = {}
        for group in self.optimizers[optimizer].param_groups:
            for each in group["params"]:
                name = names[id(each)].removeprefix("module.").replace("_fsdp_wrapped_module.", "")
                rows["Net." + name] = (flat(local(each)) or [], flat(local(each.grad)))
        self.values.append({"optimizer": optimizer, "rows": rows, "inputs": self.inputs})
        self.inputs = []

    def reduce(self) -> None:
        """Averages the gradients, each in its memory or all in a bucket."""
        gradients = [each.grad for each in self.model.parameters()]
        if self.how == "bucket":
            gradients = [torch.cat([each.flatten() for each in gradients])]
        for each in gradients:
            self.inputs.append(flat(each))
            dist.all_reduce(each)
            each /= dist.get_world_size()
        if self.how == "bucket":
            for each, part in zip(
                self.model.parameters(),
                gradients[0].split([each.numel() for each in self.model.parameters()]),
                strict=True,
            ):
                each.grad.copy_(part.view_as(each))

    def loss(self) -> torch.Tensor:
        loss = self.model(self.batch).square().mean()
        (self.scaler.scale(loss) if self.how == "scaler" else loss).backward()
        return loss

    def closure(self) -> torch.Tensor:
        self.optimizers[0].zero_grad()
        return self.loss()

    def step(self, number: int) -> None:
        same = self.how in {"tp", "sp", "fsdp2_tp"}
        torch.manual_seed(100 * number + (0 if same else dist.get_rank()))
        self.batch = torch.rand(4, 2, WIDTH)
        if self.how == "closure":
            self.optimizers[0].step(self.closure)
            return
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        self.loss()
        if self.how in {"by_hand", "bucket"}:
            self.reduce()
        for optimizer in self.optimizers:
            if self.how == "scaler":
                self.scaler.step(optimizer)
                self.scaler.update()
            else:
                optimizer.step()

    def final_hash(self) -> str:
        digest = hashlib.sha256()
        for each in self.model.parameters():
            digest.update(local(each.detach()).numpy().tobytes())
        return digest.hexdigest()


#: Fills the disk of the samples until it is removed.
BALLAST = Path("reports/ballast")


def fill_disk() -> None:
    """Writes until the disk is full. Without commtap, there is no disk to fill."""
    if BALLAST.parent.is_mount():
        with contextlib.suppress(OSError), BALLAST.open("wb", buffering=0) as ballast:
            while True:
                ballast.write(bytes(4096))


def disturb(how: str, rank: int) -> None:
    """Kills this process, or does something to its samples."""
    if how == "kill":
        dist.barrier()
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "fill":
        fill_disk()
    for samples in Path("reports").glob(f"rank-{rank:05}*.samples"):
        if how == "cut":
            os.truncate(samples, 100)
        elif how == "delete":
            samples.unlink()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("how")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--at", type=int, help="the step before which a rank does the next")
    parser.add_argument(
        "--do", choices=("kill", "cut", "delete", "fill"), help="kill itself, spoil its samples, or fill its disk"
    )
    arguments = parser.parse_args()
    rank = start()
    training = Training(arguments)
    for number in range(arguments.steps):
        if number == arguments.at:
            disturb(arguments.do, rank)
        training.step(number)
    BALLAST.unlink(missing_ok=True)
    Path(f"values.{rank}.json").write_text(json.dumps(training.values), encoding="utf-8")
    print(f"rank {rank} {training.final_hash()} {torch.rand(()).item()!r}", flush=True)
    finish()


if __name__ == "__main__":
    main()
