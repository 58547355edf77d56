# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Accelerate: DDP with gradient accumulation, and metrics gathered from all ranks."""

import torch
from accelerate import Accelerator
from outcome import BATCH, STEPS, perceptron, print_outcome, samples

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
loader = torch.utils.data.DataLoader(samples(2 * STEPS * BATCH), batch_size=BATCH)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
losses = []
for inputs, targets in loader:
    with accelerator.accumulate(model):
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    losses += accelerator.gather_for_metrics(loss.detach().reshape(1)).tolist()
print_outcome(losses, model.parameters())
accelerator.end_training()
