// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/odd_gradient.h"

#include <doctest/doctest.h>

#include <limits>

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

} // namespace
} // namespace commtap
