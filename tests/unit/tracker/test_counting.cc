// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/counting.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <cstdlib>
#include <string>

#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

TEST_CASE_FIXTURE(TrackerFixture, "counting goes on with the options that the process started with") {
  const ChildResult child = runInTrackedChild([this] {
    setenv("COMMTAP_LEVEL", "ops", 1); // as a job may by os.environ
    setCounting(false);
    setCounting(true);
    at::zeros({2}).neg();
    sayLine(report().operations ? "counts ops" : "counts collectives");
  });
  CHECK(child.said == "counts collectives\n");
  CHECK(ProcessLedger::get().options().level == Level::kCollectives);
}

TEST_CASE_FIXTURE(TrackerFixture, "a level above collectives counts ops") {
  const ChildResult child = runInTrackedChild([this] {
    startOps(Level::kOps);
    at::zeros({2}).neg();
    sayLine(report().operations ? "counts ops" : "counts collectives");
  });
  CHECK(child.said == "counts ops\n");
}

} // namespace
} // namespace commtap
