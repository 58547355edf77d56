// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/nccl.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("versions as nccl.h numbers them") {
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
  NcclCall failed = sampleNcclCall("ncclAllReduce", "c10d.allreduce_", "a", 1, 0);
  failed.failed = 1;
  std::vector<NcclCall> calls = {
      sampleNcclCall("ncclAllReduce", "c10d.allreduce_", "a", 2, 64),
      sampleNcclCall("ncclAllReduce", "", "a", 1, 8),
      failed};
  mergeEqualCalls(calls);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].count == 3);
  CHECK(calls[0].failed == 1);
  CHECK(calls[0].bytes == 64);
}

} // namespace
} // namespace commtap
