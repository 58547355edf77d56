// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/model/model.h"

namespace commtap {

/// The columns of the rows that describe a process: its job, process groups and modules, and commtap's own cost and
/// gaps.

/// Columns that rows of a process and of a job share.
template <typename Row>
inline constexpr auto kRunIdColumn = column(
    field::kRunId,
    &Row::run_id,
    "The run's name, the same in all its processes: COMMTAP_RUN_ID, else the Slurm job and step, else torchrun's "
    "run id, else the master's address and port (then a mark of torchrun's process if it started all ranks), else "
    "the host and the process group. A later run of the same name in the folder has `.run-2` and so on after it.");
template <typename Row>
inline constexpr auto kExitSignalColumn = column(
    field::kExitSignal,
    &Row::exit_signal,
    "The number of the signal that ended the process; for killed, the last one that its launcher was seen to send. "
    "Null if none is known.",
    {.minimum = 1});
template <typename Row>
inline constexpr auto kWrappersColumn = column(
    field::kWrappers,
    &Row::wrappers,
    "The classes that wrap the module, for example `DistributedDataParallel`, and those by which a library swapped "
    "its class, for example `FSDPModule`; outermost first.");

template <>
inline constexpr auto kColumns<Job> = std::tuple{
    kRunIdColumn<Job>,
    column(
        field::kRunName,
        &Job::name,
        "The run's name for people: COMMTAP_NAME, else WANDB_NAME, else SLURM_JOB_NAME. Absent if it has none.",
        {.presence = Presence::kIfKnown}),
    column(field::kRank, &Job::rank, "The global rank; null if the process has none."),
    column(field::kWorldSize, &Job::world_size, "The number of ranks in the job; null if not known.", {.minimum = 1}),
    column(field::kLocalRank, &Job::local_rank, "The rank on its host; null if not known."),
    column(field::kAttempt, &Job::attempt, "How often the launcher had restarted the job when this process started."),
    column(field::kHost, &Job::host, "The host's name."),
    column(field::kPid, &Job::pid, "The process id on its host."),
    column(
        field::kArgv,
        &Job::argv,
        "The command line, at most 4096 bytes of it. Secrets are `(redacted)`, by their names and by their shapes. "
        "Empty with COMMTAP_ARGV=off."),
    column<RealTime>(
        field::kStartedAt,
        &Job::started_at_ns,
        "When commtap began to count: wall-clock time, UTC, to the microsecond."),
    column<RealTime>(
        field::kEndedAt,
        &Job::ended_at_ns,
        "When the report was made: wall-clock time, UTC, to the microsecond. For killed, when the launcher sent "
        "exit_signal. Null if the process had not ended, or if its end is not known."),
    column(
        field::kExit,
        &Job::exit,
        "How the process ended. running: it has not. normal: it returned from main or called exit(), also after an "
        "exception (see exit_status). _exit: it called _exit, _Exit or quick_exit (os._exit in Python). signal: "
        "abort(), a deadly signal that it sent to itself, or one by which its launcher found it ended. killed: its "
        "end was not seen: a signal from outside, for example SIGKILL, or a crash. after_work: the same, after it had "
        "destroyed all its groups; or, also for a worker that Ray ended, all ranks had completed the same calls, none "
        "had one under way, and the command of `commtap run` ended with status 0."),
    kExitSignalColumn<Job>,
    column<NullIfEmpty>(
        field::kTorch,
        &Job::torch_version,
        "PyTorch's version, for example 2.13.0; null if PyTorch was not loaded or its version is not known."),
    column<NullIfEmpty>(field::kPython, &Job::python_version, "Python's version; null in a job without Python."),
    column(field::kCommtap, &Job::commtap_version, "The version of commtap that made the report."),
    column(
        field::kTiming,
        &Job::timing,
        "The value of COMMTAP_TIMING: `off`, `host`, `device`, or `sample:N`, which times every N-th step."),
    column(
        field::kStepsFrom,
        &Job::steps_from,
        "What ended the last completed step of `steps`; if none is complete, what the next forward would have ended "
        "the "
        "first one for. mark: `commtap.mark_step`. optimizer: an optimizer had stepped. "
        "zero_grad: an optimizer whose step was not seen cleared its gradients. parameters: a parameter had changed, "
        "and no optimizer was seen. forward: a forward without gradients, in a process that only evaluates. Null if "
        "nothing that ends a step was seen."),
    column(
        field::kPlanned,
        &Job::planned,
        "Whether `commtap plan` made the report: the process communicated nothing, and the numbers are what it would "
        "have."),
    column(
        field::kExitStatus,
        &Job::exit_status,
        "The exit status of a process that ended as normal or _exit, 0 to 255: Python exits with 1 after an exception. "
        "Null if a signal ended the process, or if the status is not known."),
    column<RealTime>(
        field::kSignalSentAt,
        &Job::signal_sent_at_ns,
        "When the launcher was seen to send the process a signal that asks it to end: wall-clock time, UTC, to the "
        "microsecond; of several within a minute, the first. Absent if it was not seen to.",
        {.presence = Presence::kIfKnown}),
};

template <>
inline constexpr auto kColumns<Group> = std::tuple{
    column(
        field::kName,
        &Group::name,
        "The group's name in PyTorch, unique in the report: the second group with the same name is `name#2`."),
    column(
        field::kDesc,
        &Group::desc,
        "The group's description, for example `default_pg` or `mesh_tp`; empty if it has none."),
    column(field::kBackend, &Group::backend, "The backend's name in lower case, for example `gloo` or `nccl`."),
    column(field::kSize, &Group::size, "The number of ranks in the group."),
    column<RankList>(
        field::kRanks,
        &Group::ranks,
        "The global ranks in the group, in the group's order, as ranges: `0-63,128`; null if not known."),
    column(
        field::kCollectives,
        &Group::collectives,
        "The number of collectives issued in the group; `last[].sequence` counts them."),
    column(
        "point_to_point",
        &Group::point_to_point,
        "The number of sends and receives issued in the group, counted apart."),
    column(
        "stretches",
        &Group::stretches,
        "By stretch of the group's collectives: a checksum of their ops, dtypes, sizes, roots and reductions, in their "
        "order. Ranks that work alike have equal ones. A stretch is 1024 collectives; from the 131073rd on, the 64th "
        "to "
        "the 128th part of those issued. The last one may not be complete."),
    column(
        field::kMeshDimension,
        &Group::mesh_dimension,
        "The name of the DeviceMesh dimension that the group is: `dp` for `mesh_dp`, and for the default group if a "
        "mesh over all ranks has a dimension `dp`. Absent if no named dimension is the group, or dimensions of two "
        "names are.",
        {.presence = Presence::kIfKnown}),
};

template <>
inline constexpr auto kColumns<Parameter> = std::tuple{
    column(field::kName, &Parameter::name, "The parameter's name in its module, for example `weight`."),
    column(
        "shape",
        &Parameter::shape,
        "The size in elements by dimension; for a DTensor, the global one.",
        {.ref = "shape"}),
    column(
        "local_shape",
        &Parameter::local_shape,
        "The size of this rank's part in elements by dimension; differs from `shape` only for a DTensor.",
        {.ref = "shape"}),
    column(field::kDtype, &Parameter::dtype, "The dtype without `torch.`, for example `float32`."),
    column("requires_grad", &Parameter::requires_grad, "Whether the parameter required a gradient."),
    column<JsonObject>(
        "mesh",
        &Parameter::mesh,
        "The device mesh of a DTensor; null for a plain tensor.",
        {.ref = "mesh"}),
    column<NullIfEmpty>(
        "placements",
        &Parameter::placements,
        "The DTensor's placement for each mesh dimension, as PyTorch prints it, for example `Shard(dim=0)`; null for a "
        "plain tensor."),
};

template <>
inline constexpr auto kColumns<Module> = std::tuple{
    column(field::kId, &Module::id, "The module's number in this report; 0 is `Global`."),
    column(
        field::kParent,
        &Module::parent,
        "The id of the parent module: 0, `Global`, for a root module, null for `Global` itself."),
    column(
        field::kName,
        &Module::name,
        "The clean name: the class of the root module as the user wrote it, then the attributes' names, joined by "
        "dots. It "
        "is the same whatever wraps the model or swaps its class: it lacks the components of wrappers (`_orig_mod`, "
        "`_fsdp_wrapped_module`, `_checkpoint_wrapped_module`, DDP's `module`), so "
        "a wrapper and what it wraps may share a name. The second live root of a class is `Net#2`."),
    column(
        "raw_name",
        &Module::raw_name,
        "The name with the components of wrappers, as PyTorch's ModTracker gives it."),
    column<NullIfEmpty>(
        field::kClass,
        &Module::class_name,
        "The class, as the user wrote it if a library swapped it (`Net` for `FSDPNet`); null for `Global` or if not "
        "known."),
    column(field::kCalls, &Module::calls, "", {.ref = "calls"}),
    column<Details>(
        "parameters",
        &Module::parameters,
        "The parameters that the module itself holds, without those of child modules."),
    kWrappersColumn<Module>,
};

template <>
inline constexpr auto kColumns<OwnCost> = std::tuple{
    column(
        "start_ns",
        &OwnCost::start_ns,
        "From the moment torch was found until everything was installed. 0 in a child of fork."),
    column(
        "collectives_ns",
        &OwnCost::collectives_ns,
        "Counting collectives; the first one may also create the ledger's file."),
    column("module_calls_ns", &OwnCost::module_calls_ns, "Following module calls."),
    column(
        "other_ns",
        &OwnCost::other_ns,
        "Calls to NCCL and of CUDA graphs, durations and labels, and ops if COMMTAP_LEVEL asks for them."),
    column(
        field::kEndNs,
        &OwnCost::end_ns,
        "From the end of the process until its report was written, except for the rename. 0 if another process made "
        "the report."),
    column(
        "memory_bytes",
        &OwnCost::memory_bytes,
        "The largest amount of memory in bytes: the ledger, its indexes and the state of each thread."),
    column(
        "ledger_bytes",
        &OwnCost::ledger_bytes,
        "The size of the ledger in bytes; it is a file while the process runs."),
};

template <>
inline constexpr auto kColumns<NotSeenEntry> = std::tuple{
    column(field::kReason, &NotSeenEntry::reason, "A short fixed name, for example `collective_rows_full`."),
    column(field::kCount, &NotSeenEntry::count, "How often it happened.", {.minimum = 1}),
    column(field::kDetail, &NotSeenEntry::detail, "The first thing that it happened to; empty if it has no name."),
    column(field::kMeaning, &NotSeenEntry::meaning, "What it means for the numbers, in one sentence."),
};

} // namespace commtap
