// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace commtap {

/// The metric families of `commtap export` and `commtap serve`; an index into metricTable().
enum class MetricId : uint8_t {
  kCollectives,
  kPayloadBytes,
  kBusBytes,
  kTimedCollectives,
  kTimedBusBytes,
  kRunningSeconds,
  kBlockedSeconds,
  kModuleCalls,
  kNcclCalls,
  kNcclFailedCalls,
  kNcclBytes,
  kSteps,
  kLastCollective,
  kNotSeen,
  kProcess,
  kProcessRunning,
  kProcessExit,
  kProcessStart,
  kProcessEnd,
  kRanks,
  kWorldSize,
  kDisagreements,
  kFoldedLabelSets,
  kUnreadableFiles,
  kReadSeconds,
};
inline constexpr int kMetricCount = 25;

enum class MetricType : uint8_t { kCounter, kGauge, kInfo };

/// One row of the metric table: the one place from which the exposition and docs/metrics.md come.
struct MetricRow {
  MetricId id;
  std::string_view name; ///< of the family: without the suffix of its samples
  MetricType type;
  std::string_view unit;   ///< a base unit, which is then the name's last word; "" for a number of things
  std::string_view labels; ///< their names, separated by spaces
  std::string_view help;   ///< one line

  /// The name of a sample: a counter's ends in `_total`, an info's in `_info`.
  std::string sampleName() const;
};

std::span<const MetricRow> metricTable();
const MetricRow& metricRow(MetricId id);

/// "counter", "gauge", "info".
std::string_view metricTypeName(MetricType type);

/// docs/metrics.md.
std::string metricsPage();

} // namespace commtap
