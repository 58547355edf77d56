// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tools/http/http_client.h"

namespace commtap {

/// The URL and interval of pushes.
struct OtlpTarget {
  std::string url; ///< of the signal: http://collector:4318/v1/metrics
  std::chrono::milliseconds interval{60'000};
};

/// Returns the URL of a collector's metrics, after OpenTelemetry's rule for OTEL_EXPORTER_OTLP_ENDPOINT: /v1/metrics is
/// added to an address without a path.
std::string otlpMetricsUrl(const std::string& collector);

/// Pushes metrics to a collector from a thread of its own, once per interval and once at the end. A request that cannot
/// be delivered is sent again, with growing pauses, until the next interval, which replaces it: sums are cumulative, so
/// nothing is lost. Reports the first failure and the first success after it.
class OtlpPush {
 public:
  using Collect = std::function<std::vector<std::string>()>;
  using Say = std::function<void(const std::string&)>;

  OtlpPush(OtlpTarget target, Collect collect, Say say);
  OtlpPush(const OtlpPush&) = delete;
  OtlpPush& operator=(const OtlpPush&) = delete;
  /// Pushes once more, within a second, and ends the thread.
  ~OtlpPush();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void pushUntil(Clock::time_point deadline);
  /// Returns whether the request was delivered, or refused permanently.
  bool deliver(const std::string& body, Clock::time_point deadline);
  /// Waits; returns false if the push is to end.
  bool waitUntil(Clock::time_point time);
  void note(const HttpReply& reply);

  OtlpTarget target_;
  Collect collect_;
  Say say_;
  bool has_failed_ = false;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::thread thread_; ///< the last member: it uses the others
};

} // namespace commtap
