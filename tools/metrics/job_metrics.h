// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "report/model/model.h"
#include "tools/metrics/exposition.h"
#include "tools/metrics/series_limit.h"

namespace commtap {

inline constexpr size_t kDefaultMaxSeries = 500;

/// Returns the labels of a rank's samples.
MetricLabels labelsOfRank(const std::string& run_id, int64_t attempt, std::optional<int64_t> rank);

/// Adds the samples of these processes, from any number of runs. Sums the processes of one run, attempt and rank.
/// Attributes a module deeper than `depth` to its ancestor at that depth; a root has depth 1. Folds the label sets that
/// `limit` rejects into "(other)"; returns their number.
size_t addJobMetrics(
    std::span<const Report* const> reports,
    std::optional<uint32_t> depth,
    SeriesLimit& limit,
    Exposition& exposition);

} // namespace commtap
