// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/model/model.h"

namespace commtap {

/// A tuple of Columns for each document: its tables, and objects with facts of the whole process, in writing order. It
/// generates the JSON writer, the reader, the document's part of the JSON Schema, and which tables of fields
/// docs/ can have. In a help, {key} is replaced by the names of the row's key.
template <typename Document>
inline constexpr auto kTables = nullptr;

template <>
inline constexpr auto kTables<Report> = std::tuple{
    column(
        field::kGroups,
        &Report::groups,
        "The process groups that the process used or created, in the order in which commtap first saw them."),
    column(
        field::kModules,
        &Report::modules,
        "The module tree as a list. The first module is Global, which stands for code outside all modules and is the "
        "parent of every root."),
    column(
        field::kCollectives,
        &Report::collectives,
        "One row per distinct {key}. Counts are exclusive: a module's rows do not include its children."),
    column(
        field::kMembers,
        &Report::members,
        "The modules whose parameters the rows of `collectives` carry, where that is known: for FSDP2's units, and for "
        "a DDP model with one bucket. Counts are never split. Absent if there are none.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kOperations,
        &Report::operations,
        "Present only with COMMTAP_LEVEL=dtensor or ops. One row per distinct {key}. Every op that passes the "
        "dispatcher counts: a composite op (aten.linear) and the ops that it calls (aten.addmm), an op on a "
        "DTensor and its ops on local tensors. Ops that a compiler traces do not count. Counts are exclusive.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kSteps,
        &Report::steps,
        "The training steps in order; the last entry is the step that was running at the end. A step ends when, "
        "after an optimizer step, the next forward of a root module begins, or when the job calls "
        "commtap_mark_step. The first 16 steps have one entry each. Beyond 511 entries, later steps are merged in"
        " twos, fours and so on."),
    column(
        field::kLast,
        &Report::last,
        "The last collectives that the process issued, oldest first: at most 2,048, or 100 for a process that "
        "exited by itself."),
    column(
        "open_calls",
        &Report::open_calls,
        "The calls to NCCL, and those that make process groups, that threads had entered and that had not returned "
        "when "
        "the report was written, the longest open first; absent if there were none.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kNccl,
        &Report::nccl,
        "Present only if the process called NCCL in a way that commtap can observe: libnccl.so's functions by "
        "name, or calls that NCCL's profiler plugin reports. See commtap help nccl.",
        {.presence = Presence::kIfKnown}),
    column(
        "cuda_graphs",
        &Report::cuda_graphs,
        "Present only if the process captured collectives or NCCL calls in CUDA graphs: those graphs. Each launch"
        " also counts in `collectives`, `steps` and `nccl`; the capture itself does not.",
        {.presence = Presence::kIfKnown}),
    column(
        "own_cost",
        &Report::own_cost,
        "The resources of the process that commtap used.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kNotSeen,
        &Report::not_seen,
        "The cases that could not be observed or attributed, so a reader knows which numbers are incomplete. "
        "Empty in a complete report."),
};

template <>
inline constexpr auto kTables<Nccl> = std::tuple{
    column(
        field::kCommunicators,
        &Nccl::communicators,
        "The communicators in the order in which commtap first saw them; `calls[].communicator` is an index into "
        "this list."),
    column(
        field::kCalls,
        &Nccl::calls,
        "One row per distinct (function, communicator, op, group, module, phase, dtype, in_group)."),
};

/// Calls `visit` with each table, in writing order.
template <typename Document, typename Visit>
constexpr void forEachTable(const Visit& visit) {
  std::apply([&visit](const auto&... each) { (visit(each), ...); }, kTables<Document>);
}

} // namespace commtap
