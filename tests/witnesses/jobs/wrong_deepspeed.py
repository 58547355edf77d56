# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DeepSpeed: ZeRO-1, with the fault that the command line names."""

import sys

import deepspeed
import torch
from outcome import BATCH, WIDTH, perceptron, print_outcome, samples

STEPS = 8
fault = sys.argv[1]
deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
deepspeed.init_distributed("gloo", verbose=False)
configuration = {
    "train_micro_batch_size_per_gpu": BATCH,
    "gradient_accumulation_steps": 1,
    "zero_allow_untested_optimizer": True,
    "zero_optimization": {"stage": 1},
}
model = perceptron()
head = torch.nn.Linear(WIDTH, WIDTH)
engine, optimizer, loader, _ = deepspeed.initialize(
    model=model,
    optimizer=torch.optim.AdamW(model.parameters(), lr=1e-2),
    config=configuration,
    training_data=samples(2 * STEPS * BATCH),
)
own = torch.optim.AdamW(head.parameters(), lr=1e-2)
losses = []
for step, (inputs, targets) in enumerate(loader, start=1):
    if fault == "weights_on_one_rank" and step == 4 and torch.distributed.get_rank() == 0:
        with torch.no_grad():
            model[0].weight.mul_(0.5)
    loss = torch.nn.functional.mse_loss(engine(head(inputs)), targets)
    engine.backward(loss)
    engine.step()
    if fault == "head_outside":
        own.step()
    losses.append(loss.item())
print_outcome(losses, model.parameters())
torch.distributed.destroy_process_group()
