// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/model/amounts.h"
#include "report/model/model.h"
#include "report/model/nccl.h"
#include "tools/metrics/exposition.h"

namespace commtap {

/// Maps each module to itself, or to its ancestor at the depth where the tree is cut.
class ModuleDepth {
 public:
  /// Cuts the tree of `report` at `depth`; nullopt maps every module to itself.
  ModuleDepth(const Report& report, std::optional<uint32_t> depth);

  const std::string& cut(const std::string& module) const;

 private:
  std::unordered_map<std::string, std::string> cut_;
};

class GroupTitles;

/// The samples of the processes of one run, attempt and rank. Keeps their sums and no report.
class RankMetrics {
 public:
  /// `limit` must outlive this.
  RankMetrics(MetricLabels rank, SeriesLimit& limit) : rank_(std::move(rank)), limit_(&limit) {}

  /// Adds a process of the rank. Cuts the tree of modules at `max_depth`.
  void add(const Report& report, std::optional<uint32_t> max_depth);
  /// Adds the samples. Returns the number of label sets that the limit rejected.
  size_t addTo(Exposition& out) const;

 private:
  /// Sums by label text, so that no two samples have equal labels.
  template <typename Sum>
  using Series = std::map<std::string, Sum>;

  std::string rowLabels(const std::string& module, const std::string& group, const Collective& row) const;
  std::string timeLabels(const std::string& group, Kind kind) const;
  std::string callLabels(const std::string& module, size_t phase) const;
  std::string ncclLabels(const std::string& function, const std::string& group) const;
  /// Returns `labels` if the limit admits them, else the label set that they are folded into.
  std::string admitted(const char* what, std::string labels, std::string folded);
  void addRows(const Report& report, const GroupTitles& titles, const ModuleDepth& depth);
  /// Adds calls of modules. A wrapper calls the wrapped module, which has an equal name: that counts as one call.
  void addCalls(const Report& report, const ModuleDepth& depth);
  void addCallsOf(const std::string& module, const CallsByPhase& calls);
  void addNccl(const Report& report, const GroupTitles& titles);
  void addProcess(const Report& report);
  void addProcessesTo(Exposition& out) const;

  MetricLabels rank_;
  SeriesLimit* limit_;
  std::vector<std::string> processes_; ///< label texts
  uint64_t running_ = 0;
  std::map<std::string, uint64_t> exits_; ///< by labels
  uint64_t start_ns_ = UINT64_MAX;
  std::optional<uint64_t> end_ns_ = 0; ///< nullopt if a process has not ended
  uint64_t steps_ = 0;
  uint64_t last_ns_ = 0;
  std::map<std::string, uint64_t> not_seen_;
  Series<Amount> rows_;
  Series<Splits> splits_;
  Series<CollectiveTime> times_;
  Series<uint64_t> calls_;
  Series<NcclAmount> nccl_;
  std::set<std::string> folded_;
};

inline constexpr size_t kDefaultMaxSeries = 500;

/// Returns the labels of a rank's samples.
MetricLabels labelsOfRank(const std::string& run_id, int64_t attempt, std::optional<int64_t> rank);

/// The samples of processes, from any number of runs. Sums the processes of one run, attempt and rank. Keeps the sums
/// and no report. Attributes a module deeper than `depth` to its ancestor at that depth; a root has depth 1.
class JobMetrics {
 public:
  /// `limit` must outlive this.
  JobMetrics(std::optional<uint32_t> depth, SeriesLimit& limit);
  JobMetrics(const JobMetrics&) = delete;
  JobMetrics& operator=(const JobMetrics&) = delete;
  ~JobMetrics();

  /// Adds a process. Those of one attempt must come in the order of their ranks, those without a rank last.
  void add(const Report& report);
  /// Adds the samples. Folds the label sets that the limit rejects into "(other)"; returns their number. Call once.
  size_t addTo(Exposition& exposition);

 private:
  struct Attempt;

  std::optional<uint32_t> depth_;
  SeriesLimit& limit_;
  std::map<std::pair<std::string, int64_t>, Attempt> attempts_; ///< by run and number
};

/// Adds the samples of processes that are in memory, in any order, as JobMetrics does.
size_t addJobMetrics(
    std::vector<const Report*> reports,
    std::optional<uint32_t> depth,
    SeriesLimit& limit,
    Exposition& exposition);

} // namespace commtap
