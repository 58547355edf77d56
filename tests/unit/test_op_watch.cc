// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/op_watch.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/unit/tracker_fixture.h"
#include "tracker/recorder.h"
#include "tracker/scopes.h"

namespace commtap {
namespace {

void note(const commtap_op* op, void* context) {
  static_cast<std::vector<std::string>*>(context)->push_back(std::string(op->phase) + " " + op->name);
  at::ones({1}); // its own ops are none of the job's
}

TEST_CASE_FIXTURE(TrackerFixture, "the callback hears of every op on every thread, until it is taken out") {
  std::vector<std::string> heard;
  setOpCallback(note, &heard);
  const at::Tensor x = at::zeros({2});
  heard.clear();
  x.neg();
  std::thread([&] { x.abs(); }).join();
  setOpCallback(nullptr, nullptr);
  x.neg();
  CHECK(heard == std::vector<std::string>{"other aten::neg", "other aten::abs"});
}

TEST_CASE_FIXTURE(TrackerFixture, "a level counts ops by module and phase, and what a compiler traces is none") {
  const at::Tensor x = at::zeros({2});
  const at::Tensor traced = at::empty({2}, at::TensorOptions().device(at::kMeta));
  REQUIRE(Recorder::get().ledger().countOperations(Level::kOps));
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
  std::vector<Operation> counted;
  for (const Operation& row : report().operations.value()) {
    if (row.module == "counted") {
      counted.push_back(row);
    }
    CHECK_FALSE((row.module == "Global" && row.op == "aten.neg"));
  }
  REQUIRE(counted.size() == 2);
  CHECK(counted[0] == Operation{"counted", counted[0].phase, "aten.cat", false, 1});
  CHECK(counted[1] == Operation{"counted", counted[1].phase, "aten.neg", false, 2});
}

} // namespace
} // namespace commtap
