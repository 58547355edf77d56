// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/job/job_merge.h"
#include "report/job/job_report.h"
#include "report/model/time_sums.h"
#include "tools/show/cuda_graphs_text.h"
#include "tools/show/last_text.h"
#include "tools/show/operations_text.h"
#include "tools/show/sequence_mismatch.h"
#include "tools/show/steps_text.h"

namespace commtap {

/// The choices of a user of `commtap show`.
struct ShowFilter {
  std::optional<Phase> phase;
  std::optional<uint32_t> depth;
  bool all = false;        ///< also modules without collectives
  bool operations = false; ///< also the ops that COMMTAP_LEVEL counted
  bool steps = false;      ///< also the communication of each step
  bool last = false;       ///< also the last collectives
  bool time = false;       ///< also durations
  bool nccl = false;       ///< also NCCL calls
};

/// What `commtap show` prints: the job report, and what the filter asks for besides.
struct ShowView {
  ShowFilter filter;
  JobReport job;
  std::optional<int64_t> rank; ///< the only one asked for
  bool is_one_process = false; ///< a rank was asked for, or a file named, and not a whole run
  OperationCounts operations;
  StepSums steps;
  std::vector<LastRow> last;
  std::vector<SequenceMismatch> mismatches;
  std::vector<TimeTotals> group_times; ///< of the filter's phase
  std::vector<TimeTotals> module_times;
  GraphCounts graphs;
};

/// Collects what the filter asks for besides the job report, from reports that come in the order of JobMerge.
class ShowDetails {
 public:
  explicit ShowDetails(const ShowFilter& filter);

  void add(const Report& report);
  ShowView finish(JobReport job);

 private:
  void endRank();

  ShowView view_;
  MismatchFinder mismatches_;
  TimeSums group_times_;
  TimeSums module_times_;
  bool has_rank_ = false;
  std::optional<int64_t> rank_; ///< of the report added last
};

/// One line of the module table: what a module has of one phase and kind.
struct ModuleRow {
  const JobModule* module = nullptr;
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

/// Returns the tree in the order of the table. Leaves modules with no collective in or below them out of a large tree.
/// The rows point into `view`.
ModuleRows moduleRows(const ShowView& view);
ModuleRows moduleRows(ShowView&&) = delete;

} // namespace commtap
