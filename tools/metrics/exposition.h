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

/// Two ways to write the same samples. They cannot be one: OpenMetrics names a counter's family without `_total` in
/// its metadata, Prometheus's text format 0.0.4 with it.
enum class Dialect : uint8_t { kOpenMetrics, kPrometheus };

/// For an HTTP answer's Content-Type.
std::string_view contentType(Dialect dialect);

/// The labels of a sample. Values may hold anything: they are made inert and escaped.
class Labels {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;

  /// A label without a value is left out, which means the same to Prometheus.
  Labels with(std::initializer_list<Pair> more) const;

  /// As it stands between the braces.
  const std::string& text() const {
    return text_;
  }

 private:
  std::string text_;
};

/// Samples on their way to a text that Prometheus reads.
class Exposition {
 public:
  /// `labels`: Labels::text().
  void add(MetricId id, const std::string& labels, uint64_t value);
  void add(MetricId id, const std::string& labels, double value);

  /// Families in the order of the metric table; those without samples are left out.
  std::string text(Dialect dialect) const;

 private:
  struct Sample {
    std::string labels;
    std::string value;
  };

  std::array<std::vector<Sample>, kMetricCount> samples_;
};

} // namespace commtap
