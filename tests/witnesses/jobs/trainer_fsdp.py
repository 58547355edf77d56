# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Transformers: Trainer with FSDP over the decoder layers."""

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
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        fsdp="full_shard auto_wrap",
        fsdp_config={"transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"], "version": 2},
    )
    trainer = Trainer(language_model(), arguments, train_dataset=token_samples(2 * STEPS * BATCH))
    trainer.train()
    print_outcome(logged_losses(trainer), trainer.model_wrapped.parameters())
    trainer.accelerator.end_training()
