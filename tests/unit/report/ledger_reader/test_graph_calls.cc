// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/graph_calls.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("graph calls that differ only in size share an entry") {
  std::vector<GraphCollective> calls;
  const GraphCollective reduce{"MLP", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 2, 64};
  GraphCollective elsewhere = reduce;
  elsewhere.module = "Head";
  addGraphCall(calls, reduce);
  addGraphCall(calls, elsewhere);
  addGraphCall(calls, {"MLP", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 1, 4096});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].count == 3);
  CHECK(calls[0].bytes == 4160);
  CHECK(calls[1] == elsewhere);
}

TEST_CASE("equal graph calls of a launch share an entry with summed amounts") {
  std::vector<GraphNcclCall> calls;
  addGraphCall(calls, {"ncclAllReduce", 1, 1, 64});
  addGraphCall(calls, {"ncclAllReduce", 2, 1, 64});
  addGraphCall(calls, {"ncclAllReduce", 1, 3, 32});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].count == 4);
  CHECK(calls[0].bytes == 96);
  CHECK(calls[1].count == 1);
}

} // namespace
} // namespace commtap
