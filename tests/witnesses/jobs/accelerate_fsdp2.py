# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Accelerate: its FSDP2 plugin, which shards each linear layer."""

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from outcome import BATCH, STEPS, perceptron, print_outcome, samples
from sharding import use_fsdp

plugin = FullyShardedDataParallelPlugin(
    fsdp_version=2,
    auto_wrap_policy="transformer_based_wrap",
    transformer_cls_names_to_wrap=["Linear"],
    reshard_after_forward=True,
)
use_fsdp(plugin)
accelerator = Accelerator(cpu=True, fsdp_plugin=plugin)
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
loader = torch.utils.data.DataLoader(samples(2 * STEPS * BATCH), batch_size=BATCH)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
losses = []
for inputs, targets in loader:
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    accelerator.backward(loss)
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
print_outcome(losses, model.parameters())
accelerator.end_training()
