# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Megatron Core: vocabulary, layers and cross entropy split over both ranks by tensor parallelism.

GPTModel is not among the jobs: its attention takes its buffer from torch.cuda.current_device().
"""

import torch
import torch.distributed as dist
from megatron.core import ModelParallelConfig, parallel_state, tensor_parallel
from outcome import BATCH, LENGTH, STEPS, VOCABULARY, WIDTH, print_outcome
from torch import nn


class Block(nn.Module):
    """An embedding, a pair of layers, and the logits of the next token."""

    def __init__(self, configuration: ModelParallelConfig) -> None:
        super().__init__()
        common = {"config": configuration, "init_method": nn.init.xavier_normal_}
        self.embedding = tensor_parallel.VocabParallelEmbedding(VOCABULARY, WIDTH, **common)
        self.up = tensor_parallel.ColumnParallelLinear(WIDTH, 2 * WIDTH, gather_output=False, **common)
        self.down = tensor_parallel.RowParallelLinear(
            2 * WIDTH, WIDTH, bias=True, input_is_parallel=True, skip_bias_add=False, **common
        )
        self.logits = tensor_parallel.ColumnParallelLinear(WIDTH, VOCABULARY, gather_output=False, **common)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Returns this rank's part of the logits."""
        hidden, _ = self.up(self.embedding(tokens))
        hidden, _ = self.down(nn.functional.gelu(hidden))
        return self.logits(hidden)[0]


dist.init_process_group("gloo")
parallel_state.initialize_model_parallel(tensor_model_parallel_size=2)
torch.manual_seed(0)
configuration = ModelParallelConfig(
    tensor_model_parallel_size=2, use_cpu_initialization=True, gradient_accumulation_fusion=False
)
model = Block(configuration)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
tokens = (torch.arange(LENGTH)[:, None] + torch.arange(BATCH)) % VOCABULARY
losses = []
for _ in range(STEPS):
    optimizer.zero_grad()
    loss = tensor_parallel.vocab_parallel_cross_entropy(model(tokens), tokens.roll(-1, 0)).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print_outcome(losses, model.parameters())
parallel_state.destroy_model_parallel()
dist.destroy_process_group()
