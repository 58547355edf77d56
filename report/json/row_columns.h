// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/model/model.h"

namespace commtap {

/// The columns of the rows that count a process's communication.

template <>
inline constexpr auto kColumns<Durations> = std::tuple{
    column(field::kCount, &Durations::count, "The number of durations.", {.minimum = 1}),
    column(field::kSum, &Durations::sum_ns, "Their sum in nanoseconds."),
    column(field::kMin, &Durations::min_ns, "The shortest in nanoseconds."),
    column(field::kMax, &Durations::max_ns, "The longest in nanoseconds."),
    column(
        "histogram",
        &Durations::histogram,
        "The durations by powers of two. Each key is the shortest duration of its class in nanoseconds (1024 stands "
        "for 1024 to 2047; the last class, from 4398046511104, has no end), each value the number of durations in the "
        "class."),
};

template <>
inline constexpr auto kColumns<StalledIn> = std::tuple{
    column<NullIfEmpty>(
        field::kModule,
        &StalledIn::module,
        "The clean name of the module that stood still: the one that ran where a thread or a stream waited. "
        "`Global` outside of every module; null if a table was full."),
    column(field::kPhase, &StalledIn::phase, "What the module did."),
    column(field::kCount, &StalledIn::count, "How many times it stood still."),
    column(field::kExposedNs, &StalledIn::exposed_ns, "How long it stood still: the sum in nanoseconds."),
};

template <>
inline constexpr auto kColumns<Imbalance> = std::tuple{
    column(field::kMean, &Imbalance::mean, "The mean over the calls, each to a thousandth."),
    column(field::kMax, &Imbalance::max, "The largest of a call."),
};

template <>
inline constexpr auto kColumns<Splits> = std::tuple{
    column(
        field::kCalls,
        &Splits::calls,
        "The number of calls with split sizes: of an all_to_all those that were called with sizes or with lists, of an "
        "all_gather or reduce_scatter those with lists whose tensors differ in size. A call that a CUDA graph captures "
        "counts once, when it is captured.",
        {.minimum = 1}),
    column(
        "imbalance",
        &Splits::imbalance,
        "How uneven the calls were. The imbalance of a call is its largest part over the mean of its parts, with one "
        "part for each peer: of what the rank sends, and of what it receives, whichever is larger. 1 if all parts are "
        "equal, or all are 0."),
    column(
        field::kHottestPeer,
        &Splits::hottest_peer,
        "The global rank with the most bytes in `peers`, the lowest of several; null if all peers have equally many, "
        "or `peers` is absent. If the row sends tokens to experts, it is the rank with the hottest expert."),
    column(
        field::kColdestPeer,
        &Splits::coldest_peer,
        "The global rank with the fewest bytes in `peers`, the lowest of several; null if `hottest_peer` is."),
    column(
        field::kZeroPeers,
        &Splits::zero_peers,
        "The parts of 0 bytes for a peer, or from it for an all_gather, over all calls."),
    column(
        "received_more",
        &Splits::received_more,
        "The bytes that calls received beyond what they sent, added up over the calls that received more. Absent if 0.",
        {.presence = Presence::kIfKnown}),
    column(
        "peers",
        &Splits::peers,
        "The bytes by peer. A peer is a rank of the group, which includes the rank itself; each key is its global "
        "rank. Each value is the sum over the calls of what is sent to the peer, or of what comes from it for an "
        "all_gather. Absent if the ranks of the group are not known, or are too many: 1,024 in a report of one "
        "process, 4,096 after a merge.",
        {.presence = Presence::kIfKnown, .ref = "peer_bytes"}),
};

/// The columns that the rows of collectives of a process and of a job share, in three parts.
template <typename Row>
inline constexpr auto kCallColumns = std::tuple{
    column(
        field::kModule,
        &Row::module,
        "The clean name of the attributed module: the one whose forward or backward the collective is part of, or "
        "whose parameters it moves. `Global` outside of every module.",
        {.key = true}),
    column(field::kPhase, &Row::phase, "", {.key = true}),
    column(
        field::kOp,
        &Row::op,
        "The outermost op of the dispatcher, for example `_c10d_functional.all_reduce` or `c10d.allreduce_`.",
        {.key = true}),
    column(field::kKind, &Row::kind, "", {.key = true}),
};
template <typename Row>
inline constexpr auto kTensorColumns = std::tuple{
    column<NullIfEmpty>(
        field::kDtype,
        &Row::dtype,
        "The dtype of the tensors without `torch.`; null if the call has no tensor (barrier).",
        {.key = true}),
    column<NullIfEmpty>(
        field::kReduceOp,
        &Row::reduce_op,
        "The reduction, for example `sum`, `avg`, `max`; null for a kind that reduces nothing.",
        {.key = true}),
    column(
        field::kAsync,
        &Row::async_op,
        "Whether the caller asked for an asynchronous collective; null if the op does not say.",
        {.key = true}),
    column(
        field::kIssuedIn,
        &Row::issued_in,
        "The clean name of the issuing module: the one in whose forward or backward the call was made. It differs from "
        "`module` where one module prefetches for another.",
        {.key = true}),
};
template <typename Row>
inline constexpr auto kOriginColumns = std::tuple{
    column<NullIfEmpty>(
        field::kLabel,
        &Row::label,
        "What the job does, for a row of `Global`: the name of its innermost open `record_function`, without a number "
        "at its end; else the function of torch that communicates, for example `clip_grad_norm_`; else `barrier`; else "
        "the step of an optimizer of torch, for example `SGD.step`. Null if none is known, and in a module, except "
        "DDP's `broadcast_buffers`.",
        {.key = true}),
    column(
        field::kCompiled,
        &Row::compiled,
        "True if the code of a compiled graph (torch.compile) issued the calls. `module` is then the one for which the "
        "graph communicates, `issued_in` the one that was compiled. Absent if false.",
        {.presence = Presence::kIfKnown, .key = true}),
};

template <>
inline constexpr auto kColumns<Collective> = std::tuple_cat(
    kCallColumns<Collective>,
    std::tuple{
        column(
            field::kGroup,
            &Collective::group,
            "The name of a process group in `groups`; `?` if commtap could not find it.",
            {.key = true}),
    },
    kTensorColumns<Collective>,
    std::tuple{
        column(
            field::kLowered,
            &Collective::lowered,
            "The ops that the outermost op called to do its work. They are not counted again.",
            {.unique = true}),
        column(
            field::kCount,
            &Collective::count,
            "The number of calls, without those of child modules.",
            {.minimum = 1}),
        column(
            field::kBytes,
            &Collective::bytes,
            "The payload of all calls in bytes, as nccl-tests defines the size of a collective. all_reduce, broadcast, "
            "reduce, send, recv: the tensor. all_gather: the whole output. reduce_scatter, all_to_all: the whole "
            "input. "
            "gather: this rank's input times the group's size. scatter: this rank's output times the group's size. "
            "barrier: 0. Several tensors in one call: their sum."),
        column(
            field::kBusBytes,
            &Collective::bus_bytes,
            "`bytes` times the bus bandwidth factor of nccl-tests for a group of n ranks. all_reduce: 2(n-1)/n. "
            "all_gather, reduce_scatter, all_to_all, gather, scatter: (n-1)/n. broadcast, reduce, send, recv: 1, or 0 "
            "in a "
            "group of one rank. barrier, other: 0."),
        column(
            "sizes",
            &Collective::sizes,
            "The payload sizes of the calls by powers of two. Each key is the smallest size of its class in bytes (64 "
            "stands for 64 to 127), each value the number of calls in the class."),
        column(
            field::kTime,
            &Collective::time,
            "How long the calls took. Present only if calls were timed; counts only those.",
            {.presence = Presence::kIfKnown, .ref = "collective_time"}),
    },
    kOriginColumns<Collective>,
    std::tuple{
        column(
            field::kSetup,
            &Collective::setup,
            "True for what the process communicated before its first forward: the first call of a root module or "
            "scope, "
            "with gradients or without, which `steps[].forward_passes` counts. False for calls of a forward, a "
            "backward or "
            "a compiled graph, in a process without forwards, and after counting was switched off. Absent if false.",
            {.presence = Presence::kIfKnown, .key = true}),
        column(
            field::kSplits,
            &Collective::splits,
            "How the calls are split between the ranks of the group. Present only if calls had split sizes; counts "
            "only "
            "those.",
            {.presence = Presence::kIfKnown}),
    });

template <>
inline constexpr auto kColumns<Member> = std::tuple{
    column(field::kRow, &Member::row, "The row: its position in `collectives`, from 0."),
    column<NullIfEmpty>(
        field::kModule,
        &Member::module,
        "The clean name of a module whose own parameters or buffers the row carries, or whose collectives a compiler "
        "merged into the row's; null for padding, and for tensors that are neither."),
    column(field::kBytes, &Member::bytes, "Its part of the row's `bytes`, over all calls."),
    column(
        field::kCount,
        &Member::count,
        "How many collectives of the module a compiler merged into the row's calls. Absent for parameters and "
        "gradients.",
        {.presence = Presence::kIfKnown, .minimum = 1}),
    column(
        "changes",
        &Member::changes,
        "For DDP's `broadcast_buffers`: how often a look, in forwards 1, 2, 4, ... and each 64th, saw a buffer that is "
        "another, that torch counts as changed, or that is a `running_` statistic, which may be. Absent if 0.",
        {.presence = Presence::kIfKnown, .minimum = 1}),
};

template <>
inline constexpr auto kColumns<Operation> = std::tuple{
    column(
        field::kModule,
        &Operation::module,
        "The clean name of the module in which the op was called.",
        {.key = true}),
    column(field::kPhase, &Operation::phase, "", {.key = true}),
    column(field::kOp, &Operation::op, "The op without its overload, for example `aten.addmm`.", {.key = true}),
    column(field::kDtensor, &Operation::dtensor, "Whether the op was called with a DTensor.", {.key = true}),
    column(field::kCount, &Operation::count, "The number of calls, without those of child modules.", {.minimum = 1}),
};

template <>
inline constexpr auto kColumns<StepAmount> = std::tuple{
    column(field::kKind, &StepAmount::kind, ""),
    column(
        field::kGroup,
        &StepAmount::group,
        "The name of a process group in `groups`; `?` for several groups or none."),
    column(
        field::kCount,
        &StepAmount::count,
        "The number of calls. 0 for collectives that an earlier step issued and that completed in this one."),
    column(field::kBytes, &StepAmount::bytes, "The payload of all calls in bytes."),
    column(
        field::kRunningNs,
        &StepAmount::running_ns,
        "How long the timed collectives ran that completed in this step: their sum in nanoseconds.",
        {.presence = Presence::kIfTimed}),
    column(
        field::kExposedNs,
        &StepAmount::exposed_ns,
        "How long the job stood still for collectives in this step: the sum in nanoseconds.",
        {.presence = Presence::kIfTimed}),
};

template <>
inline constexpr auto kColumns<Step> = std::tuple{
    column(field::kFirstStep, &Step::first_step, "The number of the first step in this row, from 0."),
    column(field::kSteps, &Step::steps, "The number of steps in this row.", {.minimum = 1}),
    column<RealTime>(
        field::kStartedAt,
        &Step::started_at_ns,
        "When the first step of the row began: wall-clock time, UTC, to the microsecond."),
    column<RealTime>(
        field::kEndedAt,
        &Step::ended_at_ns,
        "When the last step of the row completed; null for the step that was running at the end."),
    column(
        field::kForwardPasses,
        &Step::forward_passes,
        "Calls of root modules outside of a backward pass. With gradient accumulation, one per micro-batch."),
    column(
        field::kBackwardPasses,
        &Step::backward_passes,
        "Backward passes that autograd had begun when the last collective of a backward pass was issued; 0 if none was "
        "issued. Reentrant checkpointing counts each of its own passes."),
    column(
        "closure_passes",
        &Step::closure_passes,
        "Those of `backward_passes` that closures made, which optimizers call in their steps. Absent if 0.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kCollectives,
        &Step::collectives,
        "The collectives issued, by kind and group. Beyond 31 pairs, the rest is added up as kind `other` in group "
        "`?`."),
    column(
        field::kTrainingSteps,
        &Step::training_steps,
        "The number of the row's steps that trained: an optimizer stepped in them, or the job marked them; if no "
        "optimizer was seen, their forwards wanted gradients. Absent for none: an evaluation.",
        {.presence = Presence::kIfKnown, .minimum = 1}),
};

template <>
inline constexpr auto kColumns<LastCollective> = std::tuple{
    column(
        "number",
        &LastCollective::number,
        "The position among all collectives that the process issued, from 1.",
        {.minimum = 1}),
    column(
        field::kGroup,
        &LastCollective::group,
        "The name of a process group in `groups`; `?` if commtap could not find it."),
    column(
        field::kSequence,
        &LastCollective::sequence,
        "The position among the collectives that the process issued in this group, from 1; sends and receives are "
        "counted apart. Ranks that work alike issue the same collective under the same number. 0 if the group is not "
        "known."),
    column(field::kStep, &LastCollective::step, "The step in which the collective was issued, from 0."),
    column(field::kModule, &LastCollective::module, "The attributed module, as in `collectives`."),
    column(field::kIssuedIn, &LastCollective::issued_in, "The issuing module, as in `collectives`."),
    column(field::kPhase, &LastCollective::phase, ""),
    column(field::kOp, &LastCollective::op, "The outermost op, as in `collectives`."),
    column(field::kKind, &LastCollective::kind, ""),
    column<NullIfEmpty>(
        field::kDtype,
        &LastCollective::dtype,
        "The dtype of the tensors without `torch.`; null if the call has no tensor (barrier)."),
    column(field::kBytes, &LastCollective::bytes, "The payload in bytes."),
    column(
        field::kPeer,
        &LastCollective::peer,
        "For a send or receive, the other rank's number in the group; null for every other kind.",
        {.minimum = std::nullopt}),
    column(
        field::kState,
        &LastCollective::state,
        "`issued`: the call has not returned. `returned`: the call has returned; the collective may still run. "
        "`completed`: the collective has completed. `failed`: it ended in an error."),
    column<RealTime>(
        field::kIssuedAt,
        &LastCollective::issued_at_ns,
        "When the call was made: wall-clock time, UTC, to the microsecond."),
    column<RealTime>(
        field::kStartedAt,
        &LastCollective::started_at_ns,
        "When the backend began to work on the collective; null if not known."),
    column<RealTime>(
        "completed_at",
        &LastCollective::completed_at_ns,
        "When the collective completed; null if not known."),
    column<NullIfEmpty>(
        field::kReduceOp,
        &LastCollective::reduce_op,
        "The reduction, as in `collectives`; null if there is none."),
    column(
        field::kRoot,
        &LastCollective::root,
        "For a broadcast, reduce, gather or scatter, the root's number in the group; null for every other kind.",
        {.minimum = std::nullopt}),
};

} // namespace commtap
