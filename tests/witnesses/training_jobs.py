# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The training jobs to run. Versions are in requirements-jobs.txt.

docs/reliability.md names what is not among them, and why.
"""

from dataclasses import dataclass

from verdicts import NOTHING_TO_COMPARE, OK, Finding, Verdict


@dataclass(frozen=True)
class Job:
    """A script in jobs/, or a module of a package."""

    name: str
    program: str
    packages: tuple[str, ...]
    #: Ops that the job issues on each rank if it trains as its name says.
    ops: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    #: Parts of lines that differ between two bare runs, such as times.
    of_the_moment: tuple[str, ...] = ()
    ranks: int = 2
    #: What `commtap verify` says of the samples.
    verdict: Verdict = OK
    #: Reasons that `not_seen` may have, because the samples lack something.
    not_seen: tuple[str, ...] = ()
    #: The training is wrong on purpose: it runs under the shim only, for the verdict.
    has_fault: bool = False


_CPU = (("ACCELERATE_USE_CPU", "true"),)
_DEEPSPEED_CPU = (("DS_ACCELERATOR", "cpu"),)
_RUNTIME = ("train_runtime", "eval_runtime")
_SCRIPTS = "accelerate.test_utils.scripts"
_TRAINER = ("transformers", "accelerate", "datasets")
_TRL = ("trl", *_TRAINER)
_DDP = ("c10d.allreduce_", "c10d.broadcast_")
_FSDP = ("c10d._allgather_base_", "c10d._reduce_scatter_base_")
_ZERO = {1: ("c10d._allgather_base_",), 2: ("c10d._allgather_base_",), 3: _FSDP}

JOBS = [
    Job("accelerate_ddp", "accelerate_ddp", ("accelerate",), _DDP),
    Job("accelerate_fsdp2", "accelerate_fsdp2", ("accelerate",), _FSDP, verdict=NOTHING_TO_COMPARE),
    Job("accelerate_hsdp", "accelerate_hsdp", ("accelerate",), (*_FSDP, "c10d.allreduce_"), ranks=4),
    Job("accelerate_test_script", f"{_SCRIPTS}.test_script", ("accelerate",), _DDP, variables=_CPU),
    Job("accelerate_test_sync", f"{_SCRIPTS}.test_sync", ("accelerate",), _DDP, variables=_CPU),
    Job("trainer_ddp", "trainer_ddp", _TRAINER, _DDP, of_the_moment=_RUNTIME),
    Job("trainer_fsdp", "trainer_fsdp", _TRAINER, _FSDP, of_the_moment=_RUNTIME, verdict=NOTHING_TO_COMPARE),
    Job("trl_sft", "trl_sft", _TRL, _DDP, of_the_moment=_RUNTIME),
    Job("trl_dpo", "trl_dpo", _TRL, _DDP, of_the_moment=_RUNTIME),
    Job("fabric_ddp", "fabric_ddp", ("lightning",), _DDP),
    Job("fabric_model_parallel", "fabric_model_parallel", ("lightning",), _FSDP, verdict=NOTHING_TO_COMPARE),
    Job("lightning_ddp", "lightning_ddp", ("lightning",), _DDP),
    Job("torchrec_row_wise", "torchrec_row_wise", ("torchrec", "fbgemm-gpu-cpu"), ("c10d.alltoall_base_",)),
    *[
        Job(f"deepspeed_zero{stage}", "deepspeed_zero", ("deepspeed",), ops, (str(stage),), _DEEPSPEED_CPU)
        for stage, ops in _ZERO.items()
    ],
    Job("megatron_tp", "megatron_tp", ("megatron-core",), ("c10d.allreduce_",)),
]
