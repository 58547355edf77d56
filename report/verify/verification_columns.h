// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/verify/verification.h"

namespace commtap {

// The description of the JSON of `commtap verify`.

template <>
inline constexpr auto kColumns<VerifyRanks> = std::tuple{
    column(field::kRanks, &VerifyRanks::ranks, "The ranks, as ranges."),
    column(
        "parts",
        &VerifyRanks::parts,
        "The ranks with equal values, as ranges, most ranks first; for skipped_step those that made the step first. "
        "Empty if ranks are not compared."),
};

template <>
inline constexpr auto kColumns<VerifyFinding> = std::tuple{
    column("severity", &VerifyFinding::severity, ""),
    column("class", &VerifyFinding::what, ""),
    column("lines", &VerifyFinding::lines, "The finding in words, up to three lines."),
    column("optimizer", &VerifyFinding::optimizer, "The number of the optimizer, in the order of their first steps."),
    column("before", &VerifyFinding::before, "The last sampled step without the fault; null if there is none."),
    column(
        "step",
        &VerifyFinding::step,
        "The first sampled step with the fault, from 1; null for a fault of the whole run."),
    column(
        "parameters",
        &VerifyFinding::parameters,
        "The parameters: if their gradients differ, in backward order, else the one that is most apart first."),
    column("sets", &VerifyFinding::sets, "The ranks; several sets if groups of ranks have the same fault."),
    column(
        "value_distance",
        &VerifyFinding::value_distance,
        "About the largest norm of a difference of values, by the norm of the values; null if not known."),
    column(
        "gradient_distance",
        &VerifyFinding::gradient_distance,
        "About the largest such distance of the gradients in `gradient_step`; null if there are none to compare."),
    column(
        "gradient_step",
        &VerifyFinding::gradient_step,
        "The step of these gradients: `before` if it is the step before `step`, else `step`."),
    column("cause", &VerifyFinding::cause, ""),
    column(
        "cause_ranks",
        &VerifyFinding::cause_ranks,
        "The ranks that the cause is about, as ranges: frozen, without a gradient, not finite, or that made fewer "
        "steps."),
    column("evidence", &VerifyFinding::evidence, ""),
    column(
        "last_step",
        &VerifyFinding::last_step,
        "For periodic the step with equal values again, for fewer_steps that of the other ranks, for reductions_stop "
        "the last step of the job, for the cause averaging the next step that may average; else null."),
    column(
        "later_parameters",
        &VerifyFinding::later_parameters,
        "Parameters that went apart between these ranks in later samples, or with less evidence: perhaps what follows "
        "from the first ones."),
    column(
        "later_step",
        &VerifyFinding::later_step,
        "The first sample in which one of these differs; null if there are none."),
    column<NullIfEmpty>(
        field::kGroup,
        &VerifyFinding::group,
        "The process group of the collectives that show the fault; null if none do."),
    column(
        "modules",
        &VerifyFinding::modules,
        "For one_way the modules; for reduced_twice the module of the first reduction."),
    column(
        field::kCollectives,
        &VerifyFinding::collectives,
        "For skipped_step: by how many collectives of the group the ranks in cause_ranks are ahead; else 0."),
    column(
        "ratio",
        &VerifyFinding::ratio,
        "For same_data the least part of the samples that are shared, for other_size the least factor, for "
        "growing_gradient that of the growth; else null."),
};

template <>
inline constexpr auto kColumns<Verification> = std::tuple{
    column(field::kSchema, &Verification::schema, kSchemaHelp),
    column("status", &Verification::status, ""),
    column("line", &Verification::line, "The first line of the text, for people."),
    column(field::kRunId, &Verification::run_id, "The run."),
    column(field::kOtherRuns, &Verification::other_runs, kOtherRunsHelp),
    column(field::kAttempt, &Verification::attempt, "The attempt of the run, from 0."),
    column(field::kWorldSize, &Verification::world_size, "The number of ranks; null if not known."),
    column(field::kRanks, &Verification::ranks, "The ranks with samples, as ranges."),
    column("optimizers", &Verification::optimizers, "How many optimizers have samples."),
    column(
        "samples",
        &Verification::samples,
        "How many steps two ranks or more have sampled, all at one moment of the job, of all optimizers together."),
    column(
        "first_step",
        &Verification::first_step,
        "The first of these steps, from 1 as in COMMTAP_VERIFY; other commands number steps from 0. Null if there is "
        "none."),
    column("last_step", &Verification::last_step, "The last of these steps; null if there is none."),
    column("parameters", &Verification::parameters, "How many parameters there are on all ranks."),
    column("replicated", &Verification::replicated, "How many of them have replicas, which were compared."),
    column("equal", &Verification::equal, "How many of these are bitwise equal in all samples."),
    column(
        "unproven",
        &Verification::unproven,
        "How many others started equal on several ranks and went apart: replicas, or what is meant to differ."),
    column(
        "incomplete",
        &Verification::incomplete,
        "How many parameters are missing in some sample of their optimizer, on a rank that has them in another one."),
    column(
        "sharded",
        &Verification::sharded,
        "How many others are declared shards. Nothing shows replicas of the rest."),
    column(
        "reductions",
        &Verification::reductions,
        "How many tensors in reductions of gradients were compared, in all samples together."),
    column("buffers", &Verification::buffers, "How many buffers of models were compared between ranks."),
    column("equal_buffers", &Verification::equal_buffers, "How many of these are bitwise equal in all samples."),
    column("rows", &Verification::rows, "How many rows of data were compared, in all samples of all ranks together."),
    column("replicas", &Verification::replicas, "The sets of ranks that hold replicas, of most parameters first."),
    column("findings", &Verification::findings, "Errors first, then warnings, then notes."),
    column("not_sampled", &Verification::not_sampled, "One line for each reason why values are not in the samples."),
    column(field::kProblems, &Verification::problems, "One line for each file that could not be read."),
};

} // namespace commtap
