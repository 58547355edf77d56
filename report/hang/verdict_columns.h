// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/hang/verdict.h"
#include "report/json/columns.h"
#include "report/json/fields.h"

namespace commtap {

// The description of the JSON of `commtap why`.

template <>
inline constexpr auto kColumns<HangCall> = std::tuple{
    column(field::kRanks, &HangCall::ranks, "The ranks that made the call, as ranges."),
    column(field::kGroup, &HangCall::group, "The group's description, or its name if it has none."),
    column("members", &HangCall::members, "The ranks of the group, as ranges."),
    column(
        field::kSequence,
        &HangCall::sequence,
        "The number in the group, from 1; sends and receives are numbered apart."),
    column(field::kKind, &HangCall::kind, ""),
    column(field::kOp, &HangCall::op, "The op, for example `c10d.allreduce_`."),
    column(field::kModule, &HangCall::module, "The attributed module."),
    column(field::kPhase, &HangCall::phase, ""),
    column(field::kBytes, &HangCall::bytes, "The payload in bytes."),
    column<NullIfEmpty>(field::kDtype, &HangCall::dtype, "The dtype; null if the call has no tensor."),
    column<NullIfEmpty>(field::kReduceOp, &HangCall::reduce_op, "The reduction; null if there is none."),
    column(
        field::kRoot,
        &HangCall::root,
        "The global rank of the root; null for a kind without a root, or if it is not known.",
        {.minimum = std::nullopt}),
    column(
        field::kPeer,
        &HangCall::peer,
        "The global rank that a send or receive names; null for other kinds, or if it is not known.",
        {.minimum = std::nullopt}),
    column(field::kStep, &HangCall::step, "The step in which the call was made, from 0."),
    column<RealTime>(field::kIssuedAt, &HangCall::issued_at_ns, "When the call was made."),
};

template <>
inline constexpr auto kColumns<HangRank> = std::tuple{
    column(field::kRank, &HangRank::rank, "The rank."),
    column("role", &HangRank::role, ""),
    column(field::kState, &HangRank::state, ""),
    column(field::kHost, &HangRank::host, "The host; empty for a rank without a report."),
    column(field::kPid, &HangRank::pid, "The process; null for a rank without a report."),
    column(
        field::kExitSignal,
        &HangRank::exit_signal,
        "The signal that ended the process, or the last one that its launcher was seen to send; null if none is "
        "known."),
    column(
        "process",
        &HangRank::process,
        "The state of the process in words; empty if it is not on this machine, or has ended."),
    column("call", &HangRank::call, "The call in which the rank waits, else the last one that it issued."),
    column("waits_for", &HangRank::waits_for, "The ranks that it waits for, as ranges; empty if it waits for none."),
    column(
        "inferred",
        &HangRank::inferred,
        "True if the rank waits in the call only because it is its last one: whether it completed is not known."),
    column(field::kSteps, &HangRank::steps, "How many steps the rank has ended; null if not known."),
    column(
        field::kExitStatus,
        &HangRank::exit_status,
        "The exit status of a process that exited by itself; null if not known."),
    column<NullIfEmpty>(
        "open_call",
        &HangRank::open_call,
        "The call to NCCL, or the one that makes a process group, that a thread of the rank has entered, and that has "
        "not returned: the longest open one; null if there is none."),
    column<RealTime>(
        "open_since",
        &HangRank::open_since_ns,
        "When the thread entered it, to about 10 ms; null if there is none."),
};

template <>
inline constexpr auto kColumns<HangCount> = std::tuple{
    column(field::kModule, &HangCount::module, "The attributed module."),
    column(field::kPhase, &HangCount::phase, ""),
    column(field::kOp, &HangCount::op, "The op."),
    column<NullIfEmpty>(field::kDtype, &HangCount::dtype, "The dtype; null for none."),
    column<NullIfEmpty>(field::kReduceOp, &HangCount::reduce_op, "The reduction; null for none."),
    column("cause", &HangCount::cause, "The rank of the cause that was compared."),
    column("cause_count", &HangCount::cause_count, "How often it made the collective."),
    column("others", &HangCount::others, "The rank that it was compared with."),
    column("others_count", &HangCount::others_count, "How often that rank made the collective."),
};

template <>
inline constexpr auto kColumns<HangDivergence> = std::tuple{
    column(field::kGroup, &HangDivergence::group, "The group's description, or its name if it has none."),
    column("members", &HangDivergence::members, "The ranks of the group, as ranges."),
    column(field::kRanks, &HangDivergence::ranks, "The ranks that differ from the others."),
    column("from", &HangDivergence::from, "The first collective of the first stretch that differs.", {.minimum = 1}),
    column("to", &HangDivergence::to, "The last collective of that stretch.", {.minimum = 1}),
};

template <>
inline constexpr auto kColumns<HangEnd> = std::tuple{
    column<RealTime>("at", &HangEnd::at_ns, "When it was ended; null if not known."),
    column(
        field::kExitSignal,
        &HangEnd::signal,
        "The signal that ended it: of the first rank that ended; null if none is known.",
        {.minimum = 1}),
    column(
        field::kExitStatus,
        &HangEnd::exit_status,
        "The status with which that rank exited, if no signal ended it; null if not known."),
    column("gave_up", &HangEnd::gave_up, "The ranks that failed because they had waited for too long, as ranges."),
};

template <>
inline constexpr auto kColumns<HangStack> = std::tuple{
    column(field::kRank, &HangStack::rank, "The rank."),
    column(field::kPid, &HangStack::pid, "The process."),
    column("command", &HangStack::command, "The command that printed the stack."),
    column("text", &HangStack::text, "What it printed."),
};

template <>
inline constexpr auto kColumns<Verdict> = std::tuple{
    column(field::kSchema, &Verdict::schema, kSchemaHelp),
    column("status", &Verdict::status, ""),
    column(
        "earlier_status",
        &Verdict::earlier_status,
        "The status of the same event in an earlier notification, less grave; null if this is the first."),
    column(field::kReason, &Verdict::reason, ""),
    column("line", &Verdict::line, "The verdict in one sentence, for people."),
    column(
        "inferred",
        &Verdict::inferred,
        "True if the verdict rests on the order of events, not only on what ranks have written."),
    column(field::kRunId, &Verdict::run_id, "The run."),
    column(field::kAttempt, &Verdict::attempt, "The attempt of the run, from 0."),
    column(field::kWorldSize, &Verdict::world_size, "The number of ranks; null if not known."),
    column(
        "cause",
        &Verdict::cause,
        "The ranks to look at or to exclude, as ranges. Empty if there are none. All ranks on all sides if the reports "
        "do "
        "not show which side is wrong."),
    column(
        "call",
        &Verdict::call,
        "The call that the cause has not entered, as another rank made it; for ranks that made different calls, that "
        "of "
        "the cause; for a skipped call, that of the others. Null if there is none."),
    column(
        "calls",
        &Verdict::calls,
        "For ranks that made different calls under one number: each call, the one of most ranks first. For ranks that "
        "wait for each other: the call of each."),
    column<RealTime>("since", &Verdict::since_ns, "Since when ranks wait for the call; null if none waits."),
    column(
        "end",
        &Verdict::end,
        "How the job was ended: by its launcher, by a signal to all ranks, or by ranks that gave up. Null if it goes "
        "on, or ended by itself."),
    column<RealTime>(
        field::kLastActivityAt,
        &Verdict::last_activity_ns,
        "When a rank was last seen at work: its last collective, step, start or end, as in merged reports. Null "
        "without ranks."),
    column(
        "waits_s",
        &Verdict::waits_s,
        "Seconds since `since`; of a job that has ended, until its end if that time is known."),
    column(
        "quiet_s",
        &Verdict::quiet_s,
        "Seconds since the last event of any rank; of a job that has ended, until its end if that time is known."),
    column(field::kRanks, &Verdict::ranks, "The ranks; of many that are no cause, the first 256."),
    column("counts", &Verdict::counts, "Rows of the group that the cause counts differently than another rank."),
    column(
        "divergence",
        &Verdict::divergence,
        "The first stretch of a group in which ranks made different collectives, too long ago for `calls`; null if "
        "there "
        "is none."),
    column("stacks", &Verdict::stacks, "With --stacks: the stacks of the cause."),
    column(field::kProblems, &Verdict::problems, "One line for each file that could not be read."),
};

} // namespace commtap
