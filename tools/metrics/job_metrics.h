// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "report/model/model.h"
#include "tools/metrics/exposition.h"
#include "tools/metrics/series_limit.h"

namespace commtap {

inline constexpr size_t kDefaultMaxSeries = 500;

/// Adds the samples of these processes, of any number of runs. Those of one run, attempt and rank are added up.
/// `depth`: modules deeper than this count as the one above them at this depth; a root has 1. Label sets that `limit`
/// does not admit are folded into "(other)"; returns how many.
size_t addJobMetrics(
    std::span<const Report* const> reports,
    std::optional<uint32_t> depth,
    SeriesLimit& limit,
    Exposition& exposition);

} // namespace commtap
