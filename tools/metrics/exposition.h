// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/metrics/metrics.h"

namespace commtap {

/// Two formats for the same samples. OpenMetrics names a counter's family without `_total` in its metadata;
/// Prometheus's text format 0.0.4 includes `_total`.
enum class Dialect : uint8_t { kOpenMetrics, kPrometheus };

/// Returns the Content-Type of an HTTP answer.
std::string_view contentType(Dialect dialect);

/// The labels of a sample. Makes values inert and escapes them.
class MetricLabels {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;

  /// Returns these labels and `more`. Leaves out empty values, which Prometheus treats as absent labels.
  MetricLabels with(std::initializer_list<Pair> more) const;

  /// Returns the text between the braces.
  const std::string& text() const {
    return text_;
  }

 private:
  std::string text_;
};

/// Returns the names and values of a MetricLabels::text().
std::vector<std::pair<std::string, std::string>> labelPairs(std::string_view text);

/// Collects samples and formats them for Prometheus.
class Exposition {
 public:
  struct Sample {
    std::string labels;
    std::string value; ///< a decimal number
  };

  /// Adds a sample. `labels` is a MetricLabels::text().
  void add(MetricId id, const std::string& labels, uint64_t value);
  void add(MetricId id, const std::string& labels, double value);
  /// Adds a sample in seconds.
  void addNs(MetricId id, const std::string& labels, uint64_t ns);

  const std::vector<Sample>& samples(MetricId id) const {
    return samples_.at(static_cast<size_t>(id));
  }
  /// Returns the names of the samples with a sum that does not fit into 64 bits.
  std::vector<std::string> saturated() const;
  /// Returns the families in the order of the metric table, without those that have no samples.
  std::string text(Dialect dialect) const;

 private:
  std::array<std::vector<Sample>, kMetricCount> samples_;
  std::array<bool, kMetricCount> saturated_{};
};

} // namespace commtap
