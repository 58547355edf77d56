// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "tools/prune/stored_run.h"

namespace commtap {

/// A run that was removed, or would be.
struct PrunedRun {
  std::string run_id;
  uint64_t changed_at_ns = 0; ///< CLOCK_REALTIME
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t kept_files = 0;
};

/// The JSON of `commtap prune`.
struct PruneReport {
  std::string schema = "commtap.prune/1";
  bool dry_run = false;
  std::vector<PrunedRun> removed = {}; ///< the one that changed longest ago first
  PrunePlan plan;
  std::vector<std::string> problems = {}; ///< a line for each file that stays because it cannot be judged or removed
};

// The description of the JSON of `commtap prune`.

template <>
inline constexpr auto kColumns<PrunedRun> = std::tuple{
    column(field::kRunId, &PrunedRun::run_id, "The run."),
    column<RealTime>("changed_at", &PrunedRun::changed_at_ns, "When it last changed; the end of its processes counts."),
    column("files", &PrunedRun::files, "The files that were removed, or would be."),
    column(field::kBytes, &PrunedRun::bytes, "Their bytes on the disk."),
    column("kept_files", &PrunedRun::kept_files, "The files of the run that stay."),
};

template <>
inline constexpr auto kColumns<PrunePlan> = std::tuple{
    column("runs", &PrunePlan::kept_runs, "How many runs are left."),
    column(field::kBytes, &PrunePlan::kept_bytes, "Their bytes on the disk."),
    column("with_ledgers", &PrunePlan::with_ledgers, "The runs that stay only because they have ledgers."),
    column("just_changed", &PrunePlan::just_changed, "The runs that stay only because they changed within the hour."),
    column(
        "undecided",
        &PrunePlan::undecided,
        "The runs that stay only because a ledger that cannot be read may be theirs."),
};

template <>
inline constexpr auto kColumns<PruneReport> = std::tuple{
    column(field::kSchema, &PruneReport::schema, kSchemaHelp),
    column("dry_run", &PruneReport::dry_run, "True with `--dry-run`: nothing was removed."),
    column("removed", &PruneReport::removed, "The run that changed longest ago first."),
    column("kept", &PruneReport::plan, "The runs that are left."),
    column(
        field::kProblems,
        &PruneReport::problems,
        "One line for each file that could not be read, or that stays because it could not be judged or removed."),
};

} // namespace commtap
