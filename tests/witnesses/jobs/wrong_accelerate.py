# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Accelerate: DDP, with the fault that the command line names."""

import sys

import torch
from accelerate import Accelerator
from outcome import BATCH, WIDTH, perceptron, print_outcome, samples

STEPS = 8
fault = sys.argv[1]
accelerator = Accelerator(cpu=True)
model = perceptron()
head = torch.nn.Linear(WIDTH, WIDTH)
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=1e-2)
loader = torch.utils.data.DataLoader(samples(2 * STEPS * BATCH), batch_size=BATCH)
if fault == "not_prepared":
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
else:
    model, head, optimizer, loader = accelerator.prepare(model, head, optimizer, loader)
early = {name: value.clone() for name, value in model.state_dict().items()}
losses = []
for step, (inputs, targets) in enumerate(loader, start=1):
    if fault == "old_checkpoint" and step == 5 and accelerator.is_main_process:
        model.load_state_dict(early)
    # Two micro-batches per update are meant, and each of them steps.
    with accelerator.no_sync(model) if fault == "no_sync" and step % 2 == 1 else accelerator.accumulate(model):
        loss = torch.nn.functional.mse_loss(model(head(inputs)), targets)
        accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
print_outcome(losses, model.parameters())
accelerator.end_training()
