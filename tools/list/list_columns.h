// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "tools/list/listed_run.h"

namespace commtap {

// The description of the JSON of `commtap list`.

template <>
inline constexpr auto kColumns<ListedRun> = std::tuple{
    column(field::kRunId, &ListedRun::run_id, "The run: `--run` of other commands."),
    column(
        field::kRunName,
        &ListedRun::name,
        "The run's name for people. Absent if it has none.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kArgv,
        &ListedRun::argv,
        "The command line of the first process; the command of `commtap run` if that line names no program, as of "
        "multiprocessing and Ray; empty if its report has none."),
    column<RealTime>(field::kStartedAt, &ListedRun::started_at_ns, "When its first process started."),
    column<RealTime>(field::kEndedAt, &ListedRun::ended_at_ns, "When its last process ended; null if one has no end."),
    column<RealTime>(
        "last_activity_at",
        &ListedRun::last_activity_ns,
        "When a process was last seen at work, as in merged reports."),
    column("attempts", &ListedRun::attempts, "How many attempts there are. The other fields are of the last one."),
    column(field::kRanks, &ListedRun::ranks, "The ranks with a report, as ranges."),
    column("missing_ranks", &ListedRun::missing, "The ranks without a report, as ranges; empty if not known."),
    column(field::kWorldSize, &ListedRun::world_size, "The number of ranks; null if not known."),
    column("end", &ListedRun::end, ""),
    column("planned", &ListedRun::planned, "Whether `commtap plan` made it: nothing was communicated."),
    column("calls", &ListedRun::calls, "The collectives of all ranks."),
    column(field::kBytes, &ListedRun::bytes, "Their payload in bytes."),
    column("disk_bytes", &ListedRun::disk_bytes, "The bytes of its files, samples and other attempts included."),
};

template <>
inline constexpr auto kColumns<RunList> = std::tuple{
    column(field::kSchema, &RunList::schema, kSchemaHelp),
    column("runs", &RunList::runs, "The newest run first."),
    column("older", &RunList::older, "How many older runs are left out: `--all` lists them."),
    column(field::kProblems, &RunList::problems, "One line for each file that could not be read."),
};

} // namespace commtap
