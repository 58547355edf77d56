// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tracker/core/call_times.h"
#include "tracker/gpu/cuda_driver.h"
#include "tracker/gpu/device_span.h"

namespace commtap {

/// How long, and where, the job stood still because a span was not over.
struct Exposure {
  double ms = 0;
  Stalled where;
};

/// Returns the exposure of a span that is over and ran `ran_ms`. Call in the order of the spans' ends.
///
/// On a stream that computes all of it is exposed. Else a wait is exposed from when it began, or from when the
/// collective before it that the same wait is for was over, whichever is later. The longest of several waits counts. A
/// thread's wait ends when the last collective that it is for is over.
Exposure exposureOf(
    const CudaDriver& driver,
    const SpanRef& span,
    double ran_ms,
    const std::vector<std::shared_ptr<Arrival>>& arrivals);

/// Sorts spans that are over by their ends. Those of another device keep their order.
void sortByEnd(const CudaDriver& driver, std::vector<SpanRef>& spans);

} // namespace commtap
