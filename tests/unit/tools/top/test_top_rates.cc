// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/top_rates.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tests/unit/live_samples.h"

namespace commtap {
namespace {

/// Returns two ranks of the sample job after `more_calls` more all_reduces of 1 KiB; each ran 4 ms and were exposed for
/// 1 ms.
Traffic look(uint64_t more_calls, uint32_t every) {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    report.job.timing.every = every;
    Collective& row = rowOf(report, "DistributedDataParallel", Kind::kAllReduce);
    row.count += more_calls;
    row.bytes += more_calls * 1024;
    if (every > 0) {
      row.time.durations[static_cast<size_t>(DurationKind::kRunning)] = {
          1 + more_calls, 4'000'000 * more_calls, 0, 0, {}};
      row.time.durations[static_cast<size_t>(DurationKind::kExposed)] = {
          1 + more_calls, 1'000'000 * more_calls, 0, 0, {}};
      row.time.bus_bytes = 2048.0 * static_cast<double>(more_calls);
    }
  }
  return trafficOf(liveOf(reports).reports);
}

std::string tables(uint64_t before, uint64_t now, uint32_t every) {
  return rateTables(look(before, every), look(now, every), 2, {8, SIZE_MAX}, Color::none());
}

TEST_CASE("top rates by kind, group and module cover the time between two reads") {
  const std::string text = tables(0, 10, 0);
  CHECK(has(text, "KIND        CALLS/S  PAYLOAD/S  COUNT   PAYLOAD\n"));
  CHECK(has(text, "all_reduce     10.0   10.0 KiB"));
  CHECK(has(text, "all_gather      0.0        0 B"));
  CHECK(has(text, "default_pg     10.0   10.0 KiB"));
  CHECK(has(text, "DistributedDataParallel          10.0"));
}

TEST_CASE("counts and durations that shrink because a process exited give rate 0") {
  CHECK(has(tables(10, 0, 1), "all_reduce      0.0        0 B      2     640 B      0 %\n"));
}

TEST_CASE("with durations, top shows the exposed share and the bus bandwidth of completed collectives") {
  const std::string text = tables(5, 105, 1);
  CHECK(has(text, "PAYLOAD  EXPOSED      BUSBW\n"));
  // 100 calls on each of two ranks: 0.1 s of their 2 s each, and 2048 B in 4 ms
  CHECK(has(text, "5.0 %  500 KiB/s\n"));
  CHECK(has(text, "Distribu...aParallel  "));
  for (size_t start = 0; start < text.size(); start = text.find('\n', start) + 1) {
    CHECK(text.find('\n', start) - start <= 80);
  }
}

TEST_CASE("sums over the ranks stay at the largest number") {
  CHECK(has(tables(0, 1ULL << 63U, 0), "18446744073709551615"));
}

TEST_CASE("rows of different runs are not added up") {
  Traffic traffic = look(0, 0);
  Report other = sampleReport(0);
  other.job.run_id = "other";
  traffic.add(trafficOf(liveOf({other}).reports));
  const std::string text = rateTables(traffic, traffic, 2, {8, SIZE_MAX}, Color::none());
  CHECK(has(text, "RUN         KIND        CALLS/S  PAYLOAD/S  COUNT   PAYLOAD\n"));
  CHECK(has(text, "sample-run  all_reduce      0.0        0 B      2"));
  CHECK(has(text, "other       all_reduce      0.0        0 B      1"));
}

TEST_CASE("a narrow table has rates only, and shortens names") {
  const std::string text = rateTables(look(5, 1), look(105, 1), 2, {8, 40}, Color::none());
  CHECK(has(text, "KIND        CALLS/S  PAYLOAD/S\n"));
  CHECK(has(text, "Distribu"));
  for (size_t start = 0; start < text.size(); start = text.find('\n', start) + 1) {
    CHECK(text.find('\n', start) - start <= 40);
  }
}

TEST_CASE("sampled durations give no exposed share, and a long wait counts at most the whole time") {
  const std::string sample = tables(5, 105, 10);
  CHECK_FALSE(has(sample, "EXPOSED"));
  CHECK(has(sample, "500 KiB/s"));
  CHECK(has(tables(0, 50'000, 1), "100 %"));
}

} // namespace
} // namespace commtap
