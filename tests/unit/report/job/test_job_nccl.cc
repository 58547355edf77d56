// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_nccl.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

NcclCall callOf(const char* function, uint64_t count, uint64_t failed) {
  NcclCall call;
  call.function = function;
  call.op = "c10d.alltoall_";
  call.module = "Net";
  call.count = count;
  call.failed = failed;
  call.bytes = 8 * count;
  return call;
}

TEST_CASE("rows are added up within a rank, whatever the communicator, and spread over ranks") {
  JobNcclSums sums;
  RankSets sets;
  for (const int64_t rank : {4, 6}) {
    NcclCall call = callOf("ncclSend", static_cast<uint64_t>(rank), 0);
    sums.add(call, 0);
    call.communicator = 1;
    call.in_group = true;
    call.failed = 1;
    sums.add(call, 0);
    sums.endRank(sets.addSlot(rank), rank);
    sums.addProcess({rank == 4 ? "2.29.7" : "2.27.5", {{}, {}}, {}}, rank);
  }
  sums.addProcess({"2.27.5", {}, {}}, std::nullopt);

  const std::optional<JobNccl> nccl = sums.take(sets);
  REQUIRE(nccl);
  CHECK(nccl->processes == 3);
  CHECK(nccl->communicators == 4);
  REQUIRE(nccl->versions.size() == 2);
  CHECK(nccl->versions[0].version == "2.27.5");
  CHECK(nccl->versions[0].ranks == RankRanges{{6, 6}});
  REQUIRE(nccl->calls.size() == 1);
  const RankedNcclCalls& calls = nccl->calls[0].calls;
  CHECK(calls.ranks == 2);
  CHECK(calls.count.sum == 20);
  CHECK(calls.count.min == 8);
  CHECK(calls.count.max_rank == 6);
  CHECK(calls.failed.sum == 2);
  CHECK(calls.bytes.max == 96);
  CHECK(sets.sets()[nccl->calls[0].rank_set] == RankRanges{{4, 4}, {6, 6}});
}

TEST_CASE("each part of the key makes another row") {
  JobNcclSums sums;
  RankSets sets;
  std::vector<NcclCall> different(6, callOf("ncclSend", 1, 0));
  different[1].function = "ncclRecv";
  different[2].op = "";
  different[3].module = "Engine";
  different[4].phase = Phase::kForward;
  different[5].dtype = "float32";
  for (const NcclCall& call : different) {
    sums.add(call, 0);
  }
  sums.add(different[0], 1);
  sums.add(different[0], std::nullopt);
  sums.addProcess({}, 0);
  sums.endRank(sets.addSlot(0), 0);
  CHECK(sums.take(sets)->calls.size() == 8);
}

TEST_CASE("without a process that called NCCL there is nothing") {
  RankSets sets;
  CHECK_FALSE(JobNcclSums().take(sets));
  const NcclTotals totals = ncclTotalsOf(sampleJob());
  CHECK(totals.compared.empty());
  CHECK(totals.beside.empty());
}

TEST_CASE("calls of collectives come first, by op and the group's name") {
  std::vector<JobNcclCall> calls(4);
  calls[0].function = "ncclSend";
  calls[1].op = "b";
  calls[1].group = 1;
  calls[2].op = "b";
  calls[2].group = 0;
  calls[3].op = "a";
  sortNcclCalls(calls, {{"tp", "", "", 0, {}, {}}, {"dp", "", "", 0, {}, {}}});
  CHECK(calls[0].op == "a");
  CHECK(calls[1].group == 1);
  CHECK(calls[2].group == 0);
  CHECK(calls[3].function == "ncclSend");
}

TEST_CASE("of a job as of its ranks: what was asked, what was called for it, and what was called beside") {
  const NcclTotals totals = ncclTotalsOf(ncclJob());
  REQUIRE(totals.compared.size() == 1); // the sample's backend is Gloo: no op but the one that came to NCCL
  const NcclComparison& op = totals.compared[0];
  CHECK(op.op == "c10d.allreduce_");
  CHECK(op.group == "default_pg");
  CHECK(op.asked == 4);
  CHECK(op.asked_bytes == 4 * 320);
  REQUIRE(op.called.size() == 1);
  CHECK(op.called[0].function == "ncclAllReduce");
  CHECK(op.called[0].amount == NcclAmount{5, 0, 5 * 320});
  REQUIRE(totals.beside.size() == 1);
  CHECK(totals.beside[0].module == "Engine");
  CHECK(totals.beside[0].amount == NcclAmount{8, 4, 256});
}

} // namespace
} // namespace commtap
