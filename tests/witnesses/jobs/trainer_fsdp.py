# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Transformers: Trainer with FSDP2 over the decoder layers."""

from tempfile import TemporaryDirectory

from accelerate import FullyShardedDataParallelPlugin
from language import language_model, logged_losses, token_samples
from outcome import BATCH, STEPS, print_outcome
from sharding import use_fsdp
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
        fsdp=True,
        fsdp_config={"transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"], "version": 2},
    )
    # The first use of the device sets up the process group and resets Accelerate's state.
    print("device", arguments.device)
    use_fsdp(FullyShardedDataParallelPlugin(**arguments.fsdp_plugin_args))
    trainer = Trainer(language_model(), arguments, train_dataset=token_samples(2 * STEPS * BATCH))
    trainer.train()
    print_outcome(logged_losses(trainer), trainer.model_wrapped.parameters())
    trainer.accelerator.end_training()
