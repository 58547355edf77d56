# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lightning: DDP with manual optimization, with the fault that the command line names."""

import logging
import sys

import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from outcome import BATCH, perceptron, print_outcome, samples

STEPS = 8
fault = sys.argv[1]


class Regression(LightningModule):
    """A regression that steps its optimizer itself."""

    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.model = perceptron()
        self.losses: list[float] = []
        self.early = {name: value.clone() for name, value in self.model.state_dict().items()}

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor], number: int) -> None:
        """Makes an update."""
        optimizer = self.optimizers()
        loss = torch.nn.functional.mse_loss(self.model(batch[0]), batch[1])
        if fault == "sync_left_out" and number >= 3:
            with self.trainer.strategy.block_backward_sync():
                self.manual_backward(loss)
        else:
            self.manual_backward(loss)
        if fault != "skipped_update" or number != 3 or self.global_rank != 1:
            optimizer.step()
        optimizer.zero_grad()
        self.losses.append(loss.item())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Returns the optimizer."""
        return torch.optim.AdamW(self.parameters(), lr=1e-2)


logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
seed_everything(0)
trainer = Trainer(
    accelerator="cpu",
    strategy="ddp",
    devices=2,
    max_epochs=1,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
module = Regression()
trainer.fit(module, torch.utils.data.DataLoader(samples(2 * STEPS * BATCH), batch_size=BATCH))
print_outcome(module.losses, module.parameters())
