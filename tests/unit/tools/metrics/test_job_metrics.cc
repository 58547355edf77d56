// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/rank_metrics.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

std::string
metricsOf(const std::vector<Report>& reports, std::optional<uint32_t> depth = std::nullopt, size_t max_series = 100) {
  std::vector<const Report*> pointers;
  for (const Report& report : reports) {
    pointers.push_back(&report);
  }
  SeriesLimit limit(max_series);
  Exposition exposition;
  addJobMetrics(pointers, depth, limit, exposition);
  return exposition.text(Dialect::kPrometheus);
}

bool hasLine(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

const std::string kRank0 = R"(run_id="sample-run",attempt="0",rank="0")";

TEST_CASE("the metrics of a rank have its rows, calls, state and times") {
  const std::string text = metricsOf({sampleReport(0), sampleReport(2)});
  const std::string gather =
      kRank0 + R"(,module="DistributedDataParallel.net1",phase="forward",kind="all_gather",group="default_pg")";
  CHECK(hasLine(text, "commtap_collectives_total{" + gather + "} 2"));
  CHECK(hasLine(text, "commtap_payload_bytes_total{" + gather + "} 2048"));
  CHECK(hasLine(text, "commtap_bus_bytes_total{" + gather + "} 1536"));
  CHECK(hasLine(
      text, "commtap_module_calls_total{" + kRank0 + R"(,module="DistributedDataParallel",phase="forward"} 1)"));
  CHECK(hasLine(text, "commtap_process_running{" + kRank0 + "} 0"));
  CHECK(hasLine(text, "commtap_process_exit{" + kRank0 + R"(,exit="normal"} 1)"));
  CHECK(hasLine(text, "commtap_process_start_time_seconds{" + kRank0 + "} 1800000000"));
  CHECK(hasLine(text, "commtap_process_end_time_seconds{" + kRank0 + "} 1800000002"));
  CHECK(hasLine(text, R"(commtap_ranks{run_id="sample-run",attempt="0"} 2)"));
  CHECK(hasLine(text, R"(commtap_world_size{run_id="sample-run",attempt="0"} 4)"));
  CHECK(text.find("commtap_folded") == std::string::npos);
}

TEST_CASE("NCCL calls count by function and group; calls outside collectives have no group") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1)};
  CHECK(metricsOf(reports).find("commtap_nccl") == std::string::npos);
  addNccl(reports[0], 3);
  const std::string text = metricsOf(reports);
  const std::string of_row = kRank0 + R"(,function="ncclAllReduce",group="default_pg")";
  CHECK(hasLine(text, "commtap_nccl_calls_total{" + of_row + "} 3"));
  CHECK(hasLine(text, "commtap_nccl_failed_calls_total{" + of_row + "} 0"));
  CHECK(hasLine(text, "commtap_nccl_bytes_total{" + of_row + "} 960"));
  CHECK(hasLine(text, "commtap_nccl_failed_calls_total{" + kRank0 + R"(,function="ncclBroadcast"} 1)"));
  const std::string folded = metricsOf(reports, std::nullopt, 1);
  CHECK(hasLine(folded, "commtap_nccl_calls_total{" + of_row + "} 3"));
  CHECK(hasLine(folded, "commtap_nccl_calls_total{" + kRank0 + R"x(,function="(other)",group="(other)"} 2)x"));
}

TEST_CASE("split sizes are metrics of the rows that have them") {
  std::vector<Report> reports = {sampleReport(0)};
  CHECK(metricsOf(reports).find("commtap_split") == std::string::npos);
  for (Collective& row : reports[0].collectives) {
    row.splits = row.kind == Kind::kAllGather ? Splits{2, {1.5, 2}, {}, {}, 0, {}} : Splits();
  }
  const std::string text = metricsOf(reports);
  const std::string labels =
      kRank0 + R"(,module="DistributedDataParallel.net1",phase="forward",kind="all_gather",group="default_pg")";
  CHECK(hasLine(text, "commtap_split_collectives_total{" + labels + "} 2"));
  CHECK(hasLine(text, "commtap_split_imbalance_total{" + labels + "} 3"));
  CHECK(hasLine(text, "commtap_split_imbalance_max_ratio{" + labels + "} 2"));
}

TEST_CASE("disagreements are a metric once no rank is running") {
  std::vector<Report> reports = {sampleReport(1), sampleReport(0)};
  const std::string count = R"(commtap_disagreements{run_id="sample-run",attempt="0",what="count"} 1)";
  for (Report& report : reports) {
    report.groups[0].ranks = {0, 1};
    report.groups[0].size = 2;
  }
  CHECK(metricsOf(reports).find("commtap_disagreements") == std::string::npos);
  reports[1].collectives[0].count += 1;
  CHECK(hasLine(metricsOf(reports), count));
  reports[0].job.exit = ExitKind::kRunning;
  CHECK(metricsOf(reports).find("commtap_disagreements") == std::string::npos);
}

TEST_CASE("a rank's steps are those of its process with the most, and its last collective has a time") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(0), sampleReport(1)};
  reports[0].steps = {{0, 7, 1, 2, 0, 0, {}}, {7, 1, 2, std::nullopt, 0, 0, {}}};
  reports[1].last.back().issued_at_ns = 1'800'000'001'000'000'000;
  reports[2].last.clear();
  const std::string text = metricsOf(reports);
  CHECK(hasLine(text, "commtap_steps_total{" + kRank0 + "} 7"));
  CHECK(hasLine(text, "commtap_last_collective_time_seconds{" + kRank0 + "} 1800000001"));
  CHECK(hasLine(text, R"(commtap_steps_total{run_id="sample-run",attempt="0",rank="1"} 0)"));
  CHECK(text.find(R"(last_collective_time_seconds{run_id="sample-run",attempt="0",rank="1"})") == std::string::npos);
}

TEST_CASE("the metrics of one rank's processes are summed; a process without a rank has no rank label") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(0), sampleReport(1)};
  reports[1].job.exit = ExitKind::kRunning;
  reports[1].job.ended_at_ns = std::nullopt;
  reports[2].job.rank = std::nullopt;
  const std::string text = metricsOf(reports);
  CHECK(
      text.find(kRank0 + R"(,module="Global",phase="other",kind="broadcast",group="default_pg"} 2)") !=
      std::string::npos);
  CHECK(hasLine(text, "commtap_process_running{" + kRank0 + "} 1"));
  CHECK(hasLine(text, "commtap_process_exit{" + kRank0 + R"(,exit="normal"} 1)"));
  CHECK(text.find("commtap_process_end_time_seconds{" + kRank0) == std::string::npos);
  CHECK(hasLine(text, R"(commtap_process_running{run_id="sample-run",attempt="0"} 0)"));
  CHECK(hasLine(text, R"(commtap_ranks{run_id="sample-run",attempt="0"} 1)"));
}

TEST_CASE("the ends of processes have the words and numbers of their reports") {
  std::vector<Report> reports(4, sampleReport(0));
  reports[0].job.exit_status = reports[1].job.exit_status = 3;
  reports[2].job.exit = ExitKind::kUnderscoreExit;
  reports[2].job.exit_status = 0;
  reports[3].job.exit = ExitKind::kKilled;
  reports[3].job.exit_signal = 15;
  const std::string text = metricsOf(reports);
  const auto hasEnds = [&text](const std::string& labels, int count) {
    return hasLine(text, "commtap_process_exit{" + kRank0 + labels + "} " + std::to_string(count));
  };
  CHECK(hasEnds(R"(,exit="normal",exit_status="3")", 2));
  CHECK(hasEnds(R"(,exit="_exit",exit_status="0")", 1));
  CHECK(hasEnds(R"(,exit="killed",exit_signal="15")", 1));
}

TEST_CASE("over the limit the first label sets keep their names, and sums stay correct") {
  const std::string text = metricsOf({sampleReport(0)}, std::nullopt, 1);
  CHECK(hasLine(text, "commtap_folded_label_sets{" + kRank0 + "} 4"));
  const std::string folded = R"j(,module="(other)",phase="forward",kind="all_gather",group="(other)")j";
  CHECK(hasLine(text, "commtap_payload_bytes_total{" + kRank0 + folded + "} 2048"));
  CHECK(text.find("net1") == std::string::npos);
}

TEST_CASE("collectives below the depth count for the ancestor at the depth") {
  const std::string text = metricsOf({sampleReport(0)}, 1);
  CHECK(text.find("net1") == std::string::npos);
  CHECK(
      text.find(R"(module="DistributedDataParallel",phase="forward",kind="all_gather",group="default_pg"} 2)") !=
      std::string::npos);
}

TEST_CASE("names that become equal when made inert share a series") {
  Report report = sampleReport(0);
  report.collectives.resize(2);
  report.collectives[1] = report.collectives[0];
  report.collectives[0].module = "a\x01";
  report.collectives[1].module = "a\\x01";
  const std::string text = metricsOf({report});
  const std::string module = R"(module="a\\x01")";
  const size_t first = text.find(module);
  REQUIRE(first != std::string::npos);
  CHECK(text.find("} 2\n", first) == text.find("} ", first));
  CHECK(text.find(module, first + 1) > text.find("# TYPE commtap_payload_bytes_total"));
}

TEST_CASE("not_seen counts by reason in the metrics") {
  Report report = sampleReport(0);
  report.not_seen = {{"unknown_op", 3, "x", "y"}};
  CHECK(hasLine(metricsOf({report}), "commtap_not_seen_total{" + kRank0 + R"(,reason="unknown_op"} 3)"));
}

} // namespace
} // namespace commtap
