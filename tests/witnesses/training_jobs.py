# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The training jobs to run. Versions are in requirements-jobs.txt.

docs/design/witnesses.md names what is not among them, and why.
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


def _wrong(package: str, program: str, arguments: str, status: str, *findings: Finding, ranks: int = 2) -> Job:
    """Returns a job whose last argument names what is wrong with its training."""
    words = tuple(arguments.split())
    variables = _DEEPSPEED_CPU if package == "deepspeed" else ()
    name = f"{package}_{words[-1]}".replace("-core", "")
    verdict = Verdict(status, findings)
    return Job(name, program, (package,), (), words, variables, ranks=ranks, verdict=verdict, has_fault=True)


_RIGHT = [
    Job("accelerate_ddp", "accelerate_ddp", ("accelerate",), _DDP),
    Job("accelerate_fsdp2", "accelerate_fsdp2", ("accelerate",), _FSDP, verdict=NOTHING_TO_COMPARE),
    Job("accelerate_hsdp", "accelerate_hsdp", ("accelerate",), (*_FSDP, "c10d.allreduce_"), ranks=4),
    Job("accelerate_test_script", f"{_SCRIPTS}.test_script", ("accelerate",), _DDP, variables=_CPU),
    # Its schedule begins with a rate of 0, and one of its optimizers makes three steps.
    Job(
        "accelerate_test_sync",
        f"{_SCRIPTS}.test_sync",
        ("accelerate",),
        _DDP,
        variables=_CPU,
        verdict=Verdict("suspect", (Finding("warning", "stuck", "RegressionModel#2.a"),)),
    ),
    Job("trainer_ddp", "trainer_ddp", _TRAINER, _DDP, of_the_moment=_RUNTIME),
    Job("trainer_fsdp", "trainer_fsdp", _TRAINER, _FSDP, of_the_moment=_RUNTIME, verdict=NOTHING_TO_COMPARE),
    Job(
        "transformers_tp",
        "transformers_tp",
        _TRAINER,
        ("_c10d_functional.all_gather_into_tensor", "_c10d_functional.all_reduce"),
    ),
    Job("trl_sft", "trl_sft", _TRL, _DDP, of_the_moment=_RUNTIME),
    Job("trl_dpo", "trl_dpo", _TRL, _DDP, of_the_moment=_RUNTIME),
    Job("fabric_ddp", "fabric_ddp", ("lightning",), _DDP),
    Job("fabric_model_parallel", "fabric_model_parallel", ("lightning",), _FSDP, verdict=NOTHING_TO_COMPARE),
    Job("lightning_ddp", "lightning_ddp", ("lightning",), _DDP),
    Job("torchrec_row_wise", "torchrec_row_wise", ("torchrec", "fbgemm-gpu-cpu"), ("c10d.alltoall_base_",)),
    *[
        Job(
            f"deepspeed_zero{stage}",
            "deepspeed_zero",
            ("deepspeed",),
            ops,
            (str(stage),),
            _DEEPSPEED_CPU,
            verdict=NOTHING_TO_COMPARE if stage == 3 else OK,
        )
        for stage, ops in _ZERO.items()
    ],
    Job(
        "spmd_types_tp",
        "spmd_types_tp",
        ("spmd_types",),
        ("_c10d_functional.all_gather_into_tensor", "_c10d_functional.reduce_scatter_tensor"),
        # The model's input needs no gradient.
        verdict=Verdict("nothing_to_compare", (Finding("note", "one_way"),)),
    ),
    Job("megatron_tp", "megatron_tp", ("megatron-core",), ("c10d.allreduce_",)),
    Job(
        "megatron_gpt",
        "megatron_gpt",
        ("megatron-core",),
        ("c10d._allgather_base_", "c10d._reduce_scatter_base_"),
        ("2", "sequence", "heads"),
        ranks=4,
    ),
    Job(
        "megatron_gpt_distributed",
        "megatron_gpt",
        ("megatron-core",),
        ("c10d._allgather_base_", "c10d._reduce_scatter_base_"),
        ("2", "sequence", "distributed"),
        ranks=4,
    ),
]
_FAULTS = [
    _wrong(
        "accelerate",
        "wrong_accelerate",
        "not_prepared",
        "suspect",
        Finding("warning", "unproven", "Linear.weight", (1, 2)),
    ),
    _wrong(
        "accelerate",
        "wrong_accelerate",
        "no_sync",
        "wrong",
        Finding("error", "same_gradient", "Sequential.0.weight", (1, 2)),
    ),
    _wrong(
        "accelerate",
        "wrong_accelerate",
        "old_checkpoint",
        "wrong",
        Finding("error", "same_gradient", "Sequential.0.weight", (4, 5)),
    ),
    _wrong(
        "accelerate",
        "accelerate_hsdp",
        "other_seeds",
        "wrong",
        Finding("error", "never_equal", "0.weight", (None, 1)),
        ranks=4,
    ),
    _wrong(
        "lightning",
        "wrong_fabric",
        "other_seeds",
        "wrong",
        Finding("error", "never_equal", "Sequential.0.weight", (None, 1)),
    ),
    _wrong(
        "transformers",
        "wrong_trainer",
        "head_after_wrapping",
        "wrong",
        Finding("error", "never_equal", "lm_head.weight", (None, 1)),
    ),
    _wrong(
        "transformers",
        "wrong_trainer",
        "rate_on_one_rank",
        "wrong",
        Finding("error", "same_gradient", "lm_head.weight", (4, 5)),
    ),
    _wrong(
        "transformers",
        "wrong_trainer",
        "inner_model",
        "wrong",
        Finding("error", "declared", "lm_head.weight", (1, 2)),
    ),
    _wrong(
        "lightning",
        "wrong_lightning",
        "sync_left_out",
        "wrong",
        Finding("error", "drift", "model.0.weight", (4, 5)),
        Finding("warning", "reductions_stop", "", (3, 4)),
    ),
    _wrong(
        "lightning",
        "wrong_lightning",
        "skipped_update",
        "wrong",
        Finding("error", "skipped_step", "model.0.weight", (3, 4)),
    ),
    _wrong(
        "deepspeed",
        "wrong_deepspeed",
        "head_outside",
        "suspect",
        Finding("warning", "unproven", "Linear.weight", (1, 2)),
    ),
    _wrong(
        "deepspeed",
        "wrong_deepspeed",
        "weights_on_one_rank",
        "ok",
        Finding("note", "periodic", "Sequential.0.weight", (3, 4)),
    ),
    _wrong(
        "torchrec",
        "torchrec_row_wise",
        "top_not_wrapped",
        "suspect",
        Finding("warning", "unproven", "Ranker.top.weight", (1, 2)),
    ),
    _wrong(
        "megatron-core",
        "megatron_gpt",
        "2 sequence norm",
        "suspect",
        Finding("warning", "unproven", "pre_mlp_layernorm.weight", (1, 2)),
    ),
    _wrong(
        "megatron-core",
        "megatron_gpt",
        "2 sequence not_finalized",
        "wrong",
        Finding("error", "declared", "pre_mlp_layernorm.weight", (1, 2)),
    ),
    _wrong(
        "megatron-core",
        "megatron_gpt",
        "1 skipped",
        "suspect",
        Finding("warning", "never_equal", "linear_fc1.weight", (None, 1)),
    ),
    _wrong(
        "megatron-core",
        "megatron_gpt",
        "2 other_seeds",
        "wrong",
        Finding("error", "never_equal", "linear_fc1.weight", (None, 1)),  # of ranks 0 and 2
        Finding("error", "never_equal", "linear_fc1.weight", (None, 1)),  # of ranks 1 and 3
        Finding("warning", "unproven", "input_layernorm.weight", (1, 2)),
        ranks=4,
    ),
]
JOBS = [*_RIGHT, *_FAULTS]
