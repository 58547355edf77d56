# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Transformers: Trainer with DDP, with the fault that the command line names."""

import sys
from tempfile import TemporaryDirectory

import torch
from language import language_model, logged_losses, token_samples
from outcome import BATCH, print_outcome
from transformers import Trainer, TrainerCallback, TrainingArguments

STEPS = 8
fault = sys.argv[1]


class DrawsTheHead(TrainerCallback):
    """Initializes the head when training begins, which is after DDP's broadcast."""

    def on_train_begin(self, args, state, control, model, **others):
        torch.manual_seed(args.process_index)
        torch.nn.init.normal_(model.lm_head.weight, std=0.02)


class LowersTheRate(TrainerCallback):
    """Lowers the learning rate where the loss is logged, which is on one rank."""

    def on_step_begin(self, args, state, control, optimizer, **others):
        if state.is_world_process_zero and state.global_step == 3:
            for group in optimizer.optimizer.param_groups:
                group["lr"] /= 10


class CallsTheModel(Trainer):
    """Computes the loss by the model that it was given, not by the one that DDP wraps."""

    def compute_loss(self, model, inputs, *others, **more):
        return super().compute_loss(self.accelerator.unwrap_model(model), inputs, *others, **more)


with TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        use_cpu=True,
        max_steps=STEPS,
        per_device_train_batch_size=BATCH,
        logging_steps=1,
        lr_scheduler_type="constant",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
    )
    trainer = (CallsTheModel if fault == "inner_model" else Trainer)(
        language_model(), arguments, train_dataset=token_samples(4 * STEPS * BATCH)
    )
    if fault == "head_after_wrapping":
        trainer.add_callback(DrawsTheHead())
    if fault == "rate_on_one_rank":
        trainer.add_callback(LowersTheRate())
    trainer.train()
    print_outcome(logged_losses(trainer), trainer.model.parameters())
    trainer.accelerator.end_training()
