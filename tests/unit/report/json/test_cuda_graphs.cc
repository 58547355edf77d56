// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/cuda_graphs.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("calls that differ in sizes alone are one") {
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

} // namespace
} // namespace commtap
