# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Megatron Core: its GPTModel, DDP and optimizer. The command line has the size of tensor parallelism, and options.

sequence: sequence parallelism; distributed: its distributed optimizer; heads: norms of queries and keys.
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


def type_on_gpu(tensor: torch.Tensor, *kind: object) -> object:
    """Returns Tensor.type() as on a GPU: the distributed optimizer takes parameters of these types only."""
    found = type_on_cpu(tensor, *kind)
    return found.replace("torch.", "torch.cuda.") if isinstance(found, str) else found


def without_cuda(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Returns a function of torch that makes its tensor on the CPU."""

    def make(*values: object, device: object = None, **others: object) -> torch.Tensor:
        return function(*values, device="cpu" if device == "cuda" else device, **others)

    return make


torch.cuda.current_device = lambda: "cpu"
type_on_cpu, torch.Tensor.type = torch.Tensor.type, type_on_gpu
torch.tensor, torch.zeros = without_cuda(torch.tensor), without_cuda(torch.zeros)
parallel_random._CUDA_RNG_STATE_TRACKER = NoStates()
parallel_random._CUDA_RNG_STATE_TRACKER_INITIALIZED = True
dist.init_process_group("gloo")
parallel_state.initialize_model_parallel(tensor_model_parallel_size=tensor_ranks)
torch.manual_seed(dist.get_rank() if "other_seeds" in options else 0)
configuration = TransformerConfig(
    num_layers=2,
    hidden_size=WIDTH,
    num_attention_heads=4,
    tensor_model_parallel_size=tensor_ranks,
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
spec = get_gpt_layer_local_spec(qk_layernorm="heads" in options)
spec.submodules.input_layernorm = Norm
spec.submodules.pre_mlp_layernorm = Norm
if "heads" in options:
    spec.submodules.self_attention.submodules.q_layernorm = Norm
    spec.submodules.self_attention.submodules.k_layernorm = Norm
layers = TransformerBlockSubmodules(layer_specs=[spec] * configuration.num_layers, layer_norm=Norm)
gpt = GPTModel(configuration, layers, VOCABULARY, LENGTH)
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
start = parallel_state.get_data_parallel_rank()
tokens = (start + torch.arange(BATCH)[:, None] + torch.arange(LENGTH)) % VOCABULARY
positions = torch.arange(LENGTH).expand(BATCH, -1)
mask = torch.ones(LENGTH, LENGTH).triu(1).bool()[None, None]
losses = []
for _ in range(STEPS):
    model.zero_grad_buffer()
    optimizer.zero_grad()
    loss = model(tokens, positions, mask, labels=tokens.roll(-1, 1)).mean()
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
