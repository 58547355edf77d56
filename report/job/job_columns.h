// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/job/job_report.h"
#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/json/process_columns.h"
#include "report/json/row_columns.h"

namespace commtap {

/// The columns of the job report's rows. Disagreements are not here: they have three shapes.

/// Formats that only the job report uses.
struct GroupRef {};   ///< an index into JobReport::groups, written as the group's name
struct RankSetRef {}; ///< an index into JobReport::rank_sets
/// A Spread over the number of ranks that the member `kRanks` of the same row holds.
template <auto kRanks>
struct OverRanks {};
/// OverRanks, but null if there are no such ranks.
template <auto kRanks>
struct OverAnyRanks {
  static constexpr bool kNullable = true;
  template <typename Row>
  static bool isExpected(const Row& row) {
    return row.*kRanks > 0;
  }
};
/// Spreads by Phase over the ranks of the row's `rank_set`. Omits a phase whose sum is 0.
struct OverRankSet {};

template <>
inline constexpr auto kColumns<PhaseKind> = std::tuple{
    column(field::kPhase, &PhaseKind::phase, ""),
    column(field::kKind, &PhaseKind::kind, ""),
};

template <>
inline constexpr auto kColumns<Amount> = std::tuple{
    column(field::kCount, &Amount::count, "The number of calls."),
    column(field::kBytes, &Amount::bytes, "The payload in bytes, as in the reports of ranks."),
    column(
        field::kBusBytes,
        &Amount::bus_bytes,
        "The payload times the bus bandwidth factor, as in the reports of ranks."),
};

template <typename Row>
inline constexpr auto kRankCountColumn = column(
    field::kRankCount,
    &Row::ranks,
    "The number of ranks that have the row. The other ranks are not in min and mean.",
    {.minimum = 1});

template <>
inline constexpr auto kColumns<RankedAmount> = std::tuple{
    kRankCountColumn<RankedAmount>,
    column<OverRanks<&RankedAmount::ranks>>(field::kCount, &RankedAmount::count, "The number of calls."),
    column<OverRanks<&RankedAmount::ranks>>(field::kBytes, &RankedAmount::bytes, "The payload in bytes."),
    column<OverRanks<&RankedAmount::ranks>>(
        field::kBusBytes,
        &RankedAmount::bus_bytes,
        "The payload times the bus bandwidth factor."),
};

template <>
inline constexpr auto kColumns<RankedNcclCalls> = std::tuple{
    kRankCountColumn<RankedNcclCalls>,
    column<OverRanks<&RankedNcclCalls::ranks>>(
        field::kCount,
        &RankedNcclCalls::count,
        "The number of calls, including those that failed."),
    column<OverRanks<&RankedNcclCalls::ranks>>(
        field::kFailed,
        &RankedNcclCalls::failed,
        "The number of calls that returned an error."),
    column<OverRanks<&RankedNcclCalls::ranks>>(
        field::kBytes,
        &RankedNcclCalls::bytes,
        "The payload of the calls that did not fail, in bytes, as nccl-tests defines it."),
};

template <>
inline constexpr auto kColumns<JobReport> = std::tuple{
    kRunIdColumn<JobReport>,
    column(
        field::kRunName,
        &JobReport::name,
        "The run's name for people, from the first process. Absent if it has none.",
        {.presence = Presence::kIfKnown}),
    column(
        field::kAttempt,
        &JobReport::attempt,
        "The attempt that is reported: how often the launcher had restarted the job."),
    column(field::kAttempts, &JobReport::attempts, "All attempts found."),
    column(
        field::kWorldSize,
        &JobReport::world_size,
        "The number of ranks in the job; null if not known.",
        {.minimum = 1}),
    column<RealTime>(
        field::kStartedAt,
        &JobReport::started_at_ns,
        "When commtap began to count in the first process: wall-clock time, UTC."),
    column<RealTime>(
        field::kEndedAt,
        &JobReport::ended_at_ns,
        "When the last process's report was made; null if a process has no end."),
    column<NullIfEmpty>(
        field::kTorch,
        &JobReport::torch_version,
        "PyTorch's version in the first process; null if not known."),
    column(field::kCommtap, &JobReport::commtap_version, "The version of commtap in the first process."),
    column(
        field::kArgv,
        &JobReport::argv,
        "The command line of the first process, with secrets `(redacted)`. Empty with COMMTAP_ARGV=off."),
    column(
        field::kPlanned,
        &JobReport::planned,
        "Whether `commtap plan` made the report: nothing was communicated, and the numbers are what it would have "
        "been."),
    column(field::kOtherRuns, &JobReport::other_runs, kOtherRunsHelp),
    column(field::kSource, &JobReport::source, "The folder or file that was merged, as the user named it."),
};

template <>
inline constexpr auto kColumns<JobTotal> = std::tuple{
    column<Inline>("", &JobTotal::key, ""),
    column<Inline>("", &JobTotal::amount, ""),
};

template <>
inline constexpr auto kColumns<JobGroup> = std::tuple{
    column(
        field::kName,
        &JobGroup::name,
        "The description, else the name in PyTorch. Unique here: the second `tp`, with another size or backend, is "
        "`tp#2`."),
    column(field::kDesc, &JobGroup::desc, "The description; empty if the groups have none."),
    column(field::kBackend, &JobGroup::backend, "The backend's name in lower case, for example `gloo` or `nccl`."),
    column(field::kSize, &JobGroup::size, "The number of ranks in each of the groups; 0 if not known."),
    column(
        field::kMembers,
        &JobGroup::members,
        "The ranks of each of the process groups that was used and whose ranks are known."),
    column(field::kTotals, &JobGroup::totals, "Sums over ranks, by phase and kind."),
    column(
        field::kMeshDimension,
        &JobGroup::mesh_dimension,
        "The name of the DeviceMesh dimension that the groups are. Absent if there is none, or if ranks differ in it.",
        {.presence = Presence::kIfKnown}),
};

template <>
inline constexpr auto kColumns<JobModule> = std::tuple{
    column(
        field::kName,
        &JobModule::name,
        "The clean name: the class of the root module as the user wrote it, then the attributes' names, joined by "
        "dots. It "
        "is the same whatever wraps the model or swaps its class: it lacks the components of wrappers (`_orig_mod`, "
        "`_fsdp_wrapped_module`, `_checkpoint_wrapped_module`, DDP's `module`), so "
        "a wrapper and what it wraps are one module. The second live root of a class is `Net#2`."),
    column<NullIfEmpty>(
        field::kClass,
        &JobModule::class_name,
        "The class that the user wrote; null for `Global` or if not known."),
    column<RankSetRef>(
        field::kRankSet,
        &JobModule::rank_set,
        "The ranks that have the module: an index into `rank_sets`."),
    column<OverRankSet>(
        field::kCalls,
        &JobModule::calls,
        "The calls of the module by phase, over the ranks that have it. A phase without calls is absent."),
    column("own", &JobModule::own, "What is attributed to the module itself, by phase and kind."),
    column(
        "inclusive",
        &JobModule::inclusive,
        "What is attributed to the module and all modules below it, by phase and kind."),
    kWrappersColumn<JobModule>,
};

template <>
inline constexpr auto kColumns<JobRowTime> = std::tuple{
    column(field::kCount, &JobRowTime::count, "How many calls have a time.", {.minimum = 1}),
    column(field::kRunningNs, &JobRowTime::running_ns, "How long they ran: the sum in nanoseconds."),
    column(
        field::kExposedNs,
        &JobRowTime::exposed_ns,
        "How long the job stood still for them: the sum in nanoseconds. `module_times` has the modules in which."),
};

inline bool isKnown(const JobRowTime& time) {
  return time.count > 0;
}

template <>
inline constexpr auto kColumns<JobCollective> = std::tuple_cat(
    kCallColumns<JobCollective>,
    std::tuple{
        column<GroupRef>(field::kGroup, &JobCollective::group, "The name of a group in `groups`.", {.key = true})},
    kTensorColumns<JobCollective>,
    std::tuple{
        column(
            field::kLowered,
            &JobCollective::lowered,
            "The ops that the outermost op called to do its work, on any rank. They are not counted again.",
            {.unique = true}),
        column<RankSetRef>(
            field::kRankSet,
            &JobCollective::rank_set,
            "The ranks that have the row: an index into `rank_sets`."),
        column<Inline>("", &JobCollective::amount, ""),
    },
    kOriginColumns<JobCollective>,
    std::tuple{
        column(
            field::kSetup,
            &JobCollective::setup,
            "True for what the process communicated before its first forward: the first call of a root module or "
            "scope, "
            "with gradients or without, which `forward_passes` of its report counts. False for calls of a forward, a "
            "backward or "
            "a compiled graph, in a process without forwards, and after counting was switched off. Absent if false.",
            {.presence = Presence::kIfKnown, .key = true}),
        column(
            field::kSplits,
            &JobCollective::splits,
            "How the calls of all ranks are split between the ranks of their groups. Present only if calls had split "
            "sizes; counts only those.",
            {.presence = Presence::kIfKnown, .ref = "commtap-2.schema.json#/$defs/splits"}),
        column(
            "uneven_bytes",
            &JobCollective::uneven_bytes,
            "How much less ranks send in all_to_alls than the busiest rank of their process group sends or receives, "
            "whichever is more in a call: the sum in bytes, or less than it if the busiest is another from call to "
            "call. Counts process groups whose ranks all made equally many calls. Absent if 0.",
            {.presence = Presence::kIfKnown}),
        column(
            field::kTime,
            &JobCollective::time,
            "How long the calls of all ranks took. Present only if calls were timed; counts only those.",
            {.presence = Presence::kIfKnown}),
    });

} // namespace commtap
