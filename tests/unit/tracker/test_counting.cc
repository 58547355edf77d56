// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/counting.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

/// Says how many ops the report has.
void sayOps(const Report& report) {
  uint64_t count = 0;
  for (const Operation& row : report.operations.value_or(std::vector<Operation>())) {
    count += row.count;
  }
  sayLine(std::to_string(count));
}

TEST_CASE_FIXTURE(TrackerFixture, "counting goes on with the options that the process started with") {
  const ChildResult child = runInTrackedChild([this] {
    setenv("COMMTAP_LEVEL", "ops", 1); // as a job may by os.environ
    setCounting(false);
    setCounting(true);
    at::zeros({2}).neg();
    sayOps(report());
  });
  CHECK(child.said == "0\n");
  CHECK(ProcessLedger::get().options().level == Level::kCollectives);
}

TEST_CASE_FIXTURE(TrackerFixture, "a level above collectives counts ops") {
  const ChildResult child = runInTrackedChild([this] {
    startOps(Level::kOps);
    at::zeros({2}).neg();
    sayOps(report());
  });
  CHECK(child.said != "0\n");
}

} // namespace
} // namespace commtap
