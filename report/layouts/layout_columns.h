// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/layouts/layout_comparison.h"

namespace commtap {

// The description of the JSON of `commtap verify --like`.

template <>
inline constexpr auto kColumns<LayoutFinding> = std::tuple{
    column("severity", &LayoutFinding::severity, ""),
    column("class", &LayoutFinding::what, ""),
    column("lines", &LayoutFinding::lines, "The finding in words, up to three lines."),
    column(field::kStep, &LayoutFinding::step, "The first sampled step at which any parameter differs, from 1."),
    column("parameters", &LayoutFinding::parameters, "The parameters, in the order of the backward."),
    column(
        "ratio",
        &LayoutFinding::ratio,
        "The norm of the gradients, or of the updates, by that of the other run; negative for the opposite direction, "
        "null if they have another direction.",
        {.minimum = std::nullopt}),
    column("reasons", &LayoutFinding::reasons, "What else of the two runs has this ratio."),
    column(
        "distance",
        &LayoutFinding::distance,
        "About the largest norm of a difference, by the larger norm; null if not known."),
};

template <>
inline constexpr auto kColumns<LayoutComparison> = std::tuple{
    column(field::kSchema, &LayoutComparison::schema, kSchemaHelp),
    column("status", &LayoutComparison::status, ""),
    column("line", &LayoutComparison::line, "The first line of the text, for people."),
    column(field::kRunId, &LayoutComparison::run_id, "The run."),
    column(field::kOtherRuns, &LayoutComparison::other_runs, kOtherRunsHelp),
    column("like_run_id", &LayoutComparison::like_run_id, "The other run."),
    column(field::kRanks, &LayoutComparison::ranks, "How many ranks of the run have samples."),
    column("like_ranks", &LayoutComparison::like_ranks, "How many ranks of the other run have samples."),
    column("steps", &LayoutComparison::steps, "The steps that were compared, up to the first that differs."),
    column(
        "stopped_at",
        &LayoutComparison::stopped_at,
        "The step from which on nothing was compared, because the runs read other samples or drew random numbers; null "
        "if there is none."),
    column("parameters", &LayoutComparison::parameters, "How many parameters were compared."),
    column("by_norm", &LayoutComparison::by_norm, "How many of these only by their norms."),
    column("data", &LayoutComparison::data, ""),
    column(
        "has_draws",
        &LayoutComparison::has_draws,
        "Whether a forward of a run drew random numbers, as dropout does."),
    column(
        "largest_distance",
        &LayoutComparison::largest_distance,
        "The largest distance of gradients that are alike, by their size; null if none are."),
    column("findings", &LayoutComparison::findings, "Errors first."),
    column("apart", &LayoutComparison::apart, "The parameters that start from other values, the one most apart first."),
    column("start_distance", &LayoutComparison::start_distance, "The distance of the first of these; null for none."),
    column(
        "not_compared",
        &LayoutComparison::not_compared,
        "One line for each reason why parameters are not compared."),
    column(
        "partly_compared",
        &LayoutComparison::partly_compared,
        "One line for each reason why only norms, values or some steps of parameters are compared."),
    column(
        "notes",
        &LayoutComparison::notes,
        "Which run was read of a folder with several, which --rename changes no name, and the first bits that differ "
        "between two runs of one layout."),
    column(field::kProblems, &LayoutComparison::problems, "One line for each file that could not be read."),
};

} // namespace commtap
