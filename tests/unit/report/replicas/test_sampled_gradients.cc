// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/replica_split.h"

#include <limits>

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();

/// Samples three steps of three ranks. The gradient of rank 1 is not finite in the last one.
VerifyJob oddJob() {
  VerifyJob job(3);
  job.addOnAll("Net.w", noise(1));
  job.gradient("Net.w", 2);
  job.step(1);
  job.step(2);
  job.at(1, "Net.w").gradient->front() = std::numeric_limits<float>::infinity();
  job.step(3);
  return job;
}

RankTracks allRanksOf(const ParameterTrack& track) {
  return {track.of(0), track.of(1), track.of(2)};
}

TEST_CASE("a gradient that is not finite on some ranks is found, with the last sample without") {
  VerifyJob job = oddJob();
  const ParameterTracks tracks(job.processes());
  const std::optional<OddGradient> odd = firstOddGradient(allRanksOf(tracks.all()[0]), kAll);
  REQUIRE(odd);
  CHECK(odd->step == 2);
  CHECK(odd->before == 1U);
  CHECK(odd->finite.size() == 2);
  REQUIRE(odd->not_finite.size() == 1);
  CHECK(odd->not_finite[0]->rank == 1);
  CHECK_FALSE(firstOddGradient(allRanksOf(tracks.all()[0]), 1));
}

TEST_CASE("gradients that are not finite on all ranks, or that no optimizer uses, are none") {
  VerifyJob job = oddJob();
  for (ProcessSamples& process : job.processes()) {
    process.samples.back().rows[0].gradient.has_non_finite = true;
  }
  CHECK_FALSE(firstOddGradient(allRanksOf(ParameterTracks(job.processes()).all()[0]), kAll));
  VerifyJob frozen = oddJob();
  for (ProcessSamples& process : frozen.processes()) {
    process.parameters[0].is_in_optimizer = false;
  }
  CHECK_FALSE(firstOddGradient(allRanksOf(ParameterTracks(frozen.processes()).all()[0]), kAll));
}

TEST_CASE("equal gradients for other values are found at the first sample with them") {
  VerifyJob job(3);
  job.addOnAll("Net.w", noise(1));
  job.gradient("Net.w", 2);
  job.step(1);
  job.at(1, "Net.w").value = noise(3);
  job.step(2);
  job.step(3);
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0];
  const std::vector<SameGradient> found = sameGradients(track, tracks.optimizerOf(track), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].split.before == 0U);
  CHECK(found[0].split.step == 1);
  CHECK(found[0].split.parts.size() == 2);
  CHECK(found[0].split.parts[1].front()->rank == 1);
  CHECK_FALSE(found[0].is_declared);
  CHECK(found[0].difference.cause == DifferenceCause::kUpdate);
}

TEST_CASE("values that differ in the first sample were never equal") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t rank) {
    made.value = noise(static_cast<uint32_t>(rank));
    made.facts.ddp_ranks = {0, 1};
  });
  job.gradient("Net.w", 2);
  job.step(1);
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0];
  const std::vector<SameGradient> found = sameGradients(track, tracks.optimizerOf(track), {});
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].split.before);
  CHECK(found[0].is_declared);
}

TEST_CASE("constant gradients, rounding and other gradients are no proof") {
  VerifyJob job(2);
  job.addOnAll("Net.constant", noise(1));
  job.at(1, "Net.constant").value = noise(2);
  job.onAll("Net.constant", [](VerifyJob::MadeParameter& made, int64_t) { made.gradient = std::vector<float>(64, 1); });
  job.addOnAll("Net.rounded", noise(1));
  job.at(1, "Net.rounded").value = rounded(noise(1), 1e-7F, 3);
  job.gradient("Net.rounded", 4);
  job.addOnAll("Net.other", noise(1));
  job.at(1, "Net.other").value = noise(2);
  job.gradient("Net.other", 5, 1);
  job.step(1);
  const ParameterTracks tracks(job.processes());
  for (const ParameterTrack& track : tracks.all()) {
    CHECK_MESSAGE(sameGradients(track, tracks.optimizerOf(track), {}).empty(), track.name);
  }
}

TEST_CASE("a parameter that only one rank updates is declared: the others get its values from there") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.at(1, "Net.w").facts.is_in_optimizer = false;
  job.at(1, "Net.w").value = noise(3);
  job.gradient("Net.w", 2);
  job.sample(0, 1); // rank 1 does not sample it in the first step
  job.step(2);
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0];
  const std::vector<SameGradient> found = sameGradients(track, tracks.optimizerOf(track), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].is_declared);
  CHECK_FALSE(found[0].split.before);
}

/// Samples two ranks of a bfloat16 parameter, of which rank 1 moves by half in each step.
VerifyJob halfRateJob(bool rounds_at_first) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.dtype = "bfloat16"; });
  for (uint64_t step = 1; step <= 4; ++step) {
    job.gradient("Net.w", static_cast<uint32_t>(20 + step));
    if (rounds_at_first && step == 1) {
      job.at(1, "Net.w").gradient = rounded(noise(21), 1e-2F, 3);
    }
    job.sample(0, step);
    job.sample(1, step);
    job.update(0);
    std::vector<float>& gradient = *job.at(1, "Net.w").gradient;
    std::transform(gradient.begin(), gradient.end(), gradient.begin(), [](float each) { return each * 0.95F; });
    job.update(1);
  }
  return job;
}

TEST_CASE("bfloat16 hides no fault of updates whose gradients are always equal") {
  VerifyJob job = halfRateJob(false);
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0];
  const std::vector<SameGradient> found = sameGradients(track, tracks.optimizerOf(track), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].split.before == 0U);
  CHECK(found[0].split.step == 1);
  VerifyJob rounds = halfRateJob(true); // a gradient shows that the ranks round differently
  const ParameterTracks others(rounds.processes());
  CHECK(sameGradients(others.all()[0], others.optimizerOf(others.all()[0]), {}).empty());
}

TEST_CASE("the step of a fault is the first one in which the values differ") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.gradient("Net.w", 2);
  job.step(1);
  job.at(1, "Net.w").value[0] += 0.1F;
  job.at(1, "Net.w").gradient.reset();
  job.step(2);
  job.gradient("Net.w", 2);
  job.step(3);
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0];
  const std::vector<SameGradient> found = sameGradients(track, tracks.optimizerOf(track), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].split.before == 0U);
  CHECK(found[0].split.step == 1);
  CHECK(found[0].difference.cause == DifferenceCause::kNoGradient);
}

} // namespace

} // namespace commtap
