// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

using Change = std::function<void(VerifyJob&, uint32_t step)>;

/// Returns the findings on two ranks that hold replicas of one parameter, and have what `change` adds before each of
/// four steps. The reports have rows, and no exchange in a forward.
std::vector<FoundFault> faultsOf(const Change& change, JobFacts facts = {}) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (uint32_t step = 1; step <= 4; ++step) {
    job.gradient("Net.w", step);
    change(job, step);
    job.step(step);
  }
  facts.has_rows = true;
  facts.collectives = {{0, 1}};
  const ParameterTracks tracks(job.processes());
  return ReplicaFaults(tracks, facts).faults();
}

/// Has the ranks start with values of their own.
Change own(bool is_frozen, bool is_trained) {
  return [is_frozen, is_trained](VerifyJob& job, uint32_t step) {
    if (step == 1 && is_frozen) {
      job.addOnAll("Net.frozen", noise(2));
      job.at(0, "Net.frozen").facts.requires_grad = job.at(1, "Net.frozen").facts.requires_grad = false;
      job.at(1, "Net.frozen").value = noise(3);
    }
    if (step == 1 && is_trained) {
      job.addOnAll("Net.adapter", noise(4));
      job.at(1, "Net.adapter").value = noise(5);
    }
    if (is_trained) {
      job.gradient("Net.adapter", 6 * step, 100);
    }
  };
}

TEST_CASE("frozen values that differ next to replicas are a warning, next to others of each rank a note") {
  const std::vector<FoundFault> frozen = faultsOf(own(true, false));
  REQUIRE(frozen.size() == 1);
  CHECK(frozen[0].finding.what == VerifyClass::kNeverEqual);
  CHECK(frozen[0].finding.severity == VerifySeverity::kWarning);
  CHECK(frozen[0].parameter == "Net.frozen");
  CHECK(frozen[0].parts == RankParts{{0}, {1}});
  const std::vector<FoundFault> both = faultsOf(own(true, true));
  REQUIRE(both.size() == 2);
  CHECK(both[0].finding.severity == VerifySeverity::kNote);
  CHECK(both[1].finding.severity == VerifySeverity::kNote);
}

TEST_CASE("a copy that differs from its first sample on and changes on one rank only is that rank's") {
  const std::vector<FoundFault> faults = faultsOf([](VerifyJob& job, uint32_t step) {
    if (step == 1) {
      job.addOnAll("Copy.w", noise(2));
      job.at(0, "Copy.w").facts.is_in_optimizer = job.at(1, "Copy.w").facts.is_in_optimizer = false;
    }
    job.at(1, "Copy.w").value = noise(10 + step);
  });
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kRankCopy);
  CHECK(faults[0].finding.severity == VerifySeverity::kNote);
}

TEST_CASE("ranks that exchange activations, or hold no replicas, may have values of their own") {
  JobFacts exchanging;
  exchanging.activations = {{0, 1}};
  CHECK(faultsOf(own(true, true), exchanging).empty());
  CHECK(faultsOf([](VerifyJob& job, uint32_t step) {
          own(true, true)(job, step);
          job.at(1, "Net.w").value = noise(50 + step);
          job.gradient("Net.w", step, 100);
        }).empty());
}

/// Has each rank hold a matrix of another name, which is equal at the start. `count`: so many of them.
Change named(int count, bool is_summed) {
  return [count, is_summed](VerifyJob& job, uint32_t step) {
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      for (const int64_t rank : {0, 1}) {
        const std::string name = (rank == 0 ? "Stage.embed" : "Stage.head") + number;
        const auto seed = static_cast<uint32_t>(10 * i);
        if (step == 1) {
          job.add(rank, name, noise(seed)).facts.local_shape = {8, 8};
        }
        job.at(rank, name).gradient = noise(seed + step + (is_summed ? 0 : 100 * static_cast<uint32_t>(rank)));
      }
    }
  };
}

TEST_CASE("two names of stages that start equal and go apart may be tied, several may have one seed") {
  JobFacts stages;
  stages.messages = {{0, 1}};
  const std::vector<FoundFault> faults = faultsOf(named(1, false), stages);
  REQUIRE(faults.size() == 2);
  for (const FoundFault& fault : faults) {
    CHECK(fault.finding.what == VerifyClass::kTied);
    CHECK(fault.finding.severity == VerifySeverity::kWarning);
    CHECK(fault.finding.before == 1U);
    CHECK(fault.finding.step == 2U);
  }
  CHECK(faults[0].parameter == "Stage.embed0");
  CHECK(faults[1].parameter == "Stage.head0");
  CHECK(faultsOf(named(1, true), stages).empty());
  CHECK(faultsOf(named(2, false), stages).empty());
  CHECK(faultsOf(named(1, false)).empty());
}

/// Gives both ranks a buffer that has other values on the second one from a step on.
Change buffer(const std::string& name, uint32_t from) {
  return [name, from](VerifyJob& job, uint32_t step) {
    if (step == 1) {
      job.addOnAll(name, std::vector<float>(8));
      job.at(0, name).facts.is_buffer = job.at(1, name).facts.is_buffer = true;
      job.at(0, name).facts.is_in_optimizer = job.at(1, name).facts.is_in_optimizer = false;
    }
    if (step >= from) {
      job.at(1, name).value = noise(step, 8);
    }
  };
}

TEST_CASE("a buffer that goes apart is a warning, one that a forward has changed and statistics are notes") {
  const std::map<std::string, std::pair<uint32_t, VerifySeverity>> cases = {
      {"Net.bias", {2, VerifySeverity::kWarning}},
      {"Net.queue", {1, VerifySeverity::kNote}},
      {"Net.norm.running_mean", {2, VerifySeverity::kNote}}};
  for (const auto& [name, expected] : cases) {
    const std::vector<FoundFault> faults = faultsOf(buffer(name, expected.first));
    CAPTURE(name);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].finding.what == VerifyClass::kBuffers);
    CHECK(faults[0].finding.severity == expected.second);
  }
  CHECK(faultsOf(buffer("Net.bias", 9)).empty());
  JobFacts exchanging;
  exchanging.gathers = {{0, 1}};
  CHECK(faultsOf(buffer("Net.slopes", 1), exchanging).empty());
  CHECK(faultsOf(buffer("Net.slopes", 2), exchanging).size() == 1);
}

} // namespace
} // namespace commtap
