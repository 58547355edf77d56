# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Transformers: Trainer with DDP and gradient accumulation, and an evaluation at the end."""

from tempfile import TemporaryDirectory

from language import language_model, logged_losses, token_samples
from outcome import BATCH, STEPS, print_outcome
from transformers import Trainer, TrainingArguments

with TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        use_cpu=True,
        max_steps=STEPS,
        per_device_train_batch_size=BATCH,
        gradient_accumulation_steps=2,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
    )
    trainer = Trainer(
        language_model(),
        arguments,
        train_dataset=token_samples(4 * STEPS * BATCH),
        eval_dataset=token_samples(2 * BATCH),
    )
    trainer.train()
    print("evaluation", trainer.evaluate()["eval_loss"])
    print_outcome(logged_losses(trainer), trainer.model.parameters())
    trainer.accelerator.end_training()
