// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <doctest/doctest.h>

#include "tests/unit/report/advice/advice_samples.h"

namespace commtap {
namespace {

/// Adds a row of DTensor's all_reduces at Global.
Collective& addReduces(AdvisedJob& jobs, Phase phase, uint64_t calls, uint64_t bytes, const char* label) {
  Collective& row = jobs.add("Global", phase, Kind::kAllReduce, calls, bytes);
  row.op = "_c10d_functional.all_reduce";
  row.label = label;
  return row;
}

TEST_CASE("full_tensor of several tensors in every step is named with its calls") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kAllGather, 6, kMiB).label = "full_tensor";
  CHECK(jobs.rules() == Rules{"full_tensor_in_step"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(6));
}

TEST_CASE("full_tensor of one tensor per step, of all before the first step, or of all at the end, is not") {
  AdvisedJob one;
  one.add("Global", Phase::kOther, Kind::kAllGather, 1, kMiB).label = "full_tensor";
  CHECK(one.rules().empty());
  AdvisedJob before;
  Collective& row = before.add("Global", Phase::kOther, Kind::kAllGather, 6, kMiB);
  row.label = "full_tensor";
  row.setup = true;
  CHECK(before.rules().empty());
  AdvisedJob end;
  end.add("Global", Phase::kOther, Kind::kAllGather, 6, kMiB).label = "full_tensor";
  for (Step& step : end.report().steps) {
    step.collectives.back().count = step.first_step + 1 == AdvisedJob::kSteps ? 6 * AdvisedJob::kSteps : 0;
  }
  CHECK(end.rules().empty());
}

TEST_CASE("gradients that clipping reduces and the optimizer again are named with what the optimizer reduces") {
  AdvisedJob jobs;
  addReduces(jobs, Phase::kOther, 3, 3 * 256, "clip_grad_norm_");
  addReduces(jobs, Phase::kOptimizer, 9, 9 * 256, "");
  CHECK(jobs.rules() == Rules{"gradients_reduced_again"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(9));
  CHECK(jobs.advice()[0].rows.size() == 1);
}

TEST_CASE("an optimizer that reduces other tensors than clipping, or clipping that reduces norms, proves nothing") {
  for (const auto& [clipped, reduced] : {std::pair(3 * 8, 3 * 8), std::pair(3 * 256, 3 * 128)}) {
    AdvisedJob jobs;
    addReduces(jobs, Phase::kOther, 3, clipped, "clip_grad_norm_");
    addReduces(jobs, Phase::kOptimizer, 3, reduced, "");
    CHECK(jobs.rules().empty());
  }
  AdvisedJob alone;
  addReduces(alone, Phase::kOptimizer, 9, 9 * 256, "");
  CHECK(alone.rules().empty());
  AdvisedJob by_hand;
  addReduces(by_hand, Phase::kOther, 3, 3 * 256, "clip_grad_norm_");
  addReduces(by_hand, Phase::kOptimizer, 3, 3 * 256, "").op = "c10d.allreduce_";
  CHECK(by_hand.rules().empty());
}

} // namespace
} // namespace commtap
