// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_nccl.h"

#include <doctest/doctest.h>

#include "report/merge/job_merge.h"
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

TEST_CASE("NCCL rows are added up over a rank's communicators and spread over ranks") {
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

TEST_CASE("each part of the key of an NCCL call makes another row") {
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

TEST_CASE("the job has no NCCL section if no process called NCCL") {
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

TEST_CASE("a job's totals have c10d collectives, the NCCL calls behind them, and the other calls") {
  const NcclTotals totals = ncclTotalsOf(ncclJob());
  REQUIRE(totals.compared.size() == 1); // the sample's backend is Gloo: only one op reached NCCL
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

Collective askedOf(const char* op, const char* group, uint64_t count, uint64_t bytes, Phase phase) {
  Collective made;
  made.op = op;
  made.group = group;
  made.count = count;
  made.bytes = bytes;
  made.phase = phase;
  return made;
}

Report reportOf(std::vector<NcclCall> calls, std::vector<Collective> collectives) {
  Report made;
  made.groups = {{"0", "dp", "nccl", 2, {}, 0, 0}, {"1", "cpu", "gloo", 2, {}, 0, 0}};
  made.nccl = Nccl{"2.29.7", {}, std::move(calls)};
  made.collectives = std::move(collectives);
  return made;
}

TEST_CASE("a job compares c10d collectives with NCCL calls, for one phase or all") {
  const Report first = reportOf(
      {sampleNcclCall("ncclSend", "c10d.alltoall_", "a", 4, 64),
       sampleNcclCall("ncclRecv", "c10d.alltoall_", "b", 4, 64),
       sampleNcclCall("ncclAllGather", "", "engine", 1, 16)},
      {askedOf("c10d.alltoall_", "0", 2, 100, Phase::kForward),
       askedOf("c10d.allreduce_", "0", 1, 8, Phase::kBackward),
       askedOf("c10d.allreduce_", "1", 5, 8, Phase::kForward)});
  const JobReport both = mergedJob({&first, &first});
  const NcclTotals totals = ncclTotalsOf(both);
  REQUIRE(totals.compared.size() == 2); // without the collectives on Gloo
  CHECK(totals.compared[0].op == "c10d.allreduce_");
  CHECK(totals.compared[0].called.empty());
  const NcclComparison& all_to_all = totals.compared[1];
  CHECK(all_to_all.group == "dp");
  CHECK(all_to_all.asked == 4);
  CHECK(all_to_all.asked_bytes == 200);
  REQUIRE(all_to_all.called.size() == 2);
  CHECK(all_to_all.called[0].function == "ncclRecv");
  CHECK(all_to_all.called[0].amount.count == 8);
  CHECK(all_to_all.called[0].amount.bytes == 128);
  REQUIRE(totals.beside.size() == 1);
  CHECK(totals.beside[0].module == "engine");
  CHECK(totals.beside[0].amount.count == 2);

  const NcclTotals backward = ncclTotalsOf(both, Phase::kBackward);
  REQUIRE(backward.compared.size() == 1);
  CHECK(backward.compared[0].asked == 2);
  CHECK(backward.beside.empty());
}

} // namespace
} // namespace commtap
