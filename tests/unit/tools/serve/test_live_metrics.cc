// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/live_metrics.h"

#include <doctest/doctest.h>

#include <thread>

#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the Accept header selects the metrics format") {
  CHECK(wantedDialect("application/openmetrics-text;version=1.0.0,text/plain;q=0.5") == Dialect::kOpenMetrics);
  CHECK(wantedDialect("text/plain;version=0.0.4") == Dialect::kPrometheus);
  CHECK(wantedDialect("") == Dialect::kPrometheus);
}

TEST_CASE("an admitted series keeps its name when new series appear") {
  const TempFolder folder;
  Report report = sampleReport(0);
  const std::string path = folder / "rank-00000.json";
  const Collective first = report.collectives.back();
  std::vector<Collective> rows = report.collectives;
  report.collectives = {first};
  writeText(path, reportToJson(report));
  LiveMetrics live(LiveFolder(folder.path(), "node1", std::chrono::minutes(10)), std::nullopt, 1);
  const std::string series = "module=\"" + first.module + "\",phase=\"" + std::string(phaseName(first.phase));
  CHECK(live.metrics(Dialect::kOpenMetrics).find(series) != std::string::npos);
  report.collectives = std::move(rows);
  writeText(path, reportToJson(report));
  std::this_thread::sleep_for(std::chrono::milliseconds(250)); // longer than an answer is cached
  const std::string text = live.metrics(Dialect::kOpenMetrics);
  CHECK(text.find(series) != std::string::npos);
  CHECK(text.find("module=\"(other)\"") != std::string::npos);
}

TEST_CASE("live metrics count unreadable files and have the read duration") {
  const TempFolder folder;
  writeText(folder / "x.json", "{");
  LiveMetrics live(LiveFolder(folder.path(), "node1", std::chrono::minutes(10)), std::nullopt, 1);
  const std::string text = live.metrics(Dialect::kOpenMetrics);
  CHECK(text.find("\ncommtap_unreadable_files 1\n") != std::string::npos);
  CHECK(text.find("\ncommtap_read_duration_seconds ") != std::string::npos);
  CHECK(live.page("out").find("x.json") != std::string::npos);
}

} // namespace
} // namespace commtap
