// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/exposition.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("SeriesLimit admits the first series of each owner and keeps them admitted") {
  SeriesLimit limit(2);
  CHECK(limit.admit("a", "1"));
  CHECK(limit.admit("a", "2"));
  CHECK_FALSE(limit.admit("a", "0"));
  CHECK(limit.admit("b", "0"));
  CHECK(limit.admit("a", "1"));
  CHECK_FALSE(limit.admit("a", "3"));
}

TEST_CASE("SeriesLimit forgets owners that no longer ask") {
  SeriesLimit limit(1);
  CHECK(limit.admit("a", "1"));
  limit.forgetUnused();
  CHECK_FALSE(limit.admit("a", "2"));
  limit.forgetUnused();
  limit.forgetUnused();
  CHECK(limit.admit("a", "2"));
}

TEST_CASE("metadata names the family in OpenMetrics and the sample in format 0.0.4") {
  Exposition exposition;
  exposition.add(MetricId::kPayloadBytes, MetricLabels().with({{"rank", "3"}}).text(), uint64_t{42});
  exposition.add(MetricId::kUnreadableFiles, "", uint64_t{0});
  CHECK(
      exposition.text(Dialect::kOpenMetrics) ==
      "# TYPE commtap_payload_bytes counter\n"
      "# UNIT commtap_payload_bytes bytes\n"
      "# HELP commtap_payload_bytes Payload of the collectives attributed to a module, as nccl-tests counts it.\n"
      "commtap_payload_bytes_total{rank=\"3\"} 42\n"
      "# TYPE commtap_unreadable_files gauge\n"
      "# HELP commtap_unreadable_files Reports and ledgers that could not be read. All other numbers lack "
      "them.\n"
      "commtap_unreadable_files 0\n"
      "# EOF\n");
  CHECK(
      exposition.text(Dialect::kPrometheus) ==
      "# TYPE commtap_payload_bytes_total counter\n"
      "# HELP commtap_payload_bytes_total Payload of the collectives attributed to a module, as nccl-tests counts it.\n"
      "commtap_payload_bytes_total{rank=\"3\"} 42\n"
      "# TYPE commtap_unreadable_files gauge\n"
      "# HELP commtap_unreadable_files Reports and ledgers that could not be read. All other numbers lack "
      "them.\n"
      "commtap_unreadable_files 0\n");
}

TEST_CASE("format 0.0.4 has no info type and does not escape quotes in help texts") {
  Exposition exposition;
  exposition.add(MetricId::kProcess, "", uint64_t{1});
  exposition.add(MetricId::kFoldedLabelSets, "", uint64_t{1});
  const std::string text = exposition.text(Dialect::kPrometheus);
  CHECK(text.find("# TYPE commtap_process_info gauge\n") != std::string::npos);
  CHECK(text.find("module \"(other)\"") != std::string::npos);
  CHECK(exposition.text(Dialect::kOpenMetrics).find("module \\\"(other)\\\"") != std::string::npos);
}

TEST_CASE("sums that stopped at the largest number are named once, in the order of the table") {
  Exposition exposition;
  exposition.addNs(MetricId::kRunningSeconds, "a", UINT64_MAX);
  exposition.addNs(MetricId::kExposedSeconds, "a", 2'500'000'000);
  for (const char* labels : {"a", "b"}) {
    exposition.add(MetricId::kCollectives, labels, uint64_t{UINT64_MAX});
  }
  CHECK(
      exposition.saturated() == std::vector<std::string>{"commtap_collectives_total", "commtap_running_seconds_total"});
  CHECK(exposition.text(Dialect::kPrometheus).find("commtap_exposed_seconds_total{a} 2.5\n") != std::string::npos);
}

TEST_CASE("an empty exposition is valid") {
  CHECK(Exposition().text(Dialect::kOpenMetrics) == "# EOF\n");
  CHECK(Exposition().text(Dialect::kPrometheus).empty());
}

TEST_CASE("label values are inert and escaped; empty ones are left out") {
  const MetricLabels labels = MetricLabels().with({{"a", "x\"y\\z\n\xff"}, {"b", ""}}).with({{"c", "1"}});
  CHECK(labels.text() == R"(a="x\"y\\z\\x0a\\xff",c="1")");
}

TEST_CASE("a metric value keeps all its digits") {
  Exposition exposition;
  exposition.add(MetricId::kPayloadBytes, "", uint64_t{18446744073709551615U});
  exposition.add(MetricId::kBusBytes, "", 0.1 + 0.2);
  const std::string text = exposition.text(Dialect::kPrometheus);
  CHECK(text.find(" 18446744073709551615\n") != std::string::npos);
  CHECK(text.find(" 0.30000000000000004\n") != std::string::npos);
}

} // namespace

} // namespace commtap
