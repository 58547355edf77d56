// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

/// Returns the verdict on the first split of the parameter "Net.a.w", unless it counts only next to another one.
std::optional<SplitVerdict> verdictOn(VerifyJob& job, const JobFacts& facts, size_t in_step = 0) {
  const ParameterTracks tracks(job.processes());
  RankPartsFacts parts(tracks, facts);
  for (const ParameterTrack& track : tracks.all()) {
    if (track.name == "Net.a.w") {
      const std::vector<ReplicaSet> sets = replicaSetsOf(track, facts);
      const std::optional<ReplicaSplit> split = firstSplit(sets.at(0).members, 0);
      REQUIRE(split);
      for (size_t i = 0; i < in_step; ++i) {
        parts.addInStep(sets[0].members);
      }
      parts.addSplit(split->parts);
      parts.addSplit(split->parts);
      const SampledOptimizer& optimizer = tracks.optimizerOf(track);
      const auto verdict =
          classOf({&track, sets.data(), *split, differenceOf(*split, optimizer)}, optimizer, parts, facts);
      return verdict && isFollower(verdict->severity, verdict->what) ? std::nullopt : verdict;
    }
  }
  return std::nullopt;
}

/// Makes two ranks whose "Net.a.w" starts equal and has other gradients. `change` is called before the first step.
template <typename Change>
VerifyJob splitJob(const std::vector<float>& start, const Change& change) {
  VerifyJob job(2);
  job.addOnAll("Net.a.w", start);
  job.gradient("Net.a.w", 5, 1);
  change(job);
  job.step(1);
  job.step(2);
  return job;
}
VerifyJob splitJob() {
  return splitJob(noise(1), [](VerifyJob&) {});
}

const std::vector<float> kOnes(64, 1);

TEST_CASE("declared replicas that go apart are an error") {
  VerifyJob job = splitJob(kOnes, [](VerifyJob& made) {
    made.at(0, "Net.a.w").facts.ddp_ranks = made.at(1, "Net.a.w").facts.ddp_ranks = {0, 1};
  });
  const std::optional<SplitVerdict> verdict = verdictOn(job, {});
  REQUIRE(verdict);
  CHECK(verdict->severity == VerifySeverity::kError);
  CHECK(verdict->what == VerifyClass::kDeclared);
}

TEST_CASE("parameters of DDP whose ranks communicate no more are trained without it") {
  for (const bool communicates : {false, true}) {
    VerifyJob job = splitJob(noise(1), [](VerifyJob& made) {
      made.at(0, "Net.a.w").facts.ddp_ranks = made.at(1, "Net.a.w").facts.ddp_ranks = {0, 1};
    });
    JobFacts facts;
    for (const int64_t rank : {0, 1}) {
      facts.groups[{rank, "world"}] = {{0, 1}, "default_pg"};
      std::vector<Sample>& samples = job.processes()[static_cast<size_t>(rank)].samples;
      samples[0].groups = {{"world", 7}};
      samples[1].groups = {{"world", communicates ? 8U : 7U}};
    }
    const std::optional<SplitVerdict> verdict = verdictOn(job, facts);
    REQUIRE(verdict);
    CHECK(verdict->severity == (communicates ? VerifySeverity::kError : VerifySeverity::kWarning));
    CHECK(verdict->what == (communicates ? VerifyClass::kDeclared : VerifyClass::kSeparate));
  }
}

/// Returns a job whose ranks have one gradient in the first step, and others after it.
VerifyJob jobOfTwoGradients() {
  VerifyJob job(2);
  job.addOnAll("Net.a.w", noise(1));
  job.gradient("Net.a.w", 2);
  job.step(1);
  job.gradient("Net.a.w", 3, 1);
  job.step(2);
  job.step(3);
  return job;
}

TEST_CASE("ranks without a common collective train a model each, though their first gradients are equal") {
  VerifyJob job = jobOfTwoGradients();
  JobFacts facts;
  facts.has_rows = true;
  facts.collectives = {{0, 1}};
  CHECK(verdictOn(job, facts)->severity == VerifySeverity::kError);
  facts.collectives = {{0, 2}, {1, 3}};
  CHECK(verdictOn(job, facts)->severity == VerifySeverity::kWarning);
  CHECK(verdictOn(job, facts)->what == VerifyClass::kSeparate);
}

TEST_CASE("replicas whose gradients differ are a warning if the optimizer's step reduces over their ranks") {
  VerifyJob job = jobOfTwoGradients();
  JobFacts facts;
  CHECK(verdictOn(job, facts)->severity == VerifySeverity::kError);
  facts.averages = {{{{0, 1}}, {}}};
  CHECK(verdictOn(job, facts)->severity == VerifySeverity::kWarning);
  CHECK(verdictOn(job, facts)->what == VerifyClass::kDrift);
  facts.averages = {{{{0, 2}}, {}}};
  CHECK(verdictOn(job, facts)->severity == VerifySeverity::kError);
}

TEST_CASE("declared replicas that differ from the start were never equal") {
  VerifyJob job = splitJob(noise(1), [](VerifyJob& made) {
    made.at(0, "Net.a.w").facts.ddp_ranks = made.at(1, "Net.a.w").facts.ddp_ranks = {0, 1};
    made.at(1, "Net.a.w").value = noise(2);
  });
  CHECK(verdictOn(job, {})->what == VerifyClass::kNeverEqual);
}

TEST_CASE("proven replicas that go apart have drifted") {
  VerifyJob job = jobOfTwoGradients();
  CHECK(verdictOn(job, {})->what == VerifyClass::kDrift);
  CHECK(verdictOn(job, {})->severity == VerifySeverity::kError);
}

TEST_CASE("values as far apart as rounding brings them are a note, whatever declares them") {
  VerifyJob job(2);
  job.addOnAll("Net.a.w", noise(1));
  job.gradient("Net.a.w", 2);
  job.onAll("Net.a.w", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.ddp_ranks = {0, 1}; });
  job.at(1, "Net.a.w").gradient = rounded(noise(2), 1e-6F, 3);
  job.step(1);
  job.step(2);
  CHECK(verdictOn(job, {})->what == VerifyClass::kRounding);
  CHECK(verdictOn(job, {})->severity == VerifySeverity::kNote);
}

TEST_CASE("ranks that are averaged later are periodic") {
  VerifyJob job = splitJob(noise(1), [](VerifyJob& made) {
    made.at(0, "Net.a.w").facts.ddp_ranks = made.at(1, "Net.a.w").facts.ddp_ranks = {0, 1};
  });
  job.onAll("Net.a.w", [](VerifyJob::MadeParameter& made, int64_t) { made.value = noise(9); });
  job.step(3);
  CHECK(verdictOn(job, {})->what == VerifyClass::kPeriodic);
  CHECK(verdictOn(job, {})->severity == VerifySeverity::kNote);
  JobFacts facts;
  facts.has_rows = true;
  CHECK(verdictOn(job, facts)->severity == VerifySeverity::kWarning);
  facts.mixes = {{0, 1}};
  CHECK(verdictOn(job, facts)->severity == VerifySeverity::kNote);
}

TEST_CASE("values that no optimizer has and that differ once were brought wrongly, if they are trained") {
  for (const bool has_gradient : {true, false}) {
    VerifyJob job(2);
    job.addOnAll("Net.a.w", noise(1));
    for (uint32_t step = 1; step <= 5; ++step) {
      job.onAll("Net.a.w", [&](VerifyJob::MadeParameter& made, int64_t rank) {
        made.facts.is_in_optimizer = false;
        made.value = noise(step == 4 && rank == 1 ? 50 : step);
        made.gradient.reset();
        if (has_gradient) {
          made.gradient = noise(100 * step + static_cast<uint32_t>(rank));
        }
      });
      job.step(step);
    }
    CHECK(verdictOn(job, {})->what == VerifyClass::kPeriodic);
    CHECK((verdictOn(job, {})->severity == VerifySeverity::kWarning) == has_gradient);
  }
}

TEST_CASE("a DistributedDataParallel over one rank is named where its parameters go apart") {
  VerifyJob job = splitJob(noise(1), [](VerifyJob& made) {
    made.onAll("Net.a.w", [](VerifyJob::MadeParameter& each, int64_t rank) { each.facts.ddp_ranks = {rank}; });
  });
  CHECK(verdictOn(job, {})->what == VerifyClass::kLoneReductions);
  CHECK(verdictOn(job, {})->severity == VerifySeverity::kWarning);
}

TEST_CASE("noise is no verdict") {
  VerifyJob job = splitJob(noise(1), [](VerifyJob& made) {
    made.addOnAll("Net.b", noise(3));
    made.gradient("Net.b", 4);
    made.onAll("Net.a.w", [](VerifyJob::MadeParameter& each, int64_t rank) {
      each.facts.ddp_ranks = {0, 1};
      each.gradient = std::vector<float>(64, rank == 0 ? 1e-9F : 2e-9F);
    });
  });
  job.at(1, "Net.a.w").value = noise(7); // as Adam makes of such a gradient
  job.step(3);
  CHECK_FALSE(verdictOn(job, {}));
}

TEST_CASE("infinite values of some replicas are an error") {
  VerifyJob job(2);
  job.addOnAll("Net.a.w", noise(1));
  job.gradient("Net.a.w", 2);
  job.step(1);
  job.at(1, "Net.a.w").value[0] = INFINITY;
  job.step(2);
  CHECK(verdictOn(job, {})->what == VerifyClass::kNonFinite);
  CHECK(verdictOn(job, {})->severity == VerifySeverity::kError);
}

TEST_CASE("without any proof, two models are a warning, and constants are none") {
  VerifyJob job = splitJob();
  CHECK(verdictOn(job, {})->what == VerifyClass::kSeparate);
  CHECK(verdictOn(job, {})->severity == VerifySeverity::kWarning);
  VerifyJob ones = splitJob(kOnes, [](VerifyJob&) {});
  CHECK_FALSE(verdictOn(ones, {}));
}

TEST_CASE("next to replicas, or made equal, what goes apart is unproven") {
  VerifyJob beside = splitJob();
  CHECK(verdictOn(beside, {}, 1)->what == VerifyClass::kUnproven);
  VerifyJob ones = splitJob(kOnes, [](VerifyJob&) {});
  CHECK(verdictOn(ones, {}, 1)->what == VerifyClass::kUnproven);
  VerifyJob made_equal = splitJob(noise(1), [](VerifyJob& made) {
    made.addOnAll("Net.shard", noise(3));
    made.at(1, "Net.shard").value = noise(4);
  });
  CHECK(verdictOn(made_equal, {})->what == VerifyClass::kUnproven);
}

TEST_CASE("a constant whose sibling differs at the start is a part of a shard") {
  VerifyJob job = splitJob(kOnes, [](VerifyJob& made) {
    made.addOnAll("Net.a.sibling", noise(3));
    made.at(1, "Net.a.sibling").value = noise(4);
  });
  CHECK_FALSE(verdictOn(job, {}, 1));
}

TEST_CASE("stages of a pipeline go apart, unless most parameters are in step") {
  JobFacts facts;
  facts.messages = {{0, 1}};
  VerifyJob job = splitJob();
  CHECK_FALSE(verdictOn(job, facts, 1));
  CHECK(verdictOn(job, facts, 2)->what == VerifyClass::kUnproven);
  VerifyJob tied = splitJob(noise(1), [](VerifyJob& made) {
    made.addOnAll("Net.layer", noise(3));
    made.at(1, "Net.layer").value = noise(4);
  });
  CHECK(verdictOn(tied, facts)->what == VerifyClass::kUnproven);
}

TEST_CASE("experts that start equal go apart, a router that was made equal is unproven") {
  JobFacts facts;
  facts.all_to_all_modules = {"Net"};
  facts.exchanges = {{0, 1}};
  VerifyJob experts = splitJob();
  CHECK(verdictOn(experts, facts, 1)->what == VerifyClass::kExperts);
  CHECK(verdictOn(experts, facts, 1)->severity == VerifySeverity::kNote);
  VerifyJob router = splitJob(noise(1), [](VerifyJob& made) {
    made.addOnAll("Net.expert", noise(3));
    made.at(1, "Net.expert").value = noise(4);
  });
  CHECK(verdictOn(router, facts)->what == VerifyClass::kUnproven);
  VerifyJob norms = splitJob(kOnes, [](VerifyJob&) {});
  CHECK_FALSE(verdictOn(norms, facts, 1));
  facts.exchanges = {{0, 2}, {1, 3}}; // the ranks have the same experts
  CHECK(verdictOn(norms, facts, 1)->what == VerifyClass::kUnproven);
  facts.exchanges = {{0, 1}};
  VerifyJob marked = splitJob(noise(1), [](VerifyJob& made) {
    made.at(0, "Net.a.w").facts.allreduce = made.at(1, "Net.a.w").facts.allreduce = false;
  });
  CHECK_FALSE(verdictOn(marked, {}, 1));
}

TEST_CASE("a parameter without an optimizer that changes on one rank is its copy") {
  VerifyJob job = splitJob(noise(1), [](VerifyJob& made) {
    made.onAll("Net.a.w", [](VerifyJob::MadeParameter& each, int64_t rank) {
      each.facts.is_in_optimizer = false;
      if (rank == 1) {
        each.gradient.reset();
      }
    });
  });
  CHECK(verdictOn(job, {}, 1)->what == VerifyClass::kRankCopy);
}

TEST_CASE("without the sums of the samples, replicas that differ are unmeasured") {
  VerifyJob job(2);
  job.addOnAll("Net.a.w", noise(1));
  job.onAll("Net.a.w", [](VerifyJob::MadeParameter& made, int64_t) {
    made.facts.ddp_ranks = {0, 1};
    made.has_sums = false;
  });
  job.step(1);
  job.at(1, "Net.a.w").value[0] += 0.01F;
  job.step(2);
  CHECK(verdictOn(job, {})->what == VerifyClass::kUnmeasured);
}

/// Samples two ranks of a bfloat16 parameter that no optimizer has; rank 0 changes it slightly in each step.
std::optional<SplitVerdict> verdictOnBfloat(bool other_changes) {
  VerifyJob job(2);
  job.addOnAll("Net.a.w", noise(1));
  job.onAll("Net.a.w", [](VerifyJob::MadeParameter& made, int64_t) {
    made.facts.dtype = "bfloat16";
    made.facts.is_in_optimizer = false;
  });
  for (uint32_t step = 1; step <= 4; ++step) {
    job.onAll("Net.a.w", [step, other_changes](VerifyJob::MadeParameter& made, int64_t rank) {
      made.gradient = noise(static_cast<uint32_t>(10 * step + rank));
      made.value = rank == 0 || other_changes ? rounded(noise(1), 0.01F * step, 5 + rank) : noise(1);
    });
    for (const int64_t rank : {0, 1}) {
      job.sample(rank, step);
    }
  }
  for (ProcessSamples& process : job.processes()) {
    Sample first = process.samples.front();
    first.step = 0;
    first.rows.front().value = job.processes()[1].samples.front().rows.front().value;
    process.samples.insert(process.samples.begin(), first);
  }
  return verdictOn(job, {}, 1);
}

TEST_CASE("values that never change on one rank do not differ by rounding") {
  CHECK(verdictOnBfloat(true)->what == VerifyClass::kRounding);
  CHECK(verdictOnBfloat(false)->what == VerifyClass::kUnproven);
}

TEST_CASE("sequence parallel ranks, which share no parameter, hold no experts") {
  JobFacts facts;
  facts.all_to_all_modules = {"Net"};
  facts.exchanges = {{0, 1}};
  VerifyJob job = splitJob();
  CHECK(verdictOn(job, facts)->what == VerifyClass::kSeparate);
  CHECK(verdictOn(job, facts, 1)->what == VerifyClass::kExperts);
}

} // namespace
} // namespace commtap
