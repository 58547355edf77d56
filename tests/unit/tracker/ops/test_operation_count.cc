// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/ops/op_observer.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"
#include "tracker/modules/module_hook.h"

namespace commtap {
namespace {

TEST_CASE_FIXTURE(TrackerFixture, "a level counts ops by module and phase, without those that a compiler traces") {
  const at::Tensor x = at::zeros({2});
  const at::Tensor traced = at::empty({2}, at::TensorOptions().device(at::kMeta));
  REQUIRE(ProcessLedger::ledger().countOperations(Level::kOps));
  setOpLevel(Level::kOps);
  pushScope("counted");
  x.neg();
  x.neg();
  at::cat({x, x});
  traced.neg();
  at::cat({traced, traced});
  REQUIRE(popScope());
  setOpLevel(Level::kDtensor);
  x.neg();
  setOpLevel(Level::kCollectives);
  x.neg();
  uint64_t negs = 0;
  uint64_t cats = 0;
  const Report now = report();
  for (const Operation& row : now.operations.value()) {
    if (row.op == "aten.neg") {
      CHECK(row == Operation{"counted", Phase::kForward, "aten.neg", false, 2});
      negs += row.count;
    }
    cats += row.op == "aten.cat" ? row.count : 0;
  }
  CHECK(negs == 2);
  CHECK(cats == 1);
}

} // namespace
} // namespace commtap
