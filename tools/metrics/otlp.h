// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/metrics/exposition.h"

namespace commtap {

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
