// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/job/job_report.h"
#include "report/merge/job_merge.h"
#include "report/model/amounts.h"
#include "tools/show/cuda_graphs_text.h"
#include "tools/show/operations_text.h"
#include "tools/show/steps_text.h"
#include "tools/text/call_text.h"

namespace commtap {

/// The number by which `commtap show --sort` orders modules.
enum class SortBy : uint8_t { kBytes, kCount, kCalls };
inline constexpr std::array<std::string_view, 3> kSortNames = {"bytes", "count", "calls"};

/// The options of `commtap show`.
struct ShowFilter {
  std::optional<Phase> phase = {};
  std::optional<uint32_t> depth = {};
  std::string module = {};         ///< pattern of the modules to show; "" for all
  std::optional<SortBy> sort = {}; ///< list modules by their own numbers, not as a tree
  std::optional<size_t> top = {};  ///< show only so many modules
  bool per_step = false;           ///< include numbers per training step
  bool all = false;                ///< include modules without collectives
  bool operations = false;         ///< include the ops that COMMTAP_LEVEL counted
  bool steps = false;              ///< include the communication of each step
  size_t last = 0;                 ///< include so many last collectives of each process
  bool time = false;               ///< include durations
  bool total = false;              ///< exposed time as sum over ranks and steps
  bool nccl = false;               ///< include NCCL calls
  bool ranks = false;              ///< whether ranks agree, and the spread over ranks, not modules
  bool tree = false;               ///< the tables also if no other member asks for them

  bool operator==(const ShowFilter&) const = default;

  /// Returns whether the modules are a list, with full names, and not a tree.
  bool isList() const {
    return sort || top || !module.empty();
  }
  bool shows(const std::string& name) const;
};

/// The output of `commtap show`: the job report, and the parts that the filter adds.
struct ShowView {
  ShowFilter filter;
  JobReport job;
  std::optional<int64_t> rank; ///< the selected rank, if any
  bool is_one_process = false; ///< one rank or one file is shown, not a whole run
  bool is_merged = false;      ///< made by mergedView()
  OperationCounts operations;
  StepSums steps;
  std::vector<LastRow> last;
  std::vector<SequenceMismatch> mismatches;
  std::vector<TimeTotals> group_times;  ///< limited to the filter's phase
  std::vector<TimeTotals> module_times; ///< of all modules
  GraphCounts graphs;

  /// Returns whether the tables are shown, and not the first screen alone.
  bool showsTables() const {
    return is_one_process || filter != ShowFilter();
  }
};

/// Collects the parts that the filter adds to the job report. Reports must be added in the order of JobMerge.
class ShowDetails {
 public:
  explicit ShowDetails(const ShowFilter& filter);

  void add(const Report& report);
  ShowView finish(JobReport job);

 private:
  void endRank();
  void addLast();

  ShowView view_;
  std::vector<std::unique_ptr<const Report>> compared_; ///< parts of the reports, for addLast()
  TimeSums group_times_;
  TimeSums module_times_;
  bool has_rank_ = false;
  std::optional<int64_t> rank_; ///< of the last added report
};

/// Returns the view of a merged report, which holds no operations and no last collectives, and durations only of all
/// phases.
ShowView mergedView(const ShowFilter& filter, JobReport job);

/// The part of a module's own amount that has one label, in set-up or not.
struct OwnPart {
  std::string label; ///< "" for none
  bool setup = false;
  Amount amount;
  RankRanges ranks = {}; ///< the ranks that have it
};

/// A row of the module table: the amounts of one module, phase and kind.
struct ModuleRow {
  const JobModule* module = nullptr;
  Phase phase = Phase::kOther;
  std::optional<Kind> kind = {}; ///< nullopt: calls without collectives
  Amount inclusive = {};
  Amount setup = {}; ///< of `inclusive`
  Amount own = {};
  std::vector<OwnPart> own_parts = {}; ///< by label and set-up; empty if there is no own amount
  bool first_of_module = false;
  bool first_of_phase = false;
};

struct ModuleRows {
  std::vector<ModuleRow> rows;
  size_t without_collectives = 0; ///< modules omitted for lack of collectives
  size_t too_deep = 0;            ///< modules omitted because of their depth
  size_t beyond_top = 0;          ///< modules omitted because ShowFilter::top have larger numbers
};

/// Returns the modules in the order of the table. Omits modules without collectives in or below them if the tree is
/// large. The rows point into `view`.
ModuleRows moduleRows(const ShowView& view);
ModuleRows moduleRows(ShowView&&) = delete;

} // namespace commtap
