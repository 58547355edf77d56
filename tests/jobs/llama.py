# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A Llama-like model of any size: FSDP2 over tensor and sequence parallelism, whole or in pipeline stages.

To be planned, not to be run.
"""

import argparse
from collections.abc import Callable

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn import functional as F


class Attention(nn.Module):
    """Causal attention with heads of 128."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q, k, v = (each(x).view(batch, length, -1, 128).transpose(1, 2) for each in (self.wq, self.wk, self.wv))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(mixed.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    """SwiGLU."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.w1, self.w3 = nn.Linear(dim, hidden, bias=False), nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    """Attention and feed-forward, each with a norm before it."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.attention_norm, self.ffn_norm = nn.RMSNorm(dim), nn.RMSNorm(dim)
        self.attention, self.feed_forward = Attention(dim), FeedForward(dim, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.ffn_norm(h))


class Llama(nn.Module):
    """Embedding, blocks, norm, output; a stage of a pipeline has the first or the last parts only at its ends."""

    def __init__(self, arguments: argparse.Namespace, stage: int) -> None:
        super().__init__()
        dim, vocabulary = arguments.dim, arguments.vocabulary
        is_last = stage == arguments.pp - 1
        self.tok_embeddings = nn.Embedding(vocabulary, dim) if stage == 0 else nn.Identity()
        self.layers = nn.ModuleList(Block(dim, arguments.hidden) for _ in range(arguments.layers // arguments.pp))
        self.norm = nn.RMSNorm(dim) if is_last else nn.Identity()
        self.output = nn.Linear(dim, vocabulary, bias=False) if is_last else nn.Identity()

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        h = self.tok_embeddings(tokens)
        for layer in self.layers:
            h = layer(h)
        return self.output(self.norm(h))


def split_tensors(model: Llama, mesh: DeviceMesh) -> None:
    """Tensor parallelism, with the sequence split between blocks."""
    whole = {"input_layouts": Shard(1), "desired_input_layouts": Replicate()}
    ends = {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }
    here = {name: style for name, style in ends.items() if not isinstance(getattr(model, name), nn.Identity)}
    parallelize_module(model, mesh, here)
    for block in model.layers:
        plan = {
            "attention_norm": SequenceParallel(),
            "attention": PrepareModuleInput(**whole),
            "attention.wo": RowwiseParallel(output_layouts=Shard(1)),
            "ffn_norm": SequenceParallel(),
            "feed_forward": PrepareModuleInput(**whole),
            "feed_forward.w2": RowwiseParallel(output_layouts=Shard(1)),
        }
        plan |= {f"attention.{name}": ColwiseParallel() for name in ("wq", "wk", "wv")}
        plan |= {f"feed_forward.{name}": ColwiseParallel() for name in ("w1", "w3")}
        parallelize_module(block, mesh, plan)


def loss_of(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(logits.flatten(0, 1).float(), tokens.flatten())


def train_whole(model: Llama, arguments: argparse.Namespace) -> Callable[[], torch.Tensor]:
    """Returns what makes the forward and the backward of a step."""

    def step() -> torch.Tensor:
        tokens = torch.randint(arguments.vocabulary, (1, arguments.length))
        loss = loss_of(model(tokens), tokens)
        loss.backward()
        return loss

    return step


def train_stage(model: Llama, mesh: DeviceMesh, arguments: argparse.Namespace) -> Callable[[], torch.Tensor]:
    """Returns what makes a step of a pipeline's stage, with one sequence in each micro-batch."""
    stage, number = mesh["pp"].get_local_rank(), arguments.micro_batches
    between = torch.empty(1, arguments.length // arguments.tp, arguments.dim, requires_grad=True)
    tokens = torch.zeros(1, arguments.length, dtype=torch.long)
    logits = torch.empty(1, arguments.length, arguments.vocabulary)
    is_last = stage == arguments.pp - 1
    pipeline = PipelineStage(
        model,
        stage,
        arguments.pp,
        torch.device("cpu"),
        input_args=(between if stage else tokens,),
        output_args=(logits if is_last else between,),
        group=mesh["pp"].get_group(),
    )
    schedule = Schedule1F1B(pipeline, number, loss_fn=loss_of)

    def step() -> torch.Tensor:
        batch = torch.randint(arguments.vocabulary, (number, arguments.length))
        losses: list[torch.Tensor] = []
        schedule.step(
            *([] if stage else [batch]), target=batch if is_last else None, losses=losses if is_last else None
        )
        return losses[0] if is_last else torch.zeros(())

    return step


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=32)
    parser.add_argument("--dim", type=int, default=4096)
    parser.add_argument("--hidden", type=int, default=11008)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--length", type=int, default=4096)
    parser.add_argument("--tp", type=int, default=8)
    parser.add_argument("--pp", type=int, default=1)
    parser.add_argument("--micro-batches", type=int, default=8)
    parser.add_argument("--steps", type=int, default=10)
    arguments = parser.parse_args()
    dist.init_process_group("gloo")
    data = dist.get_world_size() // arguments.tp // arguments.pp
    shape, names = (data, arguments.tp), ("dp", "tp")
    if arguments.pp > 1:
        shape, names = (arguments.pp, *shape), ("pp", *names)
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=names)
    torch.set_default_dtype(torch.bfloat16)
    model = Llama(arguments, mesh["pp"].get_local_rank() if arguments.pp > 1 else 0)
    if arguments.tp > 1:
        split_tensors(model, mesh["tp"])
    for block in model.layers:
        fully_shard(block, mesh=mesh["dp"], reshard_after_forward=arguments.pp == 1)
    fully_shard(model, mesh=mesh["dp"], reshard_after_forward=arguments.pp == 1)
    train = train_stage(model, mesh, arguments) if arguments.pp > 1 else train_whole(model, arguments)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(arguments.steps):
        loss = train()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
