# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DTensor ops that may communicate, with arguments whose dimensions four ranks can share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn import functional as F


@dataclass
class Op:
    """One op and its arguments."""

    name: str
    call: Callable[..., Any]
    args: tuple
    kwargs: dict[str, Any] = field(default_factory=dict)


def _rand(*shape: int) -> torch.Tensor:
    return torch.rand(*shape)


def matmuls() -> list[Op]:
    return [
        Op("mm", torch.mm, (_rand(8, 4), _rand(4, 12))),
        Op("addmm", torch.addmm, (_rand(12), _rand(8, 4), _rand(4, 12))),
        Op("bmm", torch.bmm, (_rand(4, 8, 4), _rand(4, 4, 8))),
        Op("baddbmm", torch.baddbmm, (_rand(4, 8, 8), _rand(4, 8, 4), _rand(4, 4, 8))),
        Op("matmul_batched", torch.matmul, (_rand(4, 8, 4), _rand(4, 12))),
        Op("linear", F.linear, (_rand(8, 4), _rand(12, 4), _rand(12))),
        Op("dot", torch.dot, (_rand(8), _rand(8))),
    ]


def reductions() -> list[Op]:
    return [
        Op("sum", torch.sum, (_rand(8, 4),)),
        Op("sum_dim", torch.sum, (_rand(8, 4), 0)),
        Op("sum_keepdim", torch.sum, (_rand(8, 4), -1), {"keepdim": True}),
        Op("mean", torch.mean, (_rand(8, 4),)),
        Op("mean_dim", torch.mean, (_rand(8, 4), 1)),
        Op("amax", torch.amax, (_rand(8, 4), 0)),
        Op("max", torch.max, (_rand(8, 4),)),
        Op("prod", torch.prod, (_rand(8, 4), 0)),
        Op("var", torch.var, (_rand(8, 4), 1)),
        Op("argmax", torch.argmax, (_rand(8, 4), 0)),
        Op("all", torch.all, (_rand(8, 4) > 0.5,)),
        Op("norm", torch.linalg.vector_norm, (_rand(8, 4),)),
        Op("cumsum", torch.cumsum, (_rand(8, 4), 0)),
        Op("topk", torch.topk, (_rand(8, 4), 2, 0)),
        Op("sort", torch.sort, (_rand(8, 4), 0)),
    ]


def pointwise() -> list[Op]:
    return [
        Op("add", torch.add, (_rand(8, 4), _rand(8, 4))),
        Op("add_broadcast", torch.add, (_rand(8, 4), _rand(4))),
        Op("mul", torch.mul, (_rand(8, 4), _rand(8, 4))),
        Op("div_scalar", torch.div, (_rand(8, 4), 2.0)),
        Op("relu", torch.relu, (_rand(8, 4),)),
        Op("gelu", F.gelu, (_rand(8, 4),)),
        Op("exp", torch.exp, (_rand(8, 4),)),
        Op("where", torch.where, (_rand(8, 4) > 0.5, _rand(8, 4), _rand(8, 4))),
        Op("clamp", torch.clamp, (_rand(8, 4), 0.2, 0.8)),
        Op("addcmul", torch.addcmul, (_rand(8, 4), _rand(8, 4), _rand(8, 4))),
    ]


def layers() -> list[Op]:
    return [
        Op("layer_norm", F.layer_norm, (_rand(4, 8, 16), (16,), _rand(16), _rand(16))),
        Op("rms_norm", F.rms_norm, (_rand(4, 8, 16), (16,), _rand(16))),
        Op("embedding", F.embedding, (torch.randint(8, (4, 8)), _rand(8, 16))),
        Op("softmax", torch.softmax, (_rand(8, 4), -1)),
        Op("log_softmax", torch.log_softmax, (_rand(8, 4), 0)),
        Op("cross_entropy", F.cross_entropy, (_rand(8, 4), torch.randint(4, (8,)))),
        Op("nll_loss", F.nll_loss, (_rand(8, 4), torch.randint(4, (8,))), {"reduction": "sum"}),
        Op("mse_loss", F.mse_loss, (_rand(8, 4), _rand(8, 4))),
    ]


def views() -> list[Op]:
    return [
        Op("view", lambda x: x.view(2, 4, 4), (_rand(8, 4),)),
        Op("flatten", torch.flatten, (_rand(4, 8, 4),)),
        Op("reshape", lambda x: x.reshape(32), (_rand(8, 4),)),
        Op("transpose", torch.transpose, (_rand(8, 4), 0, 1)),
        Op("permute", torch.permute, (_rand(4, 8, 4), (2, 0, 1))),
        Op("unsqueeze", torch.unsqueeze, (_rand(8, 4), 1)),
        Op("expand", lambda x: x.expand(4, 8, 4), (_rand(8, 4),)),
        Op("cat", lambda x, y: torch.cat([x, y], 0), (_rand(8, 4), _rand(8, 4))),
        Op("stack", lambda x, y: torch.stack([x, y]), (_rand(8, 4), _rand(8, 4))),
        Op("split", lambda x: torch.split(x, 4, 0)[0], (_rand(8, 4),)),
        Op("chunk", lambda x: torch.chunk(x, 2, 1)[1], (_rand(8, 4),)),
        Op("slice", lambda x: x[2:6], (_rand(8, 4),)),
        Op("select", torch.select, (_rand(8, 4), 0, 3)),
    ]


def gathers() -> list[Op]:
    index = torch.randint(4, (8, 4))
    return [
        Op("gather", torch.gather, (_rand(8, 4), 0, index)),
        Op("gather_last", torch.gather, (_rand(8, 4), 1, index)),
        Op("scatter", torch.scatter, (_rand(8, 4), 1, index, _rand(8, 4))),
        Op("scatter_add", torch.scatter_add, (_rand(8, 4), 1, index, _rand(8, 4))),
        Op("index_select", torch.index_select, (_rand(8, 4), 0, torch.randint(8, (4,)))),
        Op("index", lambda x, i: x[i], (_rand(8, 4), torch.randint(8, (4,)))),
    ]


def all_ops() -> list[Op]:
    """Returns all ops, with equal values on every rank."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return [*matmuls(), *reductions(), *pointwise(), *layers(), *views(), *gathers()]
