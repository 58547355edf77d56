// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/nccl.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

NcclCall call(const char* function, const char* op, const char* module, uint64_t count, uint64_t bytes) {
  NcclCall made;
  made.function = function;
  made.op = op;
  made.group = made.op.empty() ? "" : "0";
  made.module = module;
  made.phase = Phase::kForward;
  made.count = count;
  made.bytes = bytes;
  return made;
}

Collective asked(const char* op, const char* group, uint64_t count, uint64_t bytes, Phase phase) {
  Collective made;
  made.op = op;
  made.group = group;
  made.count = count;
  made.bytes = bytes;
  made.phase = phase;
  return made;
}

Report report(std::vector<NcclCall> calls, std::vector<Collective> collectives) {
  Report made;
  made.groups = {{"0", "dp", "nccl", 2, {}, 0, 0}, {"1", "cpu", "gloo", 2, {}, 0, 0}};
  made.nccl = Nccl{"2.29.7", {}, std::move(calls)};
  made.collectives = std::move(collectives);
  return made;
}

TEST_CASE("ncclVersionText decodes the version codes of nccl.h") {
  CHECK(ncclVersionText(22907) == "2.29.7");
  CHECK(ncclVersionText(23100) == "2.31.0");
  CHECK(ncclVersionText(2708) == "2.7.8");
  CHECK(ncclVersionText(1).empty());
}

TEST_CASE("an unknown NCCL datatype has no name and size 0") {
  CHECK(ncclDatatypeName(9) == "bfloat16");
  CHECK(ncclDatatypeSize(5) == 8);
  CHECK(ncclDatatypeName(0xff).empty());
  CHECK(ncclDatatypeSize(12) == 0);
}

TEST_CASE("mergeEqualCalls merges rows that differ only in module id") {
  NcclCall failed = call("ncclAllReduce", "c10d.allreduce_", "a", 1, 0);
  failed.failed = 1;
  std::vector<NcclCall> calls = {
      call("ncclAllReduce", "c10d.allreduce_", "a", 2, 64), call("ncclAllReduce", "", "a", 1, 8), failed};
  mergeEqualCalls(calls);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].count == 3);
  CHECK(calls[0].failed == 1);
  CHECK(calls[0].bytes == 64);
}

TEST_CASE("ncclTotalsOf pairs the collectives of an op with their NCCL calls") {
  const Report first = report(
      {call("ncclSend", "c10d.alltoall_", "a", 4, 64),
       call("ncclRecv", "c10d.alltoall_", "b", 4, 64),
       call("ncclAllGather", "", "engine", 1, 16)},
      {asked("c10d.alltoall_", "0", 2, 100, Phase::kForward),
       asked("c10d.allreduce_", "0", 1, 8, Phase::kBackward),
       asked("c10d.allreduce_", "1", 5, 8, Phase::kForward)});
  const std::vector<const Report*> both = {&first, &first};

  const NcclTotals totals = ncclTotalsOf(both, std::nullopt);
  REQUIRE(totals.compared.size() == 2); // the ops of Gloo groups are not compared
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
