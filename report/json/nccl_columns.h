// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/model/model.h"

namespace commtap {

/// The columns of NCCL calls, of calls that have not returned, and of CUDA graphs.

template <>
inline constexpr auto kColumns<NcclCommunicator> = std::tuple{
    column(
        field::kSize,
        &NcclCommunicator::size,
        "The number of ranks; null if NCCL never reported it.",
        {.minimum = 1}),
    column(field::kRank, &NcclCommunicator::rank, "This process's rank in the communicator; null if not known."),
    column<NullIfEmpty>(
        field::kGroup,
        &NcclCommunicator::group,
        "The name of the process group whose collectives first called NCCL with this communicator; null if no "
        "collective used it."),
};

template <>
inline constexpr auto kColumns<NcclCall> = std::tuple{
    column(
        field::kFunction,
        &NcclCall::function,
        "The NCCL function. A call that NCCL makes itself (ncclBcast calls ncclBroadcast) is not counted."),
    column(
        field::kCommunicator,
        &NcclCall::communicator,
        "An index into `communicators`; null for a call that names none."),
    column<NullIfEmpty>(
        field::kOp,
        &NcclCall::op,
        "The `op` of the row of `collectives` that made the call; null for a call that no collective makes."),
    column<NullIfEmpty>(field::kGroup, &NcclCall::group, "The `group` of the collective that made the call."),
    column(
        field::kModule,
        &NcclCall::module,
        "The attributed module of the collective that made the call; else the module in which the call was made."),
    column(field::kPhase, &NcclCall::phase, ""),
    column<NullIfEmpty>(
        field::kDtype,
        &NcclCall::dtype,
        "The dtype as torch names it; null for a call without one, or if this version does not know it."),
    column(
        "in_group",
        &NcclCall::in_group,
        "Whether the call was made between ncclGroupStart and ncclGroupEnd, these two included; null if `source` is "
        "`plugin`."),
    column(
        field::kSource,
        &NcclCall::source,
        "`call`: commtap saw the call. `plugin`: NCCL reported it to commtap's profiler plugin."),
    column(
        field::kCount,
        &NcclCall::count,
        "The number of calls, including those that failed. A call captured in a CUDA graph counts at each launch of "
        "the graph, not at its capture."),
    column(
        field::kFailed,
        &NcclCall::failed,
        "The number of calls that returned an error; ncclInProgress is not an error."),
    column(
        field::kBytes,
        &NcclCall::bytes,
        "The payload of the calls that did not fail, in bytes, as nccl-tests defines it: the tensor; for all_gather, "
        "reduce_scatter, all_to_all, gather and scatter the tensors of all ranks. For functions that allocate or "
        "register memory, its size."),
    column(
        "captured",
        &NcclCall::captured,
        "The number of calls that were made during the capture of a CUDA graph and became part of it."),
};

template <>
inline constexpr auto kColumns<EnteredCall> = std::tuple{
    column(
        field::kFunction,
        &EnteredCall::function,
        "The NCCL function that a thread is in, or `new_group`, `split_group`, `shrink_group` or `init_process_group`; "
        "`new_group of ranks 0-1` says which ranks it is to have."),
    column<NullIfEmpty>(
        field::kGroup,
        &EnteredCall::group,
        "The `group` of the collective that made the call; null if no collective made it."),
    column<RealTime>("entered_at", &EnteredCall::entered_at_ns, "When the thread entered it, to about 10 ms."),
};

template <>
inline constexpr auto kColumns<GraphCollective> = std::tuple{
    column(field::kModule, &GraphCollective::module, "The attributed module, as in `collectives`."),
    column(field::kPhase, &GraphCollective::phase, ""),
    column(field::kOp, &GraphCollective::op, "The outermost op, as in `collectives`."),
    column(field::kKind, &GraphCollective::kind, ""),
    column(field::kGroup, &GraphCollective::group, "The name of a process group in `groups`."),
    column(field::kCount, &GraphCollective::count, "The number of calls per launch.", {.minimum = 1}),
    column(field::kBytes, &GraphCollective::bytes, "The payload per launch in bytes."),
};

template <>
inline constexpr auto kColumns<GraphNcclCall> = std::tuple{
    column(field::kFunction, &GraphNcclCall::function, "The NCCL function."),
    column(
        field::kCommunicator,
        &GraphNcclCall::communicator,
        "An index into `nccl.communicators`; null for a call that names none."),
    column(field::kCount, &GraphNcclCall::count, "The number of calls per launch.", {.minimum = 1}),
    column(field::kBytes, &GraphNcclCall::bytes, "The payload per launch in bytes."),
};

template <>
inline constexpr auto kColumns<CudaGraph> = std::tuple{
    column(
        "launches",
        &CudaGraph::launches,
        "Launches of all instances and copies of the graph. A launch inside another capture does not count: its calls "
        "become part of that graph."),
    column(field::kCollectives, &CudaGraph::collectives, "What one launch adds to the rows of `collectives`."),
    column("nccl_calls", &CudaGraph::nccl_calls, "What one launch adds to the rows of `nccl.calls`."),
};

} // namespace commtap
