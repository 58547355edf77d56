// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/unit/verify_inputs.h"

namespace commtap {
namespace {

using Rows = std::vector<uint64_t>;

/// Returns rows of other hashes for each seed.
Rows rowsOf(uint64_t seed, size_t count = 4) {
  std::mt19937_64 random(seed);
  Rows rows(count);
  std::generate(rows.begin(), rows.end(), random);
  return rows;
}

Rows joined(Rows one, const Rows& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

std::vector<FoundFault> faultsOf(InputsJob& job) {
  const ParameterTracks tracks(job.processes());
  return dataFaults(stepSamples(tracks, job.facts()), job.facts());
}

/// Runs three steps; `rows` returns those of a rank in a step, and gradients differ.
template <typename RowsOfRank>
InputsJob jobThatReads(int64_t ranks, const RowsOfRank& rows) {
  InputsJob job(ranks);
  for (uint64_t step = 1; step <= 3; ++step) {
    std::vector<Rows> all;
    std::vector<std::vector<float>> gradients;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      all.push_back(rows(step, static_cast<uint64_t>(rank)));
      gradients.push_back(noise(static_cast<uint32_t>(10 * step + static_cast<uint64_t>(rank))));
    }
    job.reduce("Net", gradients);
    job.read(all);
    job.step(step);
  }
  return job;
}

TEST_CASE("ranks that read the same samples in all steps are a warning") {
  InputsJob job = jobThatReads(4, [](uint64_t step, uint64_t) { return rowsOf(step); });
  const std::vector<FoundFault> faults = faultsOf(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kSameData);
  CHECK(faults[0].finding.severity == VerifySeverity::kWarning);
  CHECK(faults[0].finding.ratio == 1);
  CHECK(faults[0].finding.step == 1U);
  CHECK(faults[0].finding.last_step == 3U);
  CHECK(faults[0].parts == RankParts{{0, 1, 2, 3}});
}

TEST_CASE("a seed for each node gives a set of ranks for each") {
  InputsJob job = jobThatReads(4, [](uint64_t step, uint64_t rank) { return rowsOf(10 * step + rank / 2); });
  const std::vector<FoundFault> faults = faultsOf(job);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].parts == RankParts{{0, 1}});
  CHECK(faults[1].parts == RankParts{{2, 3}});
}

TEST_CASE("ranks with other samples, or with the same ones in some steps, are well") {
  InputsJob other = jobThatReads(4, [](uint64_t step, uint64_t rank) { return rowsOf(10 * step + rank); });
  CHECK(faultsOf(other).empty());
  InputsJob once =
      jobThatReads(2, [](uint64_t step, uint64_t rank) { return rowsOf(step == 2 ? 1 : 10 * step + rank); });
  CHECK(faultsOf(once).empty());
}

TEST_CASE("less than half of the samples in each step is a note") {
  InputsJob job = jobThatReads(
      2, [](uint64_t step, uint64_t rank) { return joined(rowsOf(step, 1), rowsOf(10 * step + rank, 3)); });
  const std::vector<FoundFault> faults = faultsOf(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.severity == VerifySeverity::kNote);
  CHECK(faults[0].finding.ratio == 0.25);
}

TEST_CASE("the part of many rows is estimated from those that are kept") {
  InputsJob job = jobThatReads(
      2, [](uint64_t step, uint64_t rank) { return joined(rowsOf(step, 750), rowsOf(10 * step + rank, 250)); });
  const std::vector<FoundFault> faults = faultsOf(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.ratio.value_or(0) == doctest::Approx(0.75).epsilon(0.2));
}

TEST_CASE("rows that are the same in every step are no data") {
  InputsJob job = jobThatReads(2, [](uint64_t, uint64_t) { return rowsOf(1); });
  CHECK(faultsOf(job).empty());
}

TEST_CASE("ranks that exchange activations are meant to share samples") {
  for (std::vector<GroupRanks> JobFacts::*groups : {&JobFacts::activations, &JobFacts::messages, &JobFacts::gathers}) {
    InputsJob job = jobThatReads(2, [](uint64_t step, uint64_t) { return rowsOf(step); });
    job.facts().*groups = {{0, 1}};
    // A group whose gradients are reduced gathers parameters.
    CHECK(faultsOf(job).size() == (groups == &JobFacts::gathers ? 1U : 0U));
  }
}

TEST_CASE("ranks whose gradients are not reduced together may read the same samples") {
  InputsJob job = jobThatReads(2, [](uint64_t step, uint64_t) { return rowsOf(step); });
  for (ProcessSamples& process : job.processes()) {
    for (Sample& sample : process.samples) {
      sample.reductions.clear();
    }
  }
  CHECK(faultsOf(job).empty());
}

TEST_CASE("equal inputs of all reductions in all steps say it where there are no rows") {
  InputsJob job(4);
  InputsJob once(2);
  for (uint32_t step = 1; step <= 3; ++step) {
    job.reduce("Net.a", {noise(step), noise(step), noise(step + 10), noise(step + 20)});
    job.reduce("Net.b", {noise(step + 5), noise(step + 5), noise(step + 15), noise(step + 25)});
    job.step(step);
    once.reduce("Net.a", {noise(step), noise(step)});
    once.reduce("Net.b", {noise(step), noise(step == 2 ? 9 : step)});
    once.step(step);
  }
  const std::vector<FoundFault> faults = faultsOf(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.evidence == ReplicaEvidence::kGradients);
  CHECK(faults[0].finding.severity == VerifySeverity::kWarning);
  CHECK(faults[0].parts == RankParts{{0, 1}});
  CHECK(faultsOf(once).empty());
}

} // namespace
} // namespace commtap
