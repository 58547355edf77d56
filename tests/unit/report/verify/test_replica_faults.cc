// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

/// The faults of a job's samples.
struct Faults {
  ParameterTracks tracks;
  JobFacts facts;
  ReplicaFaults found;

  explicit Faults(VerifyJob& job, JobFacts job_facts = {})
      : tracks(job.processes()), facts(std::move(job_facts)), found(tracks, facts) {}
  const std::vector<FoundFault>& all() const {
    return found.faults();
  }
};

TEST_CASE("replicas in step have no fault, and their ranks are counted") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  job.addOnAll("Net.ones", std::vector<float>(4, 1));
  job.addOnAll("Net.shard", noise(2));
  job.onAll("Net.shard", [](VerifyJob::MadeParameter& made, int64_t rank) {
    made.value = noise(static_cast<uint32_t>(10 + rank));
    made.facts.placements = {"Shard(dim=0)"};
    made.facts.mesh = "{}";
    made.facts.coordinate = {rank};
  });
  job.gradient("Net.w", 2);
  job.gradient("Net.shard", 3, 1);
  job.step(1);
  job.step(2);
  const Faults faults(job);
  CHECK(faults.all().empty());
  CHECK(faults.found.replicated() == 1);
  CHECK(faults.found.equal() == 1);
  CHECK(faults.found.sharded() == 1);
  CHECK(faults.found.replicas().at({0, 1, 2, 3}) == 1);
}

TEST_CASE("replicas within a stage are a fault, the stages that started equal are none") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t rank) {
    made.facts.ddp_ranks = rank < 2 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{2, 3};
    made.gradient = noise(static_cast<uint32_t>(rank == 0 ? 8 : 10 + rank / 2));
  });
  job.step(1);
  job.step(2);
  JobFacts facts;
  facts.messages = {{0, 2}, {1, 3}};
  const Faults faults(job, facts);
  REQUIRE(faults.all().size() == 1);
  CHECK(faults.all()[0].finding.what == VerifyClass::kDeclared);
  CHECK(faults.all()[0].parts == RankParts{{0}, {1}});
  CHECK(faults.all()[0].finding.before == 1U);
  CHECK(faults.all()[0].finding.step == 2U);
}

TEST_CASE("replicas that go apart within a part of ranks that were never replicas are found") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  JobFacts facts;
  facts.messages = {{0, 2}, {1, 3}};
  for (uint64_t step = 1; step <= 4; ++step) {
    job.onAll("Net.w", [step](VerifyJob::MadeParameter& made, int64_t rank) {
      const int64_t of_stage = 10 * (rank / 2) + static_cast<int64_t>(step) * 100;
      made.gradient = noise(static_cast<uint32_t>(of_stage + (step == 3 && rank == 3 ? 1 : 0)));
    });
    job.step(step);
  }
  const Faults faults(job, facts);
  REQUIRE(faults.all().size() == 1);
  CHECK(faults.all()[0].finding.what == VerifyClass::kSameGradient);
  CHECK(faults.all()[0].parts == RankParts{{2}, {3}});
  CHECK(faults.all()[0].finding.step == 4U);
}

TEST_CASE("few parameters with one gradient and other values from the start are a warning, most an error") {
  for (const bool is_most : {false, true}) {
    VerifyJob job(2);
    job.addOnAll("Net.bias", noise(1));
    job.at(1, "Net.bias").value = noise(2);
    job.gradient("Net.bias", 3);
    for (const char* ones : {"Net.n1", "Net.n2", "Net.n3", "Net.n4", "Net.n5"}) { // equal whatever the seed
      job.addOnAll(ones, std::vector<float>(4, 1));
    }
    for (const char* other : {"Net.a", "Net.b", "Net.c"}) {
      job.addOnAll(other, noise(4));
      job.gradient(other, 5, is_most ? 0 : 1);
      if (is_most) {
        job.at(1, other).value = noise(6);
      }
    }
    job.step(1);
    const Faults faults(job);
    REQUIRE(faults.all().size() == (is_most ? 4 : 1));
    CHECK(faults.all()[0].finding.what == VerifyClass::kNeverEqual);
    CHECK(faults.all()[0].finding.severity == (is_most ? VerifySeverity::kError : VerifySeverity::kWarning));
    CHECK_FALSE(faults.all()[0].finding.before);
  }
}

TEST_CASE("ranks whose other parameters are alike in value and gradient share a model") {
  for (const bool is_head : {false, true}) {
    VerifyJob job(2);
    for (const char* name : {"Net.a", "Net.b", "Net.c", "Net.d"}) {
      job.addOnAll(name, noise(1));
      job.gradient(name, 2);
    }
    job.at(1, "Net.a").value = noise(3);
    if (is_head) { // a trunk without gradients shows nothing
      for (const char* name : {"Net.b", "Net.c", "Net.d"}) {
        job.onAll(name, [](VerifyJob::MadeParameter& parameter, int64_t) { parameter.gradient.reset(); });
      }
    }
    job.step(1);
    const Faults faults(job);
    REQUIRE(faults.all().size() == 1);
    CHECK(faults.all()[0].finding.what == VerifyClass::kNeverEqual);
    CHECK(faults.all()[0].finding.severity == (is_head ? VerifySeverity::kWarning : VerifySeverity::kError));
  }
}

TEST_CASE("replicas that drift later still show that what went apart before them is suspect") {
  VerifyJob job(2);
  job.addOnAll("Net.head", noise(1));
  job.addOnAll("Net.norm", std::vector<float>(64, 1));
  for (uint32_t step = 1; step <= 3; ++step) {
    job.gradient("Net.norm", 10 * step, 1);
    job.gradient("Net.head", step, step > 1 ? 100 : 0);
    job.step(step);
  }
  const Faults faults(job);
  REQUIRE(faults.all().size() == 2);
  CHECK(faults.all()[0].finding.what == VerifyClass::kDrift);
  CHECK(faults.all()[1].finding.what == VerifyClass::kUnproven);
  CHECK(faults.all()[1].parameter == "Net.norm");
}

TEST_CASE("a gradient that is not finite on one rank is the fault, not the values that follow from it") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (uint32_t step = 1; step <= 4; ++step) {
    job.gradient("Net.w", step);
    if (step == 3) {
      job.at(1, "Net.w").gradient->front() = std::numeric_limits<float>::quiet_NaN();
    }
    job.step(step);
  }
  const Faults faults(job);
  REQUIRE(faults.all().size() == 1);
  CHECK(faults.all()[0].finding.what == VerifyClass::kNonFiniteGradient);
  CHECK(faults.all()[0].finding.severity == VerifySeverity::kError);
  CHECK(faults.all()[0].finding.before == 2U);
  CHECK(faults.all()[0].finding.step == 3U);
  CHECK(faults.all()[0].finding.cause_ranks == RankRanges{{1, 1}});
  CHECK(faults.all()[0].finding.evidence == ReplicaEvidence::kGradients);
}

TEST_CASE("the replicas within stages that started equal are counted, and are equal") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  JobFacts facts;
  facts.messages = {{0, 2}, {1, 3}};
  for (uint32_t step = 1; step <= 3; ++step) {
    job.onAll("Net.w", [step](VerifyJob::MadeParameter& made, int64_t rank) {
      made.gradient = noise(10 * step + static_cast<uint32_t>(rank / 2));
    });
    job.step(step);
  }
  const Faults faults(job, facts);
  CHECK(faults.all().empty());
  CHECK(faults.found.replicated() == 1);
  CHECK(faults.found.equal() == 1);
  CHECK(faults.found.replicas().size() == 2);
  CHECK(faults.found.replicas().at({2, 3}) == 1);
}

} // namespace
} // namespace commtap
