// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/metrics.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("metric names follow the rules of Prometheus and OpenMetrics") {
  std::set<std::string_view> names;
  for (const MetricRow& row : metricTable()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.name.starts_with("commtap_"));
    CHECK(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
    CHECK_FALSE(row.name.ends_with("_total"));
    CHECK((row.unit.empty() || row.name.ends_with("_" + std::string(row.unit))));
    CHECK((row.unit.empty() || row.unit == "bytes" || row.unit == "seconds" || row.unit == "ratio"));
    CHECK(row.help.ends_with("."));
    CHECK(row.help.find('\n') == std::string_view::npos);
    CHECK(metricRow(row.id).name == row.name);
  }
}

TEST_CASE("a sample's name has the suffix of its type") {
  CHECK(metricRow(MetricId::kCollectives).sampleName() == "commtap_collectives_total");
  CHECK(metricRow(MetricId::kProcess).sampleName() == "commtap_process_info");
  CHECK(metricRow(MetricId::kRanks).sampleName() == "commtap_ranks");
}

TEST_CASE("docs/metrics.md is up to date") {
  CHECK(readText(COMMTAP_SOURCE_ROOT "/docs/metrics.md") == metricsPage());
}

} // namespace
} // namespace commtap
