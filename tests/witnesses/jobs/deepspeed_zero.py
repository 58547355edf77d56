# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DeepSpeed: the ZeRO stage that the command line names."""

import sys

import deepspeed
import torch
from outcome import BATCH, STEPS, perceptron, print_outcome, samples


def held(parameter: torch.Tensor) -> torch.Tensor:
    """Returns what this rank holds: in ZeRO-3 a part, without its padding, which is uninitialized memory."""
    if not hasattr(parameter, "ds_tensor"):
        return parameter
    part = parameter.ds_tensor.flatten()
    return part[: max(0, parameter.ds_numel - torch.distributed.get_rank() * part.numel())]


stage = int(sys.argv[1])
# DeepSpeed would compile an op that reduces in shared memory. Without it, collectives go through torch.distributed.
deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
deepspeed.init_distributed("gloo", verbose=False)
configuration = {
    "train_micro_batch_size_per_gpu": BATCH,
    "gradient_accumulation_steps": 1,
    "gradient_clipping": 1.0,
    "zero_allow_untested_optimizer": True,
    "zero_optimization": {"stage": stage, "stage3_param_persistence_threshold": 0},
}
model = perceptron()
parameters = list(model.parameters())
engine, optimizer, loader, _ = deepspeed.initialize(
    model=model,
    optimizer=torch.optim.AdamW(parameters, lr=1e-2),
    config=configuration,
    training_data=samples(2 * STEPS * BATCH),
)
losses = []
for inputs, targets in loader:
    loss = torch.nn.functional.mse_loss(engine(inputs), targets)
    engine.backward(loss)
    engine.step()
    losses.append(loss.item())
print_outcome(losses, [held(parameter) for parameter in parameters])
torch.distributed.destroy_process_group()
