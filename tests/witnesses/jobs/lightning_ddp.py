# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lightning: Trainer with DDP, a validation loop and a metric that is synchronized."""

import logging

import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from outcome import BATCH, STEPS, perceptron, print_outcome, samples


class Regression(LightningModule):
    """A regression that remembers its losses."""

    def __init__(self) -> None:
        super().__init__()
        self.model = perceptron()
        self.losses: list[float] = []

    def _loss(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return torch.nn.functional.mse_loss(self.model(batch[0]), batch[1])

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Computes the loss of a batch."""
        loss = self._loss(batch)
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch: tuple[torch.Tensor, torch.Tensor]) -> None:
        """Logs the mean over all ranks."""
        self.log("validation", self._loss(batch), sync_dist=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Returns the optimizer."""
        return torch.optim.AdamW(self.parameters(), lr=1e-2)


logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
seed_everything(0)
trainer = Trainer(
    accelerator="cpu",
    strategy="ddp",
    devices=2,
    max_epochs=2,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
module = Regression()
loaders = [torch.utils.data.DataLoader(samples(2 * STEPS * BATCH), batch_size=BATCH) for _ in range(2)]
trainer.fit(module, *loaders)
print("validation", trainer.callback_metrics["validation"].item())
print_outcome(module.losses, module.parameters())
