// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/diff_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("diff text has a table by module and one line per difference") {
  const JobReport before = sampleJob();
  const JobReport after = grownJob();
  const std::string text = diffText(diffOf(before, after, {}), Color::none());
  CHECK(text.starts_with("communicates "));
  CHECK(has(text, "\nbefore  out: run sample-run, started 2027-01-15T08:00:00Z, 4 of 4 ranks"));
  CHECK(has(text, "\nDistributedDataParallel.net1  "));
  CHECK(has(text, "  2.00 KiB  3.00 KiB  +50.0 %\n"));
  CHECK(has(text, "By group, per rank and run (over all ranks)\n"));
  CHECK(
      has(text,
          "\nDifferences, per rank and run\n  +1 all_gather per run in DistributedDataParallel.net1 (forward, "
          "default_pg): 2 to 3 calls"));
}

TEST_CASE("diff text has no time of a job without one") {
  JobReport before = sampleJob();
  before.started_at_ns = 0;
  const std::string text = diffText(diffOf(before, grownJob(), {}), Color::none());
  CHECK(has(text, "\nbefore  out: run sample-run, 4 of 4 ranks"));
  CHECK(has(text, "\nafter   out: run sample-run, started 2027-01-15T08:00:00Z, 4 of 4 ranks"));
}

TEST_CASE("diff text names a process that failed: its run may have ended before the other") {
  std::vector<Report> reports = sampleReports(4);
  reports[1].job.exit = ExitKind::kNormal;
  reports[1].job.exit_status = 1;
  JobReport after = jobOf(reports);
  after.source = "new";
  const std::string text = diffText(diffOf(sampleJob(), after, {}), Color::none());
  CHECK(has(text, "\nnote: new: rank 1: ended with status 1\n"));
}

TEST_CASE("diff text has the ranks of both runs if a row is on others") {
  const JobReport before = sampleJob();
  std::vector<Report> reports = sampleReports(4);
  for (const size_t rank : {2, 3}) {
    rowOf(reports[rank], "DistributedDataParallel.net1", Kind::kAllGather).module = "DistributedDataParallel.net2";
  }
  const JobReport after = jobOf(reports);
  const std::string text = diffText(diffOf(before, after, {}), Color::none());
  CHECK(has(text, "CHANGE  RANKS\n"));
  CHECK(has(text, "0-3 to 0-1\n"));
  CHECK(has(
      text,
      "  on fewer ranks: all_gather in DistributedDataParallel.net1 (forward, default_pg): ranks 0-3 to ranks 0-1, 2 "
      "calls, 2.00 KiB\n"));
  CHECK(has(diffMarkdown(diffOf(before, after, {})), "| change | ranks |\n|---|--:|--:|--:|--:|--:|---|\n"));
  CHECK(has(diffMarkdown(diffOf(before, after, {})), " 0-3 to 0-1 |\n"));
}

TEST_CASE("diff text distinguishes labels, and names only those that changed") {
  std::vector<Report> reports = sampleReports(1);
  Collective& row = rowOf(reports[0], "Global", Kind::kBroadcast);
  row.label = "weights";
  Collective other = row;
  other.label = "val_metric";
  reports[0].collectives.push_back(other);
  const JobReport before = jobOf(reports);
  reports[0].collectives.back().count += 1;
  const JobReport after = jobOf(reports);
  const std::string text = diffText(diffOf(before, after, {}), Color::none());
  CHECK(has(text, "\nGlobal [val_metric]  "));
  CHECK(has(text, "in Global [val_metric] (other, default_pg): 1 to 2 calls"));
  CHECK_FALSE(has(text, "weights"));
}

TEST_CASE("diff text says in one line that there are no differences") {
  const JobReport job = sampleJob();
  const JobReport after = grownJob();
  CHECK(diffText(diffOf(job, job, {}), Color::none()).starts_with("no differences\nbefore "));
  const std::string tolerated = diffText(diffOf(job, after, {*parseTolerance("count=1,bytes=1024")}), Color::none());
  CHECK(tolerated.starts_with("no differences\nbefore "));
  CHECK(diffMarkdown(diffOf(job, job, {})).starts_with("### commtap: communication is unchanged\n"));
}

TEST_CASE("diff text says that only buckets differ") {
  const JobReport before = sampleJob();
  JobReport after = before;
  JobCollective& row = after.collectives.front();
  row.members = {{row.module, row.amount.bytes.sum, row.amount.count.sum}};
  const std::string text = diffText(diffOf(before, after, {}), Color::none());
  CHECK(has(text, "note: out: 1 row is bucketed and compared by members: "));
  CHECK(text.starts_with("the same, except for 1 bucketed row\nbefore "));
  CHECK(diffMarkdown(diffOf(before, after, {}))
            .starts_with("### commtap: communication is unchanged, except for 1 bucketed row\n"));
}

TEST_CASE("diff text has notes and ranks that disagree before its tables") {
  std::vector<Report> reports = sampleReports(4);
  rowOf(reports[1], "DistributedDataParallel", Kind::kAllReduce).count = 3;
  reports[0].job.world_size = 8;
  const JobReport before = sampleJob();
  const JobReport after = jobOf(reports);
  const std::string text = diffText(diffOf(before, after, {}), Color::none());
  CHECK(text.find("note: the runs have 4 and 8 ranks") < text.find("RANKS DISAGREE"));
  CHECK(text.find("RANKS DISAGREE") < text.find("By module"));
  CHECK(has(diffMarkdown(diffOf(before, after, {})), "- **ranks disagree:** all\\_reduce in DistributedDataParallel"));
}

TEST_CASE("diff Markdown is a heading, a table and a fold") {
  const JobReport before = sampleJob();
  const JobReport after = grownJob();
  const std::string text = diffMarkdown(diffOf(before, after, {}));
  CHECK(text.starts_with("### commtap: 1 differences\n"));
  CHECK(has(text, "| DistributedDataParallel.net1 | 2 | 3 | 2.00 KiB | 3.00 KiB | +50.0 % |\n"));
  CHECK(has(text, "<details>"));
  CHECK(has(text, "- +1 all\\_gather per run in DistributedDataParallel.net1"));
}

TEST_CASE("diff JSON has the runs and the changes") {
  const JobReport before = sampleJob();
  const JobReport after = grownJob();
  const auto document = nlohmann::json::parse(diffJson(diffOf(before, after, {})));
  CHECK(document["schema"] == "commtap.diff/1");
  CHECK(document["before"]["run_id"] == "sample-run");
  REQUIRE(document["changes"].size() == 1);
  CHECK(document["changes"][0]["after"]["count"] == 3);
}

} // namespace
} // namespace commtap
