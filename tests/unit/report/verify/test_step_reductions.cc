// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/step_reductions.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_inputs.h"

namespace commtap {
namespace {

/// Returns the reductions of the first step of a job of two ranks whose gradients have 64 elements.
std::vector<StepReduction> reductionsOf(InputsJob& job) {
  job.step(1);
  const ParameterTracks tracks(job.processes());
  return stepSamples(tracks, job.facts()).at(0).reductions;
}

TEST_CASE("a reduction that all ranks of its group have sampled is compared") {
  InputsJob job(2);
  job.reduce("Net", {noise(1), noise(2)});
  const std::vector<StepReduction> reductions = reductionsOf(job);
  REQUIRE(reductions.size() == 1);
  CHECK(reductions[0].inputs.size() == 2);
  CHECK(reductions[0].group->title == "default_pg");
  CHECK_FALSE(reductions[0].isEqual());
}

TEST_CASE("a reduction that a rank lacks, or of a group that no report has, is not compared") {
  InputsJob job(2);
  job.reduce("Net", {noise(1), noise(2)});
  job.pending(1).clear();
  CHECK(reductionsOf(job).empty());
  InputsJob other(2);
  other.reduce("Net", {noise(1), noise(2)});
  other.pending(0)[0].group = other.pending(1)[0].group = "unknown";
  CHECK(reductionsOf(other).empty());
}

TEST_CASE("a call outside of backward is one of gradients if a rank knows it from memory") {
  InputsJob job(2);
  job.reduce("Global", {noise(1), noise(2)});
  job.pending(0)[0].is_gradient = false;
  CHECK(reductionsOf(job).size() == 1);
}

TEST_CASE("calls of unknown memory are buckets if they have as many elements as the gradients, else statistics") {
  InputsJob job(2);
  for (const size_t elements : {10, 40, 24, 7}) {
    job.reduce("Global", {noise(1, elements), noise(2, elements)});
    job.pending(0).back().is_gradient = job.pending(1).back().is_gradient = false;
  }
  const std::vector<StepReduction> reductions = reductionsOf(job);
  REQUIRE(reductions.size() == 2);
  CHECK(reductions[0].first().elements == 40);
  CHECK(reductions[1].first().elements == 24);
}

TEST_CASE("equal inputs mean something if they are finite and no constant") {
  InputsJob job(2);
  job.reduce("equal", {noise(1), noise(1)});
  job.reduce("zeros", {std::vector<float>(64), std::vector<float>(64)});
  std::vector<float> bad = noise(1);
  bad[3] = INFINITY;
  job.reduce("bad", {bad, bad});
  const std::vector<StepReduction> reductions = reductionsOf(job);
  REQUIRE(reductions.size() == 3);
  CHECK(reductions[0].isEqual());
  CHECK_FALSE(reductions[1].isEqual());
  CHECK(isZero(reductions[1].first().input));
  CHECK_FALSE(reductions[2].isEqual());
  CHECK_FALSE(isZero(reductions[2].first().input));
}

TEST_CASE("what was compared is counted: rows on ranks whose gradients are reduced") {
  InputsJob job(2);
  job.reduce("Net", {noise(1), noise(2)});
  job.read({{1, 2, 3}, {4, 5, 6}});
  job.step(1);
  job.step(2);
  const ParameterTracks tracks(job.processes());
  const ComparedInputs compared = comparedInputs(stepSamples(tracks, job.facts()));
  CHECK(compared.reductions == 1);
  CHECK(compared.rows == 6);
}

} // namespace
} // namespace commtap
