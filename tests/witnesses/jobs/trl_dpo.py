# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""TRL: direct preference optimization with DDP, and a reference model."""

from tempfile import TemporaryDirectory

from datasets import Dataset
from language import language_model, logged_losses, sentence, tokenizer
from outcome import BATCH, LENGTH, STEPS, print_outcome
from trl import DPOConfig, DPOTrainer

with TemporaryDirectory() as folder:
    arguments = DPOConfig(
        folder,
        use_cpu=True,
        bf16=False,
        max_steps=STEPS,
        max_length=LENGTH,
        per_device_train_batch_size=BATCH,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
    )
    starts = range(2 * STEPS * BATCH)
    preferences = Dataset.from_dict(
        {
            "prompt": [sentence(start, 2) for start in starts],
            "chosen": [" " + sentence(start + 2, 4) for start in starts],
            "rejected": [" " + sentence(2 * start, 4) for start in starts],
        }
    )
    trainer = DPOTrainer(
        language_model(), language_model(), args=arguments, train_dataset=preferences, processing_class=tokenizer()
    )
    trainer.train()
    print_outcome(logged_losses(trainer), trainer.model.parameters())
    trainer.accelerator.end_training()
