// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/metrics/metrics.h"

namespace commtap {

/// Bounds the number of series per owner (a rank's rows, a rank's calls). Admits the first label sets, not the largest.
/// An admitted series stays: a counter that moved to another series would look like false traffic.
class SeriesLimit {
 public:
  explicit SeriesLimit(size_t per_owner) : per_owner_(per_owner) {}

  /// Returns whether this label set gets a series of its own.
  bool admit(const std::string& owner, const std::string& labels);

  /// Forgets the owners that have not called admit() since the last call: their jobs have ended.
  void forgetUnused();

 private:
  struct Owner {
    std::set<std::string> admitted;
    bool used = true;
  };

  size_t per_owner_;
  std::map<std::string, Owner> owners_;
};

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

/// The facts that requests state once for all samples.
struct OtlpContext {
  std::string host;          ///< where the samples were read
  uint64_t now_ns = 0;       ///< since 1970
  size_t max_points = 5'000; ///< data points of a request
};

/// Returns the bodies of the requests of OTLP/HTTP that send these samples: ExportMetricsServiceRequest in the JSON of
/// opentelemetry-proto 1.x (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding"). Each run, attempt and rank is
/// a resource, with `host.name`, `commtap.run_id`, `commtap.attempt` and `commtap.rank`; other labels are attributes of
/// data points. Counters are cumulative sums since the rank's start, gauges and infos are gauges. Names are those of
/// docs/metrics.md; units are UCUM's.
std::vector<std::string> otlpRequests(const Exposition& exposition, const OtlpContext& context);

} // namespace commtap
