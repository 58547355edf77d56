// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/model/model.h"
#include "tools/metrics/exposition.h"

namespace commtap {

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
