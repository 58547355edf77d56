# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trains one small model on one global batch in one of many layouts, right or with an error of one of them.

`layouts.py LAYOUT [--wrong ERROR] [--dtype TYPE] ...`. All layouts with the same options are one training.
"""

import argparse
from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as differentiable
from common import finish, start
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

VOCAB, WIDTH, LENGTH, ROWS = 64, 32, 8, 8


class Sum(torch.autograd.Function):
    """Sums over the ranks in the forward, or in the backward."""

    @staticmethod
    def forward(ctx: object, x: torch.Tensor, forward: bool, backward: bool) -> torch.Tensor:
        ctx.backward = backward
        x = x.clone()
        if forward:
            dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx: object, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        gradient = gradient.clone()
        if ctx.backward:
            dist.all_reduce(gradient)
        return gradient, None, None


class Block(nn.Module):
    """A part of the model; `part` is how many of the ranks share its hidden features by hand."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.options = options
        self.norm = nn.LayerNorm(WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.mix = nn.Linear(WIDTH, WIDTH) if options.mix else None
        self.dropout = nn.Dropout(0.1 if options.dropout else 0.0)

    def mean(self, x: torch.Tensor) -> torch.Tensor:
        """The mean over the sequence, of which a rank may have a part."""
        if self.options.layout != "cp":
            return x.mean(1, keepdim=True)
        whole = Sum.apply(x.sum(1, keepdim=True), True, self.options.wrong != "cut_backward")
        return whole / LENGTH

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.mix is not None:
            x = x + self.mix(self.mean(x))
        h = self.norm(x)
        if self.options.layout == "tp_by_hand":
            h = F.gelu(self.up(Sum.apply(h, False, True)))
            biased = self.options.wrong == "bias_on_each_rank"
            h = Sum.apply(F.linear(h, self.down.weight, self.down.bias if biased else None), True, False)
            h = h if biased else h + self.down.bias
        else:
            h = self.down(F.gelu(self.up(h)))
        return x + self.dropout(h)


class Experts(nn.Module):
    """Two experts, each token to one of them; on two ranks each has one."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.options = options
        self.gate = nn.Linear(WIDTH, 1)
        self.experts = nn.ModuleDict({str(i): nn.Linear(WIDTH, WIDTH) for i in range(2)})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shape, x = x.shape, x.reshape(-1, WIDTH)
        gate = torch.sigmoid(self.gate(x))
        mine = slice(0, len(x))
        rows = x
        if self.options.layout == "ep":
            mine = slice(dist.get_rank() * len(x), (dist.get_rank() + 1) * len(x))
            rows = torch.cat(differentiable.all_gather(x))
        out = sum(
            expert(rows) * (torch.arange(len(rows)) % 2 == int(name)).unsqueeze(1)
            for name, expert in self.experts.items()
        )
        if self.options.layout == "ep":
            out = differentiable.all_reduce(out)
        return (x + out[mine] * gate).view(shape)


class Net(nn.Module):
    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCAB, WIDTH)
        blocks = {"0": Block(options), "1": Block(options)}
        if options.experts:
            blocks["1"] = Experts(options)
        self.blocks = nn.ModuleDict(blocks)
        self.batch_norm = nn.BatchNorm1d(LENGTH) if options.batch_norm else None
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCAB)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x if self.embed is None else self.embed(x)
        x = x if self.batch_norm is None else self.batch_norm(x)
        for block in self.blocks.values():
            x = block(x)
        return x if self.head is None else self.head(self.norm(x))


def batch(step: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The global batch, its targets, and which of these count: few in the first rows."""
    made = torch.Generator().manual_seed(step)
    tokens = torch.randint(VOCAB, (ROWS, LENGTH), generator=made)
    mask = torch.arange(LENGTH).expand(ROWS, -1) < torch.arange(1, ROWS + 1).unsqueeze(1)
    return tokens, (3 * tokens + 1) % VOCAB, mask.float()


def shard_by_hand(net: Net) -> None:
    size, rank = dist.get_world_size(), dist.get_rank()
    for block in net.blocks.values():
        part = slice(rank * 2 * WIDTH // size, (rank + 1) * 2 * WIDTH // size)
        block.up.weight = nn.Parameter(block.up.weight.detach()[part].clone())
        block.up.bias = nn.Parameter(block.up.bias.detach()[part].clone())
        block.down.weight = nn.Parameter(block.down.weight.detach()[:, part].clone())


def tensor_parallel(net: Net, mesh: dist.DeviceMesh, *, sequence: bool) -> None:
    for block in net.blocks.values():
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        if sequence:
            plan = {
                "norm": SequenceParallel(),
                "up": ColwiseParallel(input_layouts=Shard(1)),
                "down": RowwiseParallel(output_layouts=Shard(1)),
            }
        parallelize_module(block, mesh, plan)
    if sequence:
        plan = {
            "embed": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
            "norm": SequenceParallel(),
            "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
        }
        parallelize_module(net, mesh, plan)


class Training:
    """A layout: which rows of the batch a rank has, its model, and how gradients become those of the whole."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.rank, self.world = options, dist.get_rank(), dist.get_world_size()
        self.net = Net(options).to(getattr(torch, options.dtype))
        self.parts, self.part = self.world, self.rank  # of the rows
        self.model: nn.Module = self.net
        self.reduce: Callable[[], None] = lambda: None
        getattr(self, "make_" + options.layout)()
        parameters = [each for each in self.model.parameters() if each.requires_grad]
        if options.layout == "zero":
            self.optimizer = ZeroRedundancyOptimizer(parameters, torch.optim.AdamW, lr=1e-3)
        elif options.sgd:
            self.optimizer = torch.optim.SGD(parameters, 50 * options.rate, momentum=0.9)
        else:
            self.optimizer = torch.optim.AdamW(parameters, options.rate)

    def average(self, parameters: Iterable[nn.Parameter] | None = None) -> None:
        for each in self.net.parameters() if parameters is None else parameters:
            dist.all_reduce(each.grad)
            if self.options.wrong != "sum_for_mean":
                each.grad /= self.world

    def make_one(self) -> None:
        self.parts, self.part = 1, 0

    def make_ddp(self) -> None:
        self.model = DistributedDataParallel(self.net)

    def make_by_hand(self) -> None:
        self.reduce = self.average

    def make_zero(self) -> None:
        self.model = DistributedDataParallel(self.net)

    def make_fsdp1(self) -> None:
        self.model = FullyShardedDataParallel(self.net, device_id=torch.device("cpu"), use_orig_params=True)

    def make_fsdp2(self) -> None:
        for block in self.net.blocks.values():
            fully_shard(block)
        fully_shard(self.net)
        for each in (self.net, *self.net.blocks.values()) if self.options.wrong == "divide_factor" else ():
            each.set_force_sum_reduction_for_comms(enable=True)
            each.set_gradient_divide_factor(1.0)

    def make_hsdp(self) -> None:
        fully_shard(self.net, mesh=init_device_mesh("cpu", (2, self.world // 2), mesh_dim_names=("copy", "shard")))

    def make_tp(self) -> None:
        self.parts, self.part = 1, 0
        tensor_parallel(self.net, init_device_mesh("cpu", (self.world,), mesh_dim_names=("tp",)), sequence=False)
        if self.options.wrong == "norms_summed":
            self.reduce = lambda: [dist.all_reduce(block.norm.weight.grad) for block in self.net.blocks.values()]

    def make_sp(self) -> None:
        self.parts, self.part = 1, 0
        mesh = init_device_mesh("cpu", (self.world,), mesh_dim_names=("tp",))
        tensor_parallel(self.net, mesh, sequence=True)
        if self.options.wrong == "norms_averaged":

            def reduce() -> None:
                for each in [block.norm for block in self.net.blocks.values()]:
                    each.weight.grad = each.weight.grad.redistribute(placements=[Replicate()]) / self.world
                    each.bias.grad = each.bias.grad.redistribute(placements=[Replicate()]) / self.world

            self.reduce = reduce

    def make_fsdp2_tp(self) -> None:
        mesh = init_device_mesh("cpu", (self.world // 2, 2), mesh_dim_names=("dp", "tp"))
        self.parts, self.part = self.world // 2, mesh["dp"].get_local_rank()
        tensor_parallel(self.net, mesh["tp"], sequence=False)
        fully_shard(self.net, mesh=mesh["dp"])

    def make_tp_by_hand(self) -> None:
        self.parts, self.part = 1, 0
        shard_by_hand(self.net)

    def make_cp(self) -> None:
        self.parts, self.part = 1, 0
        self.reduce = self.average

    def make_ep(self) -> None:
        del self.net.blocks["1"].experts[str(1 - self.rank)]

        def reduce() -> None:
            experts = list(self.net.blocks["1"].experts.parameters())
            self.average(each for each in self.net.parameters() if all(each is not other for other in experts))
            for each in experts:
                if self.options.wrong == "experts_doubled":
                    each.grad *= 2 * 2 / self.world
                elif self.options.wrong != "experts_summed":
                    each.grad /= self.world

        self.reduce = reduce

    def make_pp(self) -> None:
        self.parts, self.part = 1, 0
        if self.rank == 0:
            self.net.norm = self.net.head = None
            del self.net.blocks["1"]
        else:
            self.net.embed = None
            del self.net.blocks["0"]

    def make_pipelining(self) -> None:
        self.make_pp()
        stage = PipelineStage(self.net, self.rank, self.world, torch.device("cpu"))
        self.schedule = ScheduleGPipe(
            stage, 2, lambda logits, targets: F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        )

    def loss_of(self, model: nn.Module, parts: tuple[torch.Tensor, ...]) -> torch.Tensor:
        inputs, targets, mask = parts
        logits = model(inputs)
        if not self.options.masked:
            return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())
        each = F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), reduction="none")
        count = mask.sum()
        if self.options.wrong != "own_token_count":
            count = batch(1)[2].sum() / self.parts / self.options.micro
        return (each * mask.flatten()).sum() / count

    def backward(self, parts: tuple[torch.Tensor, ...]) -> None:
        inputs, targets, mask = parts
        if self.options.layout == "pipelining":
            self.schedule.step(inputs) if self.rank == 0 else self.schedule.step(target=targets)
            return
        if self.options.layout != "pp":
            if self.options.layout == "cp":
                parts = tuple(each.chunk(self.world, 1)[self.rank].contiguous() for each in parts)
            with torch.autocast("cpu", torch.bfloat16, enabled=self.options.autocast):
                loss = self.loss_of(self.model, parts)
            (loss / self.options.micro).backward()
            return
        wire = torch.zeros(*inputs.shape, WIDTH)
        if self.rank == 0:
            out = self.net(inputs)
            dist.send(out.detach(), 1)
            dist.recv(wire, 1)
            out.backward(wire)
        else:
            dist.recv(wire, 0)
            wire.requires_grad_()
            (self.loss_of(self.net, (wire, targets, mask)) / self.options.micro).backward()
            dist.send(wire.grad, 0)

    def step(self, number: int) -> None:
        options = self.options
        number = number + 100 if options.other_data else number
        whole = batch(number)
        if options.repeat:
            whole = tuple(each[: ROWS // 2].repeat(2, 1) for each in whole)
        mine = [each.chunk(self.parts)[self.part] for each in whole]
        micros = list(zip(*(each.chunk(options.micro) for each in mine), strict=True))
        if options.wrong == "uneven_means":
            micros = [tuple(each[:1] for each in mine), tuple(each[1:] for each in mine)]
        for micro in micros:
            kept = [None if each.grad is None else each.grad.clone() for each in self.net.parameters()]
            self.backward(micro)
            if options.wrong == "last_micro_batch" and micro is micros[-1]:
                for each, gradient in zip(self.net.parameters(), kept, strict=True):
                    each.grad = gradient
            if options.wrong == "only_last_micro_batch" and micro is not micros[-1]:
                self.optimizer.zero_grad()
            if options.wrong == "doubles" and micro is not micros[-1]:
                for each in self.net.blocks["1"].parameters():
                    each.grad *= 2
        self.reduce()
        if options.wrong == "head_scaled":
            self.net.head.weight.grad *= 1.48
        if options.wrong == "own_norm":
            norm = torch.stack([each.grad.norm() for each in self.net.parameters()]).norm()
            for each in self.net.parameters():
                each.grad *= 1.0 / max(float(norm), 1e-6)
        if options.clip:
            nn.utils.clip_grad_norm_(self.net.parameters(), 0.1)
        if options.evaluate:
            with torch.no_grad():
                self.model(batch(number + 50)[0])
        self.optimizer.step()
        self.optimizer.zero_grad()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("layout")
    parser.add_argument("--wrong", default="")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--micro", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    flags = "mix dropout experts masked autocast sgd other-data batch-norm clip evaluate repeat"
    for flag in flags.split():
        parser.add_argument("--" + flag, action="store_true")
    options = parser.parse_args()
    start()
    torch.manual_seed(options.seed)
    training = Training(options)
    for number in range(1, options.steps + 1):
        training.step(number)
    finish()


main()
