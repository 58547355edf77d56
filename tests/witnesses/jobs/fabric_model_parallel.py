# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lightning Fabric: its strategy for FSDP2 over a device mesh."""

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import ModelParallelStrategy
from outcome import BATCH, STEPS, perceptron, print_outcome, samples
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Shards each linear layer, and the model."""
    for layer in model:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh["data_parallel"])
    return fully_shard(model, mesh=mesh["data_parallel"])


strategy = ModelParallelStrategy(shard, data_parallel_size=2, tensor_parallel_size=1)
fabric = Fabric(accelerator="cpu", strategy=strategy, devices=2)
fabric.launch()
fabric.seed_everything(0)
model = fabric.setup_module(perceptron())
optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters(), lr=1e-2))
loader = fabric.setup_dataloaders(torch.utils.data.DataLoader(samples(2 * STEPS * BATCH), batch_size=BATCH))
losses = []
for inputs, targets in loader:
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    fabric.backward(loss)
    fabric.clip_gradients(model, optimizer, max_norm=1.0, error_if_nonfinite=False)
    optimizer.step()
    losses.append(fabric.all_reduce(loss.detach()).item())
print_outcome(losses, model.parameters())
torch.distributed.destroy_process_group()
