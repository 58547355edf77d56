# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lightning Fabric: gradients averaged by hand, with another seed on each rank and no broadcast (`other_seeds`)."""

import torch
from lightning.fabric import Fabric
from outcome import BATCH, STEPS, WIDTH, print_outcome, samples
from torch import nn

fabric = Fabric(accelerator="cpu", strategy="ddp", devices=2)
fabric.launch()
fabric.seed_everything(fabric.global_rank)
model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
loader = fabric.setup_dataloaders(torch.utils.data.DataLoader(samples(2 * STEPS * BATCH), batch_size=BATCH))
losses = []
for inputs, targets in loader:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    for parameter in model.parameters():
        parameter.grad = fabric.all_reduce(parameter.grad)
    optimizer.step()
    losses.append(loss.item())
fabric.barrier()
print_outcome(losses, model.parameters())
torch.distributed.destroy_process_group()
