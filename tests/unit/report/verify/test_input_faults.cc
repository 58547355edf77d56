// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <doctest/doctest.h>

#include "report/verify/verification.h"
#include "tests/unit/verify_inputs.h"

namespace commtap {
namespace {

std::vector<FoundFault> faultsOfInputs(InputsJob& job) {
  const ParameterTracks tracks(job.processes());
  return inputFaults(stepSamples(tracks, job.facts()), tracks);
}

std::vector<float> times(std::vector<float> numbers, float factor) {
  for (float& number : numbers) {
    number *= factor;
  }
  return numbers;
}

std::vector<float> mean(const std::vector<float>& one, const std::vector<float>& other) {
  std::vector<float> sum = one;
  std::transform(one.begin(), one.end(), other.begin(), sum.begin(), [](float a, float b) { return (a + b) / 2; });
  return sum;
}

TEST_CASE("an average that is reduced again is a warning with both places") {
  InputsJob job(2);
  const std::vector<float> average = mean(noise(1), noise(2));
  job.reduce("Net", {noise(1), noise(2)});
  job.reduce("Net.w", {average, average});
  job.step(1);
  const std::vector<FoundFault> faults = faultsOfInputs(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kReducedTwice);
  CHECK(faults[0].finding.severity == VerifySeverity::kWarning);
  CHECK(faults[0].finding.modules == std::vector<std::string>{"Net"});
  CHECK(faults[0].finding.group == "default_pg");
  CHECK(faults[0].parameter == "Net.w");
  CHECK(faults[0].parts == RankParts{{0, 1}});
}

TEST_CASE("a part of a bucket that is reduced again is below the bucket's module") {
  InputsJob job(2);
  job.reduce("Net", {noise(1, 128), noise(2, 128)});
  job.reduce("Net.w", {noise(5), noise(5)});
  job.reduce("Other.w", {noise(6), noise(6)});
  job.step(1);
  const std::vector<FoundFault> faults = faultsOfInputs(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].parameter == "Net.w");
}

TEST_CASE("equal inputs that no earlier reduction has made are not reduced twice") {
  InputsJob job(2);
  job.reduce("Net.a", {noise(1), noise(2)});
  job.reduce("Net.b", {noise(5), noise(5)});
  job.reduce("Net.c", {noise(3), noise(4)});
  job.step(1);
  CHECK(faultsOfInputs(job).empty());
}

TEST_CASE("gradients that are reduced in each of several backward passes are well") {
  InputsJob job(2);
  const std::vector<float> average = mean(noise(1), noise(2));
  job.reduce("Net", {noise(1), noise(2)});
  job.reduce("Net", {mean(average, noise(3)), mean(average, noise(4))});
  job.step(1);
  CHECK(faultsOfInputs(job).empty());
}

/// A step in which the second rank has a NaN before the reduction, and all have it after.
void addBadStep(InputsJob& job, bool reaches_values) {
  std::vector<float> bad = noise(2);
  bad[0] = NAN;
  job.reduce("Net", {noise(1), bad});
  if (reaches_values) {
    job.job().onAll("Net.w", [&](VerifyJob::MadeParameter& made, int64_t) { made.gradient = bad; });
  }
  job.step(2);
}

TEST_CASE("the rank that puts a NaN into a reduction is the source, and the run is wrong if values become so") {
  InputsJob job(2);
  job.reduce("Net", {noise(1), noise(2)});
  job.step(1);
  addBadStep(job, true);
  job.step(3);
  const std::vector<FoundFault> faults = faultsOfInputs(job);
  REQUIRE(faults.size() == 1);
  const VerifyFinding& finding = faults[0].finding;
  CHECK(finding.what == VerifyClass::kSourceOfNan);
  CHECK(finding.severity == VerifySeverity::kError);
  CHECK(finding.before == 1U);
  CHECK(finding.step == 2U);
  CHECK(finding.cause_ranks == RankRanges{{1, 1}});
  CHECK(faults[0].parameter == "Net.w");
  CHECK(verify(job.processes(), job.facts()).status == VerifyStatus::kWrong);
}

TEST_CASE("a NaN that a loss scaler keeps from the values is a note; on all ranks it is none") {
  InputsJob job(2);
  addBadStep(job, false);
  job.step(3);
  const std::vector<FoundFault> faults = faultsOfInputs(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.severity == VerifySeverity::kNote);
  InputsJob all(2);
  const std::vector<float> bad(64, INFINITY);
  all.reduce("Net", {bad, bad});
  all.step(1);
  all.step(2);
  CHECK(faultsOfInputs(all).empty());
}

TEST_CASE("a NaN with which the last sampled step begins is a warning") {
  InputsJob job(2);
  job.reduce("Net", {noise(1), noise(2)});
  job.step(1);
  addBadStep(job, true);
  const std::vector<FoundFault> faults = faultsOfInputs(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.severity == VerifySeverity::kWarning);
  CHECK(faults[0].finding.cause_ranks == RankRanges{{1, 1}});
}

TEST_CASE("values that are not finite on all ranks are never well") {
  InputsJob job(2);
  job.job().onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.value[0] = NAN; });
  job.step(1);
  job.step(2);
  const std::vector<FoundFault> faults = faultsOfInputs(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.severity == VerifySeverity::kError);
  CHECK(faults[0].finding.cause_ranks.empty());
}

TEST_CASE("a rank that puts zeros into all reductions of all steps is a warning, of one step a note") {
  InputsJob always(3);
  InputsJob once(3);
  const std::vector<float> zeros(64);
  for (uint64_t step = 1; step <= 3; ++step) {
    always.reduce("Net", {noise(1), zeros, noise(2)});
    always.step(step);
    once.reduce("Net", {noise(1), step == 2 ? zeros : noise(3), noise(2)});
    once.step(step);
  }
  const std::vector<FoundFault> faults = faultsOfInputs(always);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kNoContribution);
  CHECK(faults[0].finding.severity == VerifySeverity::kWarning);
  CHECK(faults[0].finding.step == 1U);
  CHECK(faults[0].finding.cause_ranks == RankRanges{{1, 1}});
  CHECK(faults[0].parts == RankParts{{0, 2}, {1}});
  const std::vector<FoundFault> notes = faultsOfInputs(once);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].finding.severity == VerifySeverity::kNote);
  CHECK(notes[0].finding.step == 2U);
}

TEST_CASE("a rank with zeros in some reductions of a step, or with others, contributes") {
  InputsJob job(2);
  const std::vector<float> zeros(64);
  for (uint64_t step = 1; step <= 3; ++step) {
    job.reduce("Net.expert", {noise(1), zeros});
    job.reduce("Net", {noise(1), noise(2)});
    job.reduce("Net.unused", {zeros, zeros});
    job.step(step);
  }
  CHECK(faultsOfInputs(job).empty());
}

TEST_CASE("norms that are always many times as large on a rank are a note") {
  InputsJob job(3);
  InputsJob healthy(3);
  for (uint32_t step = 1; step <= 3; ++step) {
    job.reduce("Net", {noise(step), times(noise(step + 9), 100), noise(step + 5)});
    job.step(step);
    healthy.reduce("Net", {noise(step), times(noise(step + 9), step == 2 ? 100 : 8), noise(step + 5)});
    healthy.step(step);
  }
  const std::vector<FoundFault> faults = faultsOfInputs(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kOtherSize);
  CHECK(faults[0].finding.cause_ranks == RankRanges{{1, 1}});
  CHECK(faults[0].finding.ratio.value_or(0) > 50);
  CHECK(faultsOfInputs(healthy).empty());
}

TEST_CASE("inputs that grow with each step and become more alike are a note, if they do both") {
  for (const bool grows : {true, false}) {
    for (const bool is_shared : {true, false}) {
      InputsJob job(2);
      std::vector<float> before(64);
      for (uint32_t step = 1; step <= 5; ++step) {
        const float size = grows ? static_cast<float>(step) : 1;
        const std::vector<float> shared = times(noise(9), is_shared ? 2 * size : 0);
        const float own = is_shared ? 1 : size;
        job.reduce("Net", {mean(shared, times(noise(10 + step), own)), mean(shared, times(noise(20 + step), own))});
        job.step(step);
      }
      const std::vector<FoundFault> faults = faultsOfInputs(job);
      REQUIRE(faults.size() == (grows && is_shared ? 1 : 0));
      if (!faults.empty()) {
        CHECK(faults[0].finding.what == VerifyClass::kGrowingGradient);
        CHECK(faults[0].finding.severity == VerifySeverity::kNote);
        CHECK(faults[0].finding.last_step == 5U);
        CHECK(*faults[0].finding.ratio > 2);
      }
    }
  }
}

} // namespace
} // namespace commtap
