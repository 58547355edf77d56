// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/replica_split.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

Digest digest(double norm, double sum) {
  Digest made;
  made.squares = norm * norm;
  made.sums.fill(sum);
  return made;
}

TEST_CASE("bounds of rounding are those of the coarser of two dtypes, and grow with the steps") {
  CHECK(roundingBounds("float32", "", 1).values == 1e-6);
  CHECK(roundingBounds("float64", "", 1).gradients == 1e-4);
  CHECK(roundingBounds("float32", "bfloat16", 1).gradients == 0.1);
  CHECK(roundingBounds("bfloat16", "", 1).values == 0.05);
  CHECK(roundingBounds("float16", "", 1).gradients == 0.02);
  CHECK(roundingBounds("float32", "", 3000).values == doctest::Approx(1e-5));
  CHECK(roundingBounds("float32", "", 3000).gradients == 1e-4);
}

TEST_CASE("values apart are rounding if their gradients are as near as rounding leaves them") {
  const RoundingBounds bounds = roundingBounds("float32", "", 1);
  CHECK(isRounding(4e-7, std::nullopt, bounds));
  CHECK_FALSE(isRounding(2e-6, std::nullopt, bounds));
  CHECK(isRounding(4e-7, 5e-6, bounds));
  CHECK(isRounding(2e-5, 5e-6, bounds));       // an element whose gradient is its rounding
  CHECK_FALSE(isRounding(4e-7, 0.02, bounds)); // a tiny learning rate
  CHECK_FALSE(isRounding(0.01, 5e-6, bounds));
  CHECK_FALSE(isRounding(2e-5, 0.0, bounds));
}

TEST_CASE("without sums only a large difference of the norms is a distance") {
  CHECK(replicaDistance(digest(1, 2), digest(2, 1), true) == 0.5);
  CHECK(replicaDistance(digest(1, 2), digest(2, 1), false) == 0.5);
  CHECK_FALSE(replicaDistance(digest(1, 2), digest(1.05, 1), false));
  Digest broken = digest(1, 2);
  broken.has_non_finite = true;
  CHECK_FALSE(replicaDistance(broken, digest(1, 2), true));
}

RankTracks allOf(const ParameterTrack& track) {
  RankTracks ranks;
  for (const RankTrack& rank : track.ranks) {
    ranks.push_back(&rank);
  }
  return ranks;
}

/// Makes two ranks with one parameter, of which rank 1 has another gradient from step 3 on.
VerifyJob jobThatSplits() {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (uint64_t step = 1; step <= 5; ++step) {
    job.gradient("Net.w", static_cast<uint32_t>(step), step < 3 ? 0 : 100);
    job.step(step);
  }
  return job;
}

TEST_CASE("the first split is the first sample with other values, and names the last equal one") {
  VerifyJob job = jobThatSplits();
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0];
  const std::optional<ReplicaSplit> split = firstSplit(allOf(track), 0);
  REQUIRE(split);
  CHECK(split->step == 3);
  CHECK(split->before == 2U);
  CHECK(split->parts.size() == 2);
  CHECK(split->proof == ReplicaEvidence::kGradients);
  CHECK_FALSE(split->equal_again);
  const SplitDifference difference = differenceOf(*split, tracks.optimizerOf(track));
  CHECK(difference.cause == DifferenceCause::kGradients);
  CHECK(*difference.gradients > 0.5);
  CHECK(*difference.values > 0.01);
  CHECK_FALSE(difference.is_of_update);
  CHECK_FALSE(difference.has_noise_gradients);
}

TEST_CASE("ranks that are always equal have no split; equal gradients prove them replicas") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.gradient("Net.w", 5);
  job.step(1);
  const ParameterTracks tracks(job.processes());
  CHECK_FALSE(firstSplit(allOf(tracks.all()[0]), 0));
  CHECK(proofOf(allOf(tracks.all()[0]), 1) == ReplicaEvidence::kGradients);
  CHECK(proofOf(allOf(tracks.all()[0]), 0) == ReplicaEvidence::kNone);
}

TEST_CASE("two changes prove replicas, one does not, nor do changes of what is constant") {
  for (const bool is_constant : {false, true}) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    for (uint64_t step = 1; step <= 3; ++step) {
      job.onAll("Net.w", [&](VerifyJob::MadeParameter& made, int64_t) {
        made.value = is_constant ? std::vector<float>(8, static_cast<float>(step)) : noise(static_cast<uint32_t>(step));
      });
      job.step(step);
    }
    const ParameterTracks tracks(job.processes());
    const RankTracks ranks = allOf(tracks.all()[0]);
    CHECK(proofOf(ranks, 2) == ReplicaEvidence::kNone);
    CHECK(proofOf(ranks, 3) == (is_constant ? ReplicaEvidence::kNone : ReplicaEvidence::kChanges));
  }
}

TEST_CASE("ranks that are averaged are equal again, those that return to the old values are not") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.step(1);
  job.at(1, "Net.w").value = noise(2);
  job.step(2);
  job.at(1, "Net.w").value = noise(1);
  job.step(3);
  {
    const ParameterTracks tracks(job.processes());
    CHECK_FALSE(firstSplit(allOf(tracks.all()[0]), 0)->equal_again);
  }
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.value = noise(3); });
  job.step(4);
  const ParameterTracks tracks(job.processes());
  CHECK(firstSplit(allOf(tracks.all()[0]), 0)->equal_again == 3U);
}

TEST_CASE("the cause is a frozen rank, a missing gradient, another update, or another gradient") {
  const auto causeOf = [](const auto& change) {
    VerifyJob job(3);
    job.addOnAll("Net.w", noise(1));
    job.gradient("Net.w", 2);
    change(job);
    job.step(1);
    job.at(2, "Net.w").value = noise(9);
    job.step(2);
    const ParameterTracks tracks(job.processes());
    const ParameterTrack& track = tracks.all()[0];
    return differenceOf(*firstSplit(allOf(track), 1), tracks.optimizerOf(track));
  };
  const SplitDifference frozen = causeOf([](VerifyJob& job) { job.at(2, "Net.w").facts.requires_grad = false; });
  CHECK(frozen.cause == DifferenceCause::kFrozen);
  CHECK(frozen.cause_ranks == std::vector<int64_t>{2});
  const SplitDifference missing = causeOf([](VerifyJob& job) { job.at(2, "Net.w").gradient.reset(); });
  CHECK(missing.cause == DifferenceCause::kNoGradient);
  CHECK(missing.cause_ranks == std::vector<int64_t>{2});
  CHECK_FALSE(missing.gradients);
  CHECK(causeOf([](VerifyJob&) {}).cause == DifferenceCause::kUpdate);
  const SplitDifference partial = causeOf([](VerifyJob& job) { job.at(2, "Net.w").is_partial = true; });
  CHECK(partial.cause == DifferenceCause::kUnknown);
  CHECK_FALSE(partial.has_non_finite);
}

TEST_CASE("gradients far below the largest are noise, and infinite values are seen") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.addOnAll("Net.large", noise(2));
  job.step(1);
  job.gradient("Net.w", 3, 1);
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) {
    for (float& number : *made.gradient) {
      number *= 1e-7F;
    }
  });
  job.gradient("Net.large", 5);
  job.at(0, "Net.w").value[3] = INFINITY;
  job.step(2);
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0].name == "Net.w" ? tracks.all()[0] : tracks.all()[1];
  const SplitDifference difference = differenceOf(*firstSplit(allOf(track), 0), tracks.optimizerOf(track));
  CHECK(difference.has_noise_gradients);
  CHECK(difference.has_non_finite);
  CHECK(difference.cause_ranks == std::vector<int64_t>{0});
  CHECK_FALSE(difference.values);
}

TEST_CASE("the parts of a step are the ranks with equal values, most ranks first") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  job.at(0, "Net.w").value = noise(2);
  job.step(1, {2});
  const ParameterTracks tracks(job.processes());
  const std::vector<RankTracks> parts = partsAt(allOf(tracks.all()[0]), 0);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].size() == 2);
  CHECK(parts[0][0]->rank == 1);
  CHECK(parts[1][0]->rank == 0);
}

TEST_CASE("gradients that no optimizer uses are compared for equality alone") {
  for (const bool are_equal : {false, true}) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.is_in_optimizer = false; });
    job.step(1);
    job.at(1, "Net.w").value = noise(2);
    job.gradient("Net.w", 3, are_equal ? 0 : 1);
    job.step(2);
    const ParameterTracks tracks(job.processes());
    const ParameterTrack& track = tracks.all()[0];
    const std::optional<ReplicaSplit> split = firstSplit({track.of(0), track.of(1)}, 0);
    REQUIRE(split);
    const SplitDifference difference = differenceOf(*split, tracks.optimizerOf(track));
    CHECK(difference.gradients.has_value() == are_equal);
    CHECK(difference.cause == (are_equal ? DifferenceCause::kUpdate : DifferenceCause::kUnknown));
  }
}

TEST_CASE("what a job computes in says nothing of values whose gradients are equal") {
  CHECK(roundingBounds("float32", "bfloat16", 1).updates == 1e-6);
  CHECK(roundingBounds("bfloat16", "", 1).updates == 1e-4);
  CHECK(roundingBounds("float16", "", 3000).updates == doctest::Approx(1e-3));
  const RoundingBounds bounds = roundingBounds("bfloat16", "", 1);
  CHECK_FALSE(isRounding(0.005, 0.0, bounds));
  CHECK(isRounding(5e-5, 0.0, bounds)); // the last bit of a few numbers
  CHECK(isRounding(0.005, std::nullopt, bounds));
  CHECK(isRounding(0.005, 0.02, bounds));
}

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

SameGradient onlySameGradient(const ParameterTracks& tracks) {
  const ParameterTrack& track = tracks.all()[0];
  const std::vector<SameGradient> found = sameGradients(track, tracks.optimizerOf(track), {});
  REQUIRE(found.size() == 1);
  return found[0];
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
  const SameGradient same = onlySameGradient(tracks);
  CHECK(same.split.before == 0U);
  CHECK(same.split.step == 1);
  CHECK(same.split.parts.size() == 2);
  CHECK(same.split.parts[1].front()->rank == 1);
  CHECK_FALSE(same.is_declared);
  CHECK(same.difference.cause == DifferenceCause::kUpdate);
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
  const SameGradient same = onlySameGradient(tracks);
  CHECK_FALSE(same.split.before);
  CHECK(same.is_declared);
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
  const SameGradient same = onlySameGradient(tracks);
  CHECK(same.is_declared);
  CHECK_FALSE(same.split.before);
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
  const SameGradient same = onlySameGradient(tracks);
  CHECK(same.split.before == 0U);
  CHECK(same.split.step == 1);
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
  const SameGradient same = onlySameGradient(tracks);
  CHECK(same.split.before == 0U);
  CHECK(same.split.step == 1);
  CHECK(same.difference.cause == DifferenceCause::kNoGradient);
}

} // namespace
} // namespace commtap
