# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Accelerate: FSDP2 over a mesh of 2 replicas of 2 shards. With `other_seeds` each rank draws its own weights."""

import sys

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin, ParallelismConfig
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
accelerator.state.parallelism_config = ParallelismConfig(dp_replicate_size=2, dp_shard_size=2)
accelerator.state.device_mesh = accelerator.parallelism_config.get_device_mesh("cpu")
model = perceptron()
if sys.argv[1:] == ["other_seeds"]:
    torch.manual_seed(torch.distributed.get_rank())
    for layer in (0, 2):
        torch.nn.init.xavier_normal_(model[layer].weight)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
loader = torch.utils.data.DataLoader(samples(4 * STEPS * BATCH), batch_size=BATCH)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
losses = []
for inputs, targets in loader:
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
print_outcome(losses, model.parameters())
accelerator.end_training()
