# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The training jobs to run. Versions are in requirements-jobs.txt.

docs/reliability.md names what is not among them, and why.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """A script in jobs/, or a module of a package."""

    name: str
    program: str
    packages: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    #: Parts of lines that differ between two bare runs, such as times.
    of_the_moment: tuple[str, ...] = ()


_CPU = (("ACCELERATE_USE_CPU", "true"),)
_RUNTIME = ("train_runtime", "eval_runtime")
_SCRIPTS = "accelerate.test_utils.scripts"

JOBS = [
    Job("accelerate_ddp", "accelerate_ddp", ("accelerate",)),
    Job("accelerate_fsdp2", "accelerate_fsdp2", ("accelerate",)),
    Job("accelerate_test_script", f"{_SCRIPTS}.test_script", ("accelerate",), variables=_CPU),
    Job("accelerate_test_sync", f"{_SCRIPTS}.test_sync", ("accelerate",), variables=_CPU),
    Job("trainer_ddp", "trainer_ddp", ("transformers", "accelerate", "datasets"), of_the_moment=_RUNTIME),
    Job("trainer_fsdp", "trainer_fsdp", ("transformers", "accelerate", "datasets"), of_the_moment=_RUNTIME),
    Job("trl_sft", "trl_sft", ("trl", "transformers", "accelerate", "datasets"), of_the_moment=_RUNTIME),
    Job("trl_dpo", "trl_dpo", ("trl", "transformers", "accelerate", "datasets"), of_the_moment=_RUNTIME),
    Job("fabric_ddp", "fabric_ddp", ("lightning",)),
    Job("fabric_model_parallel", "fabric_model_parallel", ("lightning",)),
    Job("lightning_ddp", "lightning_ddp", ("lightning",)),
    Job("torchrec_row_wise", "torchrec_row_wise", ("torchrec", "fbgemm-gpu-cpu")),
    *[
        Job(f"deepspeed_zero{stage}", "deepspeed_zero", ("deepspeed",), (str(stage),), (("DS_ACCELERATOR", "cpu"),))
        for stage in (1, 2, 3)
    ],
    Job("megatron_tp", "megatron_tp", ("megatron-core",)),
]
