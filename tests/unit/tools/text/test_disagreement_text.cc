// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/call_text.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

/// Returns the text of the first disagreement of a job whose rank 2 has an additional call.
std::string disagreementTextOf(
    ExitKind exit_of_rank_2,
    const char* module = "DistributedDataParallel",
    std::optional<int64_t> signal = std::nullopt,
    std::optional<int64_t> status = std::nullopt) {
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    rowOf(report, "DistributedDataParallel", Kind::kAllReduce).module = module;
  }
  rowOf(reports[2], module, Kind::kAllReduce).count = 2;
  reports[2].job.exit = exit_of_rank_2;
  reports[2].job.exit_signal = signal;
  reports[2].job.exit_status = status;
  const JobReport job = jobOf(reports);
  return disagreementText(job.disagreements.at(0), job);
}

TEST_CASE("a disagreement is one line with the place and each rank's number") {
  CHECK(
      disagreementTextOf(ExitKind::kNormal) ==
      "all_reduce in DistributedDataParallel (backward) on default_pg of ranks 0-3: 1 call on ranks 0-1, 3; 2 on rank "
      "2");
}

TEST_CASE("a disagreement says how a rank with fewer calls ended") {
  CHECK(disagreementTextOf(ExitKind::kKilled).ends_with("2 on rank 2 (killed)"));
  CHECK(disagreementTextOf(ExitKind::kSignal, "Net", 6).ends_with("2 on rank 2 (ended by SIGABRT)"));
  CHECK(disagreementTextOf(ExitKind::kSignal).ends_with("2 on rank 2 (ended by a signal)"));
  CHECK(disagreementTextOf(ExitKind::kRunning).ends_with("2 on rank 2 (still running)"));
  CHECK(disagreementTextOf(ExitKind::kNormal, "Net", std::nullopt, 0).ends_with("2 on rank 2"));
  CHECK(disagreementTextOf(ExitKind::kNormal, "Net", std::nullopt, 1).ends_with("2 on rank 2 (ended with status 1)"));
}

TEST_CASE("names in a disagreement are inert") {
  CHECK(disagreementTextOf(ExitKind::kNormal, "a\nb").find("a\\x0ab") != std::string::npos);
}

TEST_CASE("disagreements in bytes and unmatched sends have texts") {
  std::vector<Report> reports = sampleReports(4);
  rowOf(reports[3], "DistributedDataParallel", Kind::kAllReduce).bytes = 999;
  JobReport job = jobOf(reports);
  CHECK(disagreementText(job.disagreements.at(0), job).ends_with(": 320 B on ranks 0-2; 999 B on rank 3"));
  reports = sampleReports(4);
  rowOf(reports[0], "DistributedDataParallel", Kind::kAllReduce).kind = Kind::kSend;
  for (const size_t rank : {1, 2, 3}) {
    std::erase_if(reports[rank].collectives, [](const Collective& row) { return row.kind == Kind::kAllReduce; });
  }
  job = jobOf(reports);
  CHECK(
      disagreementText(job.disagreements.at(0), job) ==
      "sends without matching receives on default_pg of ranks 0-3: 1 sends of 320 B, 0 receives of 0 B");
}

TEST_CASE("a disagreement in order names the number and both collectives") {
  std::vector<Report> reports = sampleReports(4);
  for (size_t rank = 0; rank < 4; ++rank) {
    LastCollective call;
    call.group = reports[rank].groups.at(0).name;
    call.sequence = 7;
    call.module = "Net\n";
    call.kind = rank == 1 ? Kind::kAllToAll : Kind::kAllGather;
    call.op = rank == 1 ? "c10d.alltoall_" : "c10d.allgather_";
    call.bytes = 4096;
    reports[rank].last = {call};
  }
  reports[1].job.exit = ExitKind::kKilled;
  const JobReport job = jobOf(reports);
  REQUIRE(job.disagreements_found == 1);
  CHECK(
      disagreementText(job.disagreements[0], job) ==
      "different collectives as number 7 on default_pg of ranks 0-3: all_gather of 4.00 KiB in Net\\x0a on ranks 0, "
      "2-3; "
      "all_to_all in Net\\x0a on rank 1 (killed)");
  reports[1].last[0] = reports[0].last[0];
  reports[0].last[0].root = 0;
  reports[1].last[0].dtype = "float16";
  reports[1].last[0].reduce_op = "sum";
  CHECK(
      disagreementText(jobOf(reports).disagreements.at(0), job) ==
      "different collectives as number 7 on default_pg of ranks 0-3: all_gather of 4.00 KiB in Net\\x0a on ranks 2-3; "
      "all_gather of 4.00 KiB in Net\\x0a, root 0 on rank 0; "
      "all_gather of 4.00 KiB in Net\\x0a, float16, sum on rank 1 (killed)");
}

TEST_CASE("disagreements that differ only in their ranks are one line") {
  Disagreement first;
  first.what = Disagreement::What::kCount;
  first.module = "Net";
  first.phase = Phase::kForward;
  first.kind = Kind::kAllReduce;
  first.members = {0, 1};
  first.values = {{{{0, 0}}, 9, 90, {}}, {{{1, 1}}, 8, 80, {}}};
  Disagreement second = first;
  second.members = {2, 3};
  second.values = {{{{2, 2}}, 9, 90, {}}, {{{3, 3}}, 8, 80, {}}};
  Disagreement other = first;
  other.module = "Net.layer";
  const auto bundles = bundled(std::vector<Disagreement>{first, other, second});
  REQUIRE(bundles.size() == 2);
  CHECK(bundles[0].groups == 2);
  CHECK(
      disagreementText(bundles[0], sampleJob()) ==
      "all_reduce in Net (forward) on default_pg of ranks 0-3 (2 groups, alike): 9 calls on ranks 0, 2; 8 on ranks 1, "
      "3");
  CHECK(bundles[1].groups == 1);
  second.values[1].count = 7;
  CHECK(bundled(std::vector<Disagreement>{first, second}).size() == 2);
}

TEST_CASE("ranksText has a singular and a plural") {
  CHECK(ranksText({{2, 2}}) == "rank 2");
  CHECK(ranksText({{2, 3}}) == "ranks 2-3");
}

} // namespace
} // namespace commtap
