# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""TRL: supervised fine-tuning with DDP."""

from tempfile import TemporaryDirectory

from datasets import Dataset
from language import language_model, logged_losses, sentence, tokenizer
from outcome import BATCH, LENGTH, STEPS, print_outcome
from trl import SFTConfig, SFTTrainer

with TemporaryDirectory() as folder:
    arguments = SFTConfig(
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
    texts = Dataset.from_dict({"text": [sentence(start) for start in range(2 * STEPS * BATCH)]})
    trainer = SFTTrainer(language_model(), arguments, train_dataset=texts, processing_class=tokenizer())
    trainer.train()
    print_outcome(logged_losses(trainer), trainer.model.parameters())
    trainer.accelerator.end_training()
