# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the jobs that differ only in how the Transformer is sharded."""

import torch
from common import say_loss
from models import ModelArgs
from oracle import step_context
from torch.nn import functional as F


def train_on_random_tokens(model: torch.nn.Module, args: ModelArgs, optimizer: torch.optim.Optimizer) -> None:
    """Trains for two steps, each on four random texts."""
    for step in range(2):
        tokens = torch.randint(0, args.vocab_size, (4, args.max_seq_len))
        with step_context():
            logits = model(tokens)
            loss = F.cross_entropy(logits.flatten(0, 1), tokens.roll(-1, dims=1).flatten())
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
