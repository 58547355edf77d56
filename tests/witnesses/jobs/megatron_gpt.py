# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Megatron Core: its GPTModel, DDP and optimizer. The command line has the size of tensor parallelism, and options.

sequence: sequence parallelism; distributed: its distributed optimizer; heads: norms of queries and keys; experts.
Faults: norm: a norm without the attribute sequence_parallel; not_finalized: without finalize_model_grads;
other_seeds: replicas that are not broadcast; skipped: a broadcast that skips a layer.
"""

import contextlib
import sys
from collections.abc import Callable

import torch
import torch.distributed as dist
from megatron.core import parallel_state
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.tensor_parallel import random as parallel_random
from megatron.core.transformer import TransformerConfig
from megatron.core.transformer.moe import moe_utils
from megatron.core.transformer.transformer_block import TransformerBlockSubmodules
from outcome import BATCH, LENGTH, VOCABULARY, WIDTH, print_outcome
from torch import nn

STEPS = 5
tensor_ranks = int(sys.argv[1])
options = set(sys.argv[2:])


class Norm(nn.LayerNorm):
    """A norm with Megatron's attribute, which its own norm for torch does not support."""

    def __init__(self, config: TransformerConfig, hidden_size: int, eps: float = 1e-5) -> None:
        super().__init__(hidden_size, eps)
        if "norm" not in options:
            for parameter in self.parameters():
                parameter.sequence_parallel = config.sequence_parallel


class NoStates:
    """Stands for the states of CUDA's random numbers, of which the model uses none."""

    def fork(self, *_: object) -> contextlib.AbstractContextManager[None]:
        """Returns a context that does nothing."""
        return contextlib.nullcontext()


class Logged(nn.Module):
    """A model that reduces its loss for the log, as a LightningModule does in its step."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Returns the loss."""
        loss = self.model(*inputs, labels=labels).mean()
        dist.all_reduce(loss.detach().clone())
        return loss


def without_cuda(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Returns a function of torch that makes its tensor on the CPU."""

    def make(*values: object, device: object = None, **others: object) -> torch.Tensor:
        return function(*values, device="cpu" if device == "cuda" else device, **others)

    return make


torch.cuda.current_device = lambda: "cpu"
torch.cuda.Stream = lambda *_, **__: None
moe_utils.te_general_gemm = None
# The distributed optimizer takes parameters of these types only.
type_of = torch.Tensor.type
torch.Tensor.type = (
    lambda self, *kind: type_of(self, *kind) if kind else type_of(self).replace("torch.Fl", "torch.cuda.Fl")
)
torch.tensor, torch.zeros = without_cuda(torch.tensor), without_cuda(torch.zeros)
parallel_random._CUDA_RNG_STATE_TRACKER = NoStates()
parallel_random._CUDA_RNG_STATE_TRACKER_INITIALIZED = True
dist.init_process_group("gloo")
parallel_state.initialize_model_parallel(
    tensor_model_parallel_size=tensor_ranks,
    expert_model_parallel_size=2 if "experts" in options else 1,
    expert_tensor_parallel_size=1 if "experts" in options else None,
)
torch.manual_seed(dist.get_rank() if "other_seeds" in options else 0)
configuration = TransformerConfig(
    num_layers=2,
    hidden_size=WIDTH,
    num_attention_heads=4,
    tensor_model_parallel_size=tensor_ranks,
    expert_model_parallel_size=2 if "experts" in options else 1,
    expert_tensor_parallel_size=1 if "experts" in options else None,
    num_moe_experts=4 if "experts" in options else None,
    moe_token_dispatcher_type="alltoall",
    moe_router_topk=2,
    add_bias_linear="experts" not in options,
    sequence_parallel="sequence" in options,
    use_cpu_initialization=True,
    gradient_accumulation_fusion=False,
    attention_dropout=0.0,
    hidden_dropout=0.0,
    qk_layernorm="heads" in options,
    bias_dropout_fusion=False,
    masked_softmax_fusion=False,
    bias_activation_fusion=False,
    persist_layer_norm=False,
)
spec = get_gpt_layer_local_spec(
    qk_layernorm="heads" in options, num_experts=configuration.num_moe_experts, moe_grouped_gemm=False
)
spec.submodules.input_layernorm = Norm
spec.submodules.pre_mlp_layernorm = Norm
if "heads" in options:
    spec.submodules.self_attention.submodules.q_layernorm = Norm
    spec.submodules.self_attention.submodules.k_layernorm = Norm
layers = TransformerBlockSubmodules(layer_specs=[spec] * configuration.num_layers, layer_norm=Norm)
gpt = GPTModel(
    configuration,
    layers,
    VOCABULARY,
    LENGTH,
    position_embedding_type="rope" if "rope" in options else "learned_absolute",
)
buckets = DistributedDataParallelConfig(use_distributed_optimizer="distributed" in options)
model = DistributedDataParallel(configuration, buckets, gpt)
if "other_seeds" not in options:
    model.broadcast_params()
if "skipped" in options and parallel_state.get_data_parallel_rank() == 1:
    torch.manual_seed(1)
    nn.init.normal_(gpt.decoder.layers[1].mlp.linear_fc1.weight, std=0.02)
optimizer = get_megatron_optimizer(
    OptimizerConfig(lr=1e-2, clip_grad=0.0, use_distributed_optimizer="distributed" in options), [model]
)
print(type(optimizer).__name__, [type(each).__name__ for each in getattr(optimizer, "chained_optimizers", [])])
start = parallel_state.get_data_parallel_rank()
tokens = (start + torch.arange(BATCH)[:, None] + torch.arange(LENGTH)) % VOCABULARY
positions = torch.arange(LENGTH).expand(BATCH, -1)
mask = torch.ones(LENGTH, LENGTH).triu(1).bool()[None, None]
step_of = Logged(model) if "logged" in options else model
losses = []
for _ in range(STEPS):
    model.zero_grad_buffer()
    optimizer.zero_grad()
    loss = step_of(tokens, positions, mask, labels=tokens.roll(-1, 1)).mean()
    loss.backward()
    if "not_finalized" in options:
        model.finish_grad_sync()
    else:
        finalize_model_grads([model])
    optimizer.step()
    losses.append(loss.item())
print_outcome(losses, model.parameters())
parallel_state.destroy_model_parallel()
dist.destroy_process_group()
