// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/job/job_summary.h"
#include "report/model/totals.h"
#include "report/runs/folder.h"

namespace commtap {

/// What `commtap show` was asked for.
struct ShowFilter {
  std::optional<uint32_t> rank;
  std::optional<uint32_t> attempt;
  std::optional<Phase> phase;
  std::optional<uint32_t> depth;
  bool all = false;        ///< also modules without collectives
  bool operations = false; ///< also what COMMTAP_LEVEL counted
  bool steps = false;      ///< also what each step communicated
  bool last = false;       ///< also the last collectives
  bool time = false;       ///< also durations
  bool nccl = false;       ///< also calls to NCCL
};

/// What it shows: the chosen reports with their sums.
struct ShowView {
  ShowFilter filter;
  std::vector<const ReportFile*> files;
  JobSummary summary;
  Totals totals;
};

/// `folder` must live as long as the view.
ShowView viewOf(const ReportFolder& folder, const ShowFilter& filter);

/// One line of the module table: what a module has of one phase and kind.
struct ModuleRow {
  const ModuleTotals* module = nullptr;
  Phase phase = Phase::kOther;
  std::optional<Kind> kind; ///< nullopt: calls, but no collective
  Amount inclusive;
  Amount own;
  bool first_of_module = false;
  bool first_of_phase = false;
};

struct ModuleRows {
  std::vector<ModuleRow> rows;
  size_t without_collectives = 0; ///< modules left out
  size_t too_deep = 0;            ///< modules left out
};

/// The tree in the order of the table. Modules with no collective in or below them are left out of a large one.
/// The rows point into `view`.
ModuleRows moduleRows(const ShowView& view);
ModuleRows moduleRows(ShowView&&) = delete;

} // namespace commtap
