# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The models that the jobs train.

Classes, attributes and sizes are those of PyTorch's own DTensor test helpers. So the module names and numbers of its
CommDebugMode tests are valid here.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


class RMSNormPython(nn.Module):
    """Root-mean-square norm over the last dimension, as plain tensor code."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + self.eps)
        return x * scale * self.weight


class MLPModule(nn.Module):
    """Two linear layers; the same weights in every instance, because construction sets the seed."""

    def __init__(self, device: str = "cpu", bias: bool = True) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.net1 = nn.Linear(10, 16, bias=bias, device=device)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(16, 10, bias=bias, device=device)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net2(self.relu(self.net1(x)))

    def reset_parameters(self) -> None:
        self.net1.reset_parameters()
        self.net2.reset_parameters()


class MLPStacked(nn.Module):
    """A sequence of MLPModules in a ModuleList."""

    def __init__(self, device: str = "cpu", n_layers: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(MLPModule(device) for _ in range(n_layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


MLP_PLAN: dict[str, ParallelStyle] = {"net1": ColwiseParallel(), "net2": RowwiseParallel()}


def parallelize_stacked(model: MLPStacked, mesh: DeviceMesh) -> MLPStacked:
    """Applies Megatron's split to every MLP of the stack: one all-reduce in its forward, one in its backward."""
    for layer in model.layers:
        parallelize_module(layer, mesh, {"net1": ColwiseParallel(), "net2": RowwiseParallel()})
    return model


@dataclass
class ModelArgs:
    """The Transformer's sizes and switches."""

    n_layers: int = 2
    vocab_size: int = 8
    max_seq_len: int = 16
    dim: int = 16
    n_heads: int = 4
    dropout_p: float = 0.1
    use_attn_mask: bool = True
    weight_tying: bool = True
    checkpoint_activations: bool = False


class Attention(nn.Module):
    """Multi-head self-attention."""

    def __init__(self, args: ModelArgs) -> None:
        super().__init__()
        if args.dim % args.n_heads:
            raise ValueError(f"{args.dim} features cannot be shared by {args.n_heads} heads")
        self.head_dim = args.dim // args.n_heads
        self.n_heads = args.n_heads
        self.dropout_p = args.dropout_p
        self.resid_dropout = nn.Dropout(args.dropout_p)
        self.use_attn_mask = args.use_attn_mask
        self.wq = nn.Linear(args.dim, args.dim, bias=False)
        self.wk = nn.Linear(args.dim, args.dim, bias=False)
        self.wv = nn.Linear(args.dim, args.dim, bias=False)
        self.wo = nn.Linear(args.dim, args.dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.size()
        heads = [
            # -1, not n_heads: under tensor parallelism a rank has only some heads.
            projection(x).view(batch, length, -1, self.head_dim).transpose(1, 2)
            for projection in (self.wq, self.wk, self.wv)
        ]
        dropout_p = self.dropout_p if self.training else 0.0
        mixed = F.scaled_dot_product_attention(*heads, dropout_p=dropout_p, is_causal=self.use_attn_mask)
        merged = mixed.transpose(1, 2).contiguous().view(batch, length, -1)
        return self.resid_dropout(self.wo(merged))


class FeedForward(nn.Module):
    """The block's MLP."""

    def __init__(self, dim: int, hidden_dim: int, dropout_p: float) -> None:
        super().__init__()
        self.w1 = nn.Linear(dim, hidden_dim)
        self.gelu = nn.GELU()
        self.w2 = nn.Linear(hidden_dim, dim)
        self.resid_dropout = nn.Dropout(dropout_p)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.resid_dropout(self.w2(self.gelu(self.w1(x))))


class TransformerBlock(nn.Module):
    """Attention and MLP, each with a norm before it and a residual connection."""

    def __init__(self, args: ModelArgs) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(args.dim)
        self.attention = Attention(args)
        self.ffn_norm = nn.LayerNorm(args.dim)
        self.feed_forward = FeedForward(args.dim, hidden_dim=4 * args.dim, dropout_p=args.dropout_p)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.ffn_norm(h))


class Transformer(nn.Module):
    """A toy language model."""

    def __init__(self, args: ModelArgs) -> None:
        super().__init__()
        self.model_args = args
        self.max_seq_len = args.max_seq_len
        self.tok_embeddings = nn.Embedding(args.vocab_size, args.dim)
        self.pos_embeddings = nn.Embedding(args.max_seq_len, args.dim)
        self.dropout = nn.Dropout(args.dropout_p)
        self.layers = nn.ModuleList(TransformerBlock(args) for _ in range(args.n_layers))
        self.norm = nn.LayerNorm(args.dim)
        self.output = nn.Linear(args.dim, args.vocab_size, bias=False)
        if args.weight_tying:
            self.output.weight = self.tok_embeddings.weight
        self.checkpoint_activations = args.checkpoint_activations

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        _, length = tokens.size()
        positions = torch.arange(length, device=tokens.device)
        h = self.dropout(self.tok_embeddings(tokens) + self.pos_embeddings(positions))
        for layer in self.layers:
            h = checkpoint(layer, h, use_reentrant=False) if self.checkpoint_activations else layer(h)
        return self.output(self.norm(h)).float()

    @staticmethod
    def parallelize(module: "Transformer", device_mesh: DeviceMesh, use_seq_parallel: bool) -> "Transformer":
        """Shards the model over `device_mesh` for tensor parallelism, on request also its norms and residuals."""
        parallelize_module(module, device_mesh, _embedding_plan(use_seq_parallel))
        for block in module.layers:
            parallelize_module(block, device_mesh, _block_plan(use_seq_parallel))
        output = ColwiseParallel(
            input_layouts=Shard(1) if use_seq_parallel else Replicate(), output_layouts=Replicate()
        )
        parallelize_module(module.output, device_mesh, output)
        if module.model_args.weight_tying:
            # Sharding copied the weight; both copies are split by vocabulary, so either can be shared.
            module.output.weight = module.tok_embeddings.weight
        return module


def _embedding_plan(use_seq_parallel: bool) -> dict[str, ParallelStyle]:
    if not use_seq_parallel:
        return {
            name: RowwiseParallel(input_layouts=Replicate(), output_layouts=Replicate())
            for name in ("tok_embeddings", "pos_embeddings")
        }
    return {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        # Positions have no batch dimension: their sequence is dimension 0.
        "pos_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(0)),
        "norm": SequenceParallel(),
    }


def _block_plan(use_seq_parallel: bool) -> dict[str, ParallelStyle]:
    plan: dict[str, ParallelStyle] = {f"attention.{name}": ColwiseParallel() for name in ("wq", "wk", "wv")}
    if not use_seq_parallel:
        plan["attention.wo"] = RowwiseParallel()
        plan["feed_forward.w1"] = ColwiseParallel()
        plan["feed_forward.w2"] = RowwiseParallel()
        return plan
    plan["attention_norm"] = SequenceParallel()
    plan["attention"] = PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate())
    plan["attention.wo"] = RowwiseParallel(output_layouts=Shard(1))
    plan["ffn_norm"] = SequenceParallel()
    plan["feed_forward.w1"] = ColwiseParallel(input_layouts=Shard(1))
    plan["feed_forward.w2"] = RowwiseParallel(output_layouts=Shard(1))
    return plan
