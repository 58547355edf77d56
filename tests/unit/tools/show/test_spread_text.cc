// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_text.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tools/text/call_text.h"

namespace commtap {
namespace {

/// Returns what `commtap show --ranks` prints of a job.
std::string ranksOf(const JobReport& job, const ShowFilter& filter = {.ranks = true}) {
  return showText(mergedView(filter, job), Color::none());
}

TEST_CASE("the text of ranks of a sound job has ranks and totals, and no disagreements") {
  const std::string text = ranksOf(sampleJob());
  CHECK(has(text, "run sample-run"));
  CHECK(has(text, "sum over 4 of 4 ranks: 0-3\n"));
  CHECK(has(text, "\nranks agree\n"));
  CHECK_FALSE(has(text, "DISAGREE"));
  CHECK_FALSE(has(text, "ranks differ most"));
  CHECK(has(text, "all_gather      4      8         2  8.00 KiB  2.00 KiB\n"));
}

TEST_CASE("the text of ranks has disagreements before the numbers and the spread of ranks after them") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(2)};
  rowOf(reports[1], "DistributedDataParallel.net1", Kind::kAllGather).bytes = 4096;
  const std::string text = ranksOf(jobOf(reports));
  CHECK(has(text, "no report of ranks 1, 3\n"));
  CHECK_FALSE(has(text, "agree\n"));
  CHECK(text.find("RANKS DISAGREE: likely a hang or a bug\n  all_gather") < text.find("By phase and kind"));
  CHECK(text.find("Rows whose ranks differ most") > text.find("By phase and kind"));
  CHECK(has(text, "2.00 KiB (0)  4.00 KiB (2)"));
}

TEST_CASE("a row whose ranks differ says its label") {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    rowOf(report, "Global", Kind::kBroadcast).label = "weights";
  }
  rowOf(reports[1], "Global", Kind::kBroadcast).bytes += 1;
  CHECK(has(ranksOf(jobOf(reports)), "\nGlobal [weights]  other"));
}

TEST_CASE("the text of ranks sums labels and set-up over ranks, the largest first") {
  CHECK_FALSE(has(ranksOf(sampleJob()), "By label"));
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    Collective& broadcast = rowOf(report, "Global", Kind::kBroadcast);
    broadcast.label = "weights";
    broadcast.setup = true;
    broadcast.count = 3;
    broadcast.bytes = 1024;
    Collective& reduce = rowOf(report, "DistributedDataParallel", Kind::kAllReduce);
    reduce.label = "metric\x1b[2J";
    reduce.count = 2;
    reduce.bytes = 2048;
  }
  const std::string text = ranksOf(jobOf(reports));
  const size_t at = text.find("By label, and set-up\n");
  REQUIRE(at != std::string::npos);
  CHECK(
      text.substr(at, text.find("\n\n", at) - at) ==
      "By label, and set-up\n"
      "PHASE     KIND        LABEL             COUNT     BYTES\n"
      "backward  all_reduce  metric\\x1b[2J         4  4.00 KiB\n"
      "other     broadcast   weights (set-up)      6  2.00 KiB");
}

TEST_CASE("killed ranks that stopped in one sequence differ from ranks that disagree") {
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    const uint64_t calls = report.job.rank == 2 ? 1 : 2;
    report.job.exit = ExitKind::kKilled;
    report.last.clear();
    rowOf(report, "DistributedDataParallel", Kind::kAllReduce).count = calls;
    for (uint64_t i = 0; i < calls; ++i) {
      const Collective& row = rowOf(report, "DistributedDataParallel", Kind::kAllReduce);
      LastCollective& call = report.last.emplace_back();
      call.sequence = i + 1;
      call.group = row.group;
      call.module = row.module;
      call.op = row.op;
      call.kind = row.kind;
      call.dtype = row.dtype;
    }
  }
  CHECK(
      disagreementLines(jobOf(reports), Color::none()) ==
      "Ranks were killed, and stopped at different points of one sequence (as after a hang: commtap show --last)\n  "
      "all_reduce in "
      "DistributedDataParallel (backward) on default_pg of ranks 0-3: 2 calls on ranks 0-1, 3; 1 on rank 2 (killed)\n");
  CHECK(seriousDisagreements(jobOf(reports)).empty());
  reports[0].job.exit = ExitKind::kSignal;
  CHECK(
      has(disagreementLines(jobOf(reports), Color::none()),
          "RANKS DISAGREE, and ranks failed or were killed: see commtap why\n"));
  reports[1].job.exit = ExitKind::kRunning;
  CHECK(
      has(disagreementLines(jobOf(reports), Color::none()),
          "RANKS DIFFER SO FAR: some still run, or their end is not known (commtap why)\n"));
  JobReport job = jobOf(reports);
  job.disagreements.at(0).what = Disagreement::What::kOrder; // the ranks behind cannot mend it
  CHECK(has(disagreementLines(job, Color::none()), "RANKS DISAGREE, and ranks failed"));
}

TEST_CASE("it says how many ranks it compared") {
  CHECK(has(ranksOf(jobOf({sampleReport(0), sampleReport(2)})), "\nthe ranks that have a report agree\n"));
  CHECK_FALSE(has(ranksOf(jobOf({sampleReport(0)})), "agree"));
}

TEST_CASE("the text of ranks pairs collectives with their NCCL calls, if there are any") {
  CHECK_FALSE(has(ranksOf(ncclJob()), "NCCL"));
  const std::string text = ranksOf(ncclJob(), {.nccl = true, .ranks = true});
  CHECK(has(text, "NCCL 2.29.7: 8 communicators in 4 processes\n"));
  CHECK(has(text, "ncclAllReduce      5"));
  CHECK(has(text, "Engine  ncclBroadcast      8       4       256 B\n"));
}

TEST_CASE("the text of ranks lists calls for different modules separately and cuts long lists") {
  std::vector<Report> reports = sampleReports(2);
  rowOf(reports[0], "DistributedDataParallel", Kind::kAllReduce).module = "DistributedDataParallel.net2";
  const std::string text = disagreementLines(jobOf(reports), Color::none());
  CHECK(text.starts_with("Ranks agree on the number of calls, not on the module\n  "));
  for (int i = 0; i < 50; ++i) {
    Collective row = rowOf(reports[1], "DistributedDataParallel", Kind::kAllReduce);
    row.op = "op" + std::to_string(i);
    reports[1].collectives.push_back(row);
  }
  CHECK(has(disagreementLines(jobOf(reports), Color::none()), "and 32 more: commtap export --format job\n"));
}

} // namespace
} // namespace commtap
