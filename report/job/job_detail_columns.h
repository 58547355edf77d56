// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/job/job_columns.h"

namespace commtap {

/// The columns of the job report's other tables: steps, times, NCCL, processes and gaps.

template <>
inline constexpr auto kColumns<NotSeenSummary> = std::tuple{
    column<Inline>("", &NotSeenSummary::entry, ""),
    column(field::kRanks, &NotSeenSummary::ranks, "The ranks on which it happened."),
};

template <>
inline constexpr auto kColumns<JobStepAmount> = std::tuple{
    column(field::kKind, &JobStepAmount::kind, ""),
    column<GroupRef>(field::kGroup, &JobStepAmount::group, "The name of a group in `groups`."),
    column(field::kRankCount, &JobStepAmount::ranks, "The number of ranks that have any.", {.minimum = 1}),
    column<OverRanks<&JobStepAmount::ranks>>(field::kCount, &JobStepAmount::count, "The number of calls."),
    column<OverRanks<&JobStepAmount::ranks>>(field::kBytes, &JobStepAmount::bytes, "The payload in bytes."),
    column<OverRanks<&JobStepAmount::ranks>>(
        field::kRunningNs,
        &JobStepAmount::running_ns,
        "How long the timed collectives ran that completed in the step, in nanoseconds; 0 without COMMTAP_TIMING."),
    column<OverRanks<&JobStepAmount::ranks>>(
        field::kExposedNs,
        &JobStepAmount::exposed_ns,
        "How long the job stood still for collectives in the step, in nanoseconds; 0 without COMMTAP_TIMING."),
};

template <>
inline constexpr auto kColumns<JobStep> = std::tuple{
    column(field::kFirstStep, &JobStep::first_step, "The number of the first step in this row, from 0."),
    column(field::kSteps, &JobStep::steps, "The number of steps in this row.", {.minimum = 1}),
    column(field::kRankCount, &JobStep::ranks, "The number of ranks that have the row.", {.minimum = 1}),
    column(
        field::kTimedRankCount,
        &JobStep::timed_ranks,
        "The number of these ranks that completed the row's last step."),
    column<OverAnyRanks<&JobStep::timed_ranks>>(
        field::kDurationNs,
        &JobStep::duration_ns,
        "How long the row's steps took, in nanoseconds, over the ranks of `timed_rank_count`; null if there are none."),
    column(field::kCollectives, &JobStep::collectives, "The collectives issued, by kind and group."),
    column(
        field::kForwardPasses,
        &JobStep::forward_passes,
        "The most calls of root modules outside of a backward that a rank made in the row's steps. Absent if not "
        "known.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kBackwardPasses,
        &JobStep::backward_passes,
        "The most backward passes of a rank, counted as in the reports of ranks. Absent if not known.",
        {.presence = Presence::kIfKnown}),
    column(
        "closure_passes",
        &JobStep::closure_passes,
        "The most of them that closures made on a rank. Absent if 0.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kTrainingSteps,
        &JobStep::training_steps,
        "The number of the row's steps that trained, as in the reports of ranks. Absent for none.",
        {.presence = Presence::kIfKnown, .minimum = 1}),
};

template <>
inline constexpr auto kColumns<Straggler> = std::tuple{
    column(field::kRank, &Straggler::rank, "The rank."),
    column(
        field::kLateByNs,
        &Straggler::late_by_ns,
        "How much later than the first rank it arrives, on average, in nanoseconds."),
};

template <>
inline constexpr auto kColumns<ExposedCauses> = std::tuple{
    column(
        "late_peer_ns",
        &ExposedCauses::late_peer_ns,
        "The least of `exposed_ns` that was a wait for ranks that came later: what the collectives ran longer than on "
        "the rank where they ran shortest. In nanoseconds, over all ranks."),
    column(
        "network_ns",
        &ExposedCauses::network_ns,
        "The rest of `exposed_ns`: the most that the network needed, with the time in the backend's queue."),
};

template <>
inline constexpr auto kColumns<TimeTotals> = std::tuple{
    column<NullIfEmpty>(
        field::kModule,
        &TimeTotals::module,
        "The clean name of the attributed module; null in `group_times`."),
    column(field::kKind, &TimeTotals::kind, ""),
    column(field::kGroup, &TimeTotals::group, "The description of the process groups, or the name if there is none."),
    column(field::kBackend, &TimeTotals::backend, "The backend; empty if not known."),
    column("group_size", &TimeTotals::group_size, "The number of ranks in each of the groups; 0 if not known."),
    column(field::kCount, &TimeTotals::count, "The number of calls, timed or not.", {.minimum = 1}),
    column(field::kTime, &TimeTotals::time, "", {.ref = "commtap-2.schema.json#/$defs/collective_time"}),
    column(
        "straggler",
        &TimeTotals::straggler,
        "The rank that arrives last, where collectives run shortest, in the group with the latest straggler. Only for "
        "kinds that no rank leaves before all have arrived; null if there is none."),
    column<NullIfEmpty>(field::kLabel, &TimeTotals::label, "As in `collectives`; null in `group_times`."),
    column(
        field::kSetup,
        &TimeTotals::setup,
        "As in `collectives`; absent in `group_times`.",
        {.presence = Presence::kIfKnown}),
    column(
        "exposed_causes",
        &TimeTotals::causes,
        "In `group_times`, for kinds that no rank leaves before all have arrived: what the ranks waited for. Absent if "
        "the running times do not prove it.",
        {.presence = Presence::kIfKnown}),
};

template <>
inline constexpr auto kColumns<JobProcess> = std::tuple{
    column(field::kRank, &JobProcess::rank, "The global rank; null if the process has none."),
    column(field::kHost, &JobProcess::host, "The host's name."),
    column(field::kPid, &JobProcess::pid, "The process id on its host."),
    column<RealTime>(
        field::kStartedAt,
        &JobProcess::started_at_ns,
        "When commtap began to count: wall-clock time, UTC, to the microsecond."),
    column<RealTime>(
        field::kEndedAt,
        &JobProcess::ended_at_ns,
        "When the report was made: wall-clock time, UTC, to the microsecond. Null if the process had not ended, or if "
        "commtap did not see its end."),
    column<RealTime>(
        field::kLastActivityAt,
        &JobProcess::last_activity_ns,
        "When the process was last seen at work: its last collective, step, start or end; wall-clock time, UTC."),
    column(field::kExit, &JobProcess::exit, "How the process ended, as in its report."),
    kExitSignalColumn<JobProcess>,
    column("file", &JobProcess::file, "The file of its report, relative to `job.source` if it lies below that folder."),
    column(field::kTotals, &JobProcess::totals, "The process's sums by kind."),
    column(
        field::kExitStatus,
        &JobProcess::exit_status,
        "The exit status of a process that ended as normal or _exit; null if a signal ended it, or if not known."),
};

template <>
inline constexpr auto kColumns<JobNcclVersion> = std::tuple{
    column<NullIfEmpty>(
        field::kVersion,
        &JobNcclVersion::version,
        "NCCL's version, for example \"2.29.7\"; null if NCCL did not report it."),
    column(field::kRanks, &JobNcclVersion::ranks, "The ranks that use it."),
};

template <>
inline constexpr auto kColumns<JobNcclCall> = std::tuple{
    column(field::kFunction, &JobNcclCall::function, "The NCCL function."),
    column<NullIfEmpty>(
        field::kOp,
        &JobNcclCall::op,
        "The `op` of the collective that made the call; null for a call that no collective makes."),
    column<GroupRef>(
        field::kGroup,
        &JobNcclCall::group,
        "The name in `groups` of the group of the collective that made the call; null for none."),
    column(
        field::kModule,
        &JobNcclCall::module,
        "The attributed module of the collective that made the call; else the module in which the call was made."),
    column(field::kPhase, &JobNcclCall::phase, ""),
    column<NullIfEmpty>(
        field::kDtype,
        &JobNcclCall::dtype,
        "The dtype as torch names it; null for a call without one."),
    column<RankSetRef>(
        field::kRankSet,
        &JobNcclCall::rank_set,
        "The ranks that have the row: an index into `rank_sets`."),
    column<Inline>("", &JobNcclCall::calls, ""),
};

} // namespace commtap
