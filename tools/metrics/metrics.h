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
  kExposedSeconds,
  kSplitCollectives,
  kSplitImbalance,
  kSplitImbalanceMax,
  kModuleCalls,
  kNcclCalls,
  kNcclFailedCalls,
  kNcclBytes,
  kSteps,
  kStepChanges,
  kStepChangeRatio,
  kLateRankWaitRatio,
  kHangStatus,
  kHangCause,
  kVerifyStatus,
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
inline constexpr int kMetricCount = 34;

enum class MetricType : uint8_t { kCounter, kGauge, kInfo };

/// The name and the labels of a metric's samples.
struct MetricFamily {
  MetricId id;
  std::string_view name; ///< family name, without the sample suffix
  MetricType type;
  std::string_view unit;   ///< a base unit, the last word of the name; "" for a count
  std::string_view labels; ///< label names, separated by spaces
};

/// One row of the metric table, the only source of the exposition and of docs/metrics.md.
struct MetricRow : MetricFamily {
  std::string_view help; ///< one line

  /// Returns the sample's name: a counter's ends in `_total`, an info's in `_info`.
  std::string sampleName() const;
};

std::span<const MetricRow> metricTable();
const MetricRow& metricRow(MetricId id);

/// Returns "counter", "gauge" or "info".
std::string_view metricTypeName(MetricType type);

/// Returns the text of docs/metrics.md.
std::string metricsPage();

} // namespace commtap
