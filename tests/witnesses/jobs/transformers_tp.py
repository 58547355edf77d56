# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Transformers: tensor parallelism by a model's own plan, as `from_pretrained` applies it."""

from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from language import language_model
from outcome import BATCH, LENGTH, STEPS, VOCABULARY, print_outcome
from transformers import LlamaForCausalLM

with TemporaryDirectory() as folder:
    language_model().save_pretrained(folder)  # in a process group rank 0 alone would write
    dist.init_process_group("gloo")
    model = LlamaForCausalLM.from_pretrained(folder, tp_plan="auto")
model.train()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
generator = torch.Generator().manual_seed(1)
losses = []
for _ in range(STEPS):
    tokens = torch.randint(VOCABULARY, (BATCH, LENGTH), generator=generator)
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
print_outcome(losses, model.parameters())
dist.barrier()
dist.destroy_process_group()
