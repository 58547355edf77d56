# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lightning Fabric: DDP."""

import torch
from lightning.fabric import Fabric
from outcome import BATCH, STEPS, perceptron, print_outcome, samples

fabric = Fabric(accelerator="cpu", strategy="ddp", devices=2)
fabric.launch()
fabric.seed_everything(0)
model = perceptron()
model, optimizer = fabric.setup(model, torch.optim.AdamW(model.parameters(), lr=1e-2))
loader = fabric.setup_dataloaders(torch.utils.data.DataLoader(samples(2 * STEPS * BATCH), batch_size=BATCH))
losses = []
for inputs, targets in loader:
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    fabric.backward(loss)
    optimizer.step()
    losses.append(fabric.all_reduce(loss.detach()).item())
fabric.barrier()
print_outcome(losses, model.parameters())
torch.distributed.destroy_process_group()
