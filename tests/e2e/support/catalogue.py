# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The jobs by name."""

from harness import Job, Launcher

JOBS: dict[str, Job] = {
    "mlp": Job("mlp_tp.py", ranks=4, oracle=True),
    "mlp_stacked": Job("mlp_tp.py", ("--stacked", "--steps", "3"), oracle=True),
    "mlp_compile_function": Job("mlp_tp.py", ("--stacked", "--steps", "3", "--compile", "function")),
    "mlp_compile_method": Job("mlp_tp.py", ("--stacked", "--steps", "3", "--compile", "method")),
    "mlp_inductor": Job("mlp_tp.py", ("--steps", "2", "--compile", "function", "--backend", "inductor")),
    "transformer_tp": Job("transformer_tp.py", oracle=True),
    "transformer_sp": Job("transformer_tp.py", ("--seq-parallel", "--untied"), oracle=True),
    "transformer_checkpoint": Job("transformer_tp.py", ("--seq-parallel", "--checkpoint"), oracle=True),
    "transformer_compile": Job("transformer_tp.py", ("--compile", "function")),
    "transformer_sp_fullgraph": Job("transformer_tp.py", ("--seq-parallel", "--untied", "--compile", "fullgraph")),
    "ddp": Job("ddp.py", oracle=True),
    "ddp_accumulate": Job("ddp.py", ("--accumulate", "2")),
    "ddp_static_graph": Job("ddp_static_graph.py"),
    "ddp_compile": Job("ddp.py", ("--compile", "function")),
    "fsdp1": Job("fsdp1.py", oracle=True),
    "fsdp1_orig_params": Job("fsdp1.py", ("--strategy", "shard_grad_op", "--use-orig-params")),
    "fsdp1_compile": Job("fsdp1.py", ("--use-orig-params", "--compile", "function")),
    "fsdp1_tp": Job("fsdp1_tp.py", ranks=4, oracle=True),
    "fsdp1_sp": Job("fsdp1_tp.py", ("--seq-parallel",), ranks=4, oracle=True),
    "fsdp2": Job("fsdp2.py", oracle=True),
    "fsdp2_accumulate": Job("fsdp2.py", ("--accumulate", "2", "--clip"), oracle=True),
    "fsdp2_compile": Job("fsdp2.py", ("--compile", "method")),
    "fsdp2_units": Job("fsdp2_units.py", oracle=True),
    "fsdp2_tp": Job("fsdp2_tp.py", ranks=4, oracle=True),
    "fsdp2_sp": Job("fsdp2_tp.py", ("--seq-parallel",), ranks=4, oracle=True),
    "fsdp2_sp_compile": Job("fsdp2_tp.py", ("--seq-parallel", "--compile", "method"), ranks=4),
    "pipeline": Job("pipeline.py", oracle=True),
    "pipeline_infer_shapes": Job("pipeline.py", ("--infer-shapes",), oracle=True),
    "pipeline_compile": Job("pipeline.py", ("--compile", "method")),
    "pipeline_gpipe": Job("pipeline_schedules.py", ("--schedule", "gpipe"), oracle=True),
    "pipeline_gpipe_fsdp": Job("pipeline_schedules.py", ("--schedule", "gpipe", "--fsdp"), ranks=4, oracle=True),
    "pipeline_interleaved": Job("pipeline_schedules.py", ("--schedule", "interleaved"), oracle=True),
    "pipeline_interleaved_fsdp": Job(
        "pipeline_schedules.py", ("--schedule", "interleaved", "--fsdp"), ranks=4, oracle=True
    ),
    "pipeline_by_hand": Job("pipeline_by_hand.py", ranks=3, oracle=True),
    "checkpoint": Job("checkpointing.py", oracle=True),
    "checkpoint_reentrant": Job("checkpointing.py", ("--kind", "reentrant"), oracle=True),
    "checkpoint_wrapper": Job("checkpointing.py", ("--kind", "wrapper")),
    "checkpoint_compile": Job("checkpointing.py", ("--compile", "fullgraph")),
    "checkpoint_reentrant_compile": Job("checkpointing.py", ("--kind", "reentrant", "--compile", "function")),
    "compiled_eager": Job("compiled.py", ("model",)),
    "compiled_blocks": Job("compiled.py", ("blocks", "--compile", "method")),
    "compiled_function": Job("compiled.py", ("function", "--compile", "function")),
    "compiled_breaks": Job("compiled.py", ("breaks", "--compile", "method")),
    "compiled_shapes": Job("compiled.py", ("shapes", "--compile", "method")),
    "compiled_two_eager": Job("compiled.py", ("two",)),
    "compiled_two": Job("compiled.py", ("two", "--compile", "function")),
    "compiled_inductor": Job("compiled.py", ("model", "--compile", "method", "--backend", "inductor")),
    "buckets": Job("buckets.py", oracle=True),
    "closure": Job("closure.py"),
    "closure_lbfgs": Job("closure_steps.py", ("lbfgs",)),
    "gradients_in_step": Job("gradients_in_step.py"),
    "moved_parameters": Job("moved_parameters.py"),
    "tensor_lists": Job("tensor_lists.py", ("all_gather",)),
    "optimizer_sharded": Job("optimizers.py", ("sharded",)),
    "optimizer_own": Job("optimizers.py", ("own",)),
    "optimizer_in_backward": Job("optimizers.py", ("own_in_backward",)),
    "ep": Job("parallelisms.py", ("ep",)),
    "ep_uneven": Job("parallelisms.py", ("ep_uneven",)),
    "splits": Job("splits.py", ranks=3),
    "splits_compile": Job("splits.py", ("--compile", "function"), ranks=3),
    "cp": Job("parallelisms.py", ("cp",), ranks=3),
    "hsdp": Job("parallelisms.py", ("hsdp",), ranks=4),
    "3d": Job("parallelisms.py", ("3d",), ranks=4),
    "zero": Job("parallelisms.py", ("zero",)),
    "sync": Job("parallelisms.py", ("sync",)),
    "outside": Job("outside.py"),
    "collectives": Job("collectives.py", oracle=True),
    "reuse": Job("reuse.py", oracle=True),
    "groups": Job("groups.py"),
    "threads": Job("threads.py"),
    "raise": Job("endings.py", ("raise",), status=1),
    "exit": Job("endings.py", ("exit",), status=3),
    "_exit": Job("endings.py", ("_exit",), status=4),
    "abort": Job("endings.py", ("abort",), status=-6),
    "terminate": Job("endings.py", ("terminate",), status=-15),
    "fork": Job("children.py", ("fork",)),
    "subprocess": Job("children.py", ("subprocess",)),
    "spawn": Job("spawn.py", launcher=Launcher.SELF),
    "spawn_fork": Job("spawn.py", ("--method", "fork"), launcher=Launcher.SELF),
    "no_group": Job("no_collective.py", launcher=Launcher.SELF),
    "unused_group": Job("no_collective.py", ("--group",)),
}

#: Those that leave one report a rank, with nothing left out.
WITH_REPORTS = [name for name in JOBS if name not in ("no_group", "spawn", "spawn_fork", "fork", "subprocess")]
WITH_ORACLE = [name for name, job in JOBS.items() if job.oracle]
COMPILED = [name for name, job in JOBS.items() if job.compiled]

_SHARDS = "torch shards the parameters before the model runs, for all modules alike, and the job runs few steps."
_NO_MODEL = "The job has no model."

#: Why a job has more than a small share of its bytes at Global.
AT_GLOBAL: dict[str, str] = {
    **dict.fromkeys(("mlp", "mlp_stacked", "mlp_compile_function", "mlp_compile_method", "mlp_inductor"), _SHARDS),
    **dict.fromkeys(("transformer_tp", "transformer_checkpoint", "transformer_compile"), _SHARDS),
    **dict.fromkeys(("transformer_sp", "transformer_sp_fullgraph"), _SHARDS),
    **dict.fromkeys(("checkpoint", "checkpoint_reentrant", "checkpoint_wrapper"), _SHARDS),
    **dict.fromkeys(("checkpoint_compile", "checkpoint_reentrant_compile"), _SHARDS),
    **dict.fromkeys(("fsdp1_tp", "fsdp1_sp", "fsdp2_tp", "fsdp2_sp", "fsdp2_sp_compile", "3d", "reuse"), _SHARDS),
    **dict.fromkeys(("collectives", "groups", "raise", "exit", "_exit", "abort", "terminate"), _NO_MODEL),
    "gradients_in_step": "Its step() stacks gradients of two modules into one buffer.",
    "outside": "It calls torch's functions that communicate for no module.",
    "pipeline_infer_shapes": "Stages send each other the shapes of activations, which are as large as these here.",
    "threads": f"Threads send values of no model. {_SHARDS}",
}
