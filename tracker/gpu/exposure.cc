// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/device_timing.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace commtap {
namespace {

/// Returns the ms from the beginning of a stream's wait to the end of `span`; std::nullopt if the stream has not come
/// to the wait yet.
std::optional<double> sinceStreamWaits(const CudaDriver& driver, const DeviceSpan& span, const Arrival& arrival) {
  return arrival.at->isOver(driver).value_or(false) ? span.to->since(driver, *arrival.at) : std::nullopt;
}

/// Returns the ms from the beginning of a thread's wait to the end of `span`.
std::optional<double> sinceThreadWaits(const CudaDriver& driver, const DeviceSpan& span, const Arrival& arrival) {
  double last_ms = 0; // after the end of `span`
  for (const SpanRef& other : arrival.spans) {
    last_ms = std::max(last_ms, other->to->since(driver, *span.to).value_or(0));
  }
  return static_cast<double>(arrival.waited_ns.load(std::memory_order_relaxed)) / 1e6 - last_ms;
}

double exposedMs(const CudaDriver& driver, const SpanRef& span, double ran_ms, Arrival& arrival) {
  const std::optional<double> since =
      arrival.at ? sinceStreamWaits(driver, *span, arrival) : sinceThreadWaits(driver, *span, arrival);
  double ms = std::min(since.value_or(0), ran_ms);
  if (arrival.last != nullptr) {
    ms = std::min(ms, span->to->since(driver, *arrival.last->to).value_or(0));
  }
  arrival.last = span;
  return ms;
}

} // namespace

Exposure exposureOf(
    const CudaDriver& driver,
    const SpanRef& span,
    double ran_ms,
    const std::vector<std::shared_ptr<Arrival>>& arrivals) {
  if (span->stalls) {
    return {ran_ms, span->where};
  }
  Exposure longest;
  for (const std::shared_ptr<Arrival>& arrival : arrivals) {
    const double ms = exposedMs(driver, span, ran_ms, *arrival);
    if (ms > longest.ms) {
      longest = {ms, arrival->where};
    }
  }
  return longest;
}

void sortByEnd(const CudaDriver& driver, std::vector<SpanRef>& spans) {
  std::vector<std::pair<double, SpanRef>> by_end;
  for (SpanRef& span : spans) {
    const double ms = span->to->since(driver, *spans.front()->to).value_or(0);
    by_end.emplace_back(ms, span);
  }
  std::stable_sort(by_end.begin(), by_end.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < spans.size(); ++i) {
    spans[i] = std::move(by_end[i].second);
  }
}

} // namespace commtap
