// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/sweep/sweep.h"

namespace commtap {

// The description of the JSON of a sweep of `commtap plan`.

template <>
inline constexpr auto kColumns<LayoutPart> = std::tuple{
    column(field::kGroup, &LayoutPart::group, "The group; empty for all groups."),
    column(field::kSize, &LayoutPart::size, "The ranks of one process group; 0 for all groups."),
    column("nodes", &LayoutPart::nodes, "The most nodes that ranks of one process group are on."),
    column("calls", &LayoutPart::calls, "The collectives."),
    column(field::kBytes, &LayoutPart::bytes, "Their payload in bytes."),
    column("bytes_across_nodes", &LayoutPart::bytes_across, "Of these, those of groups with ranks on several nodes."),
    column("smallest", &LayoutPart::smallest, "The payload of the smallest call, or the least of its size class."),
    column("largest", &LayoutPart::largest, "The payload of the largest call, or the most of its size class."),
};

template <>
inline constexpr auto kColumns<SweptLayout> = std::tuple{
    column(field::kName, &SweptLayout::name, "The values as text: `tp=8 dp=4`."),
    column("values", &SweptLayout::values, "The value of each name of `--sweep`."),
    column("folder", &SweptLayout::folder, "The plan's folder, below that of the sweep."),
    column("failure", &SweptLayout::failure, "Why there is no plan; empty if there is one."),
    column("all", &SweptLayout::all, "All groups together."),
    column(field::kGroups, &SweptLayout::groups, "Each group, the one with the most bytes first."),
};

template <>
inline constexpr auto kColumns<Sweep> = std::tuple{
    column(field::kSchema, &Sweep::schema, kSchemaHelp),
    column(field::kPlanned, &Sweep::planned, "True: nothing was communicated."),
    column("command", &Sweep::command, "The command, with the names of `--sweep`."),
    column(field::kWorldSize, &Sweep::world_size, "The number of ranks."),
    column("ranks_per_node", &Sweep::per_node, "How many of them share a node."),
    column("layouts", &Sweep::layouts, "Fewest bytes across nodes first, those that failed last."),
};

} // namespace commtap
