// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/layouts/layout_judge.h"

#include <algorithm>
#include <functional>

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

using Names = std::vector<std::string>;

/// Trains three parameters on so many ranks for three steps; `change` is called before each.
VerifyJob trained(int64_t ranks, const std::function<void(VerifyJob&, uint64_t)>& change = {}) {
  VerifyJob job(ranks);
  uint32_t seed = 0;
  for (const char* name : {"Net.a", "Net.b", "Net.c"}) {
    job.addOnAll(name, noise(++seed));
    job.onAll(name, [](VerifyJob::MadeParameter& made, int64_t) { made.facts.ddp_ranks = {0, 1, 2, 3}; });
  }
  for (uint64_t step = 1; step <= 3; ++step) {
    for (const char* name : {"Net.a", "Net.b", "Net.c"}) {
      job.gradient(name, 100 * static_cast<uint32_t>(step) + static_cast<uint32_t>(name[4]));
    }
    if (change) {
      change(job, step);
    }
    job.step(step);
  }
  return job;
}

LayoutComparison compared(VerifyJob& run, VerifyJob& like, bool has_same_data = false) {
  const WholeRun one = wholeRunOf(run.processes(), {});
  const WholeRun other = wholeRunOf(like.processes(), {});
  return compareLayouts(one, other, nullptr, has_same_data);
}

void scale(VerifyJob& job, const std::string& name, float by) {
  job.onAll(name, [by](VerifyJob::MadeParameter& made, int64_t) {
    for (float& each : *made.gradient) {
      each *= by;
    }
  });
}

TEST_CASE("two layouts of one training are alike") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t) {
    job.onAll("Net.b", [](auto& made, int64_t) { made.gradient = rounded(*made.gradient, 1e-6F, 9); });
  });
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kOk);
  CHECK(result.parameters == 3);
  CHECK(result.by_norm == 0);
  CHECK(result.steps == std::vector<uint64_t>{1, 2, 3});
  CHECK(result.largest_distance.value_or(1) < 1e-5);
  CHECK(result.not_compared == Names{});
}

TEST_CASE("gradients of another size are wrong, by what most parameters have") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t step) { scale(job, "Net.b", step == 2 ? 2 : 1); });
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kWrong);
  REQUIRE(result.findings.size() == 1);
  const LayoutFinding& finding = result.findings.front();
  CHECK(finding.what == LayoutClass::kRatio);
  CHECK(finding.parameters == Names{"Net.b"});
  CHECK(finding.step == 2);
  CHECK(finding.ratio.value_or(0) == doctest::Approx(2));
  CHECK(finding.reasons == Names{"the number of ranks"});
}

TEST_CASE("one ratio of all is the scale of the loss") {
  VerifyJob one = trained(1);
  VerifyJob four = trained(4, [](VerifyJob& job, uint64_t) {
    for (const char* name : {"Net.a", "Net.b", "Net.c"}) {
      scale(job, name, 4);
    }
  });
  const LayoutComparison result = compared(four, one);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings.front().what == LayoutClass::kScale);
  CHECK(result.findings.front().severity == VerifySeverity::kError);
  CHECK(result.findings.front().parameters == Names{"Net.c", "Net.b", "Net.a"});
  CHECK(result.findings.front().ratio.value_or(0) == doctest::Approx(4));
  const LayoutComparison reverse = compared(one, four);
  CHECK(reverse.findings.front().ratio.value_or(0) == doctest::Approx(0.25));
  CHECK(reverse.findings.front().reasons == Names{"the number of ranks"});
}

TEST_CASE("clipping gives the error of one parameter to all: the odd one is the one that differs from most") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t) {
    scale(job, "Net.a", 0.5);
    scale(job, "Net.b", 1.5);
    scale(job, "Net.c", 0.5);
  });
  const LayoutComparison result = compared(two, one);
  REQUIRE(result.findings.size() == 2);
  CHECK(result.findings[0].what == LayoutClass::kRatio);
  CHECK(result.findings[0].parameters == Names{"Net.b"});
  CHECK(result.findings[1].what == LayoutClass::kScale);
}

TEST_CASE("another direction is a warning, whatever its size") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t) {
    job.onAll("Net.b", [](auto& made, int64_t) { made.gradient = rounded(*made.gradient, 0.3F, 9); });
  });
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kSuspect);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings.front().what == LayoutClass::kDirection);
  CHECK(result.findings.front().distance.value_or(0) > 0.05);
}

TEST_CASE("a number has no direction: its ratio is no error") {
  VerifyJob one(1);
  VerifyJob two(2);
  for (VerifyJob* job : {&one, &two}) {
    job->addOnAll("Net.scale", {0.5F});
    job->addOnAll("Net.w", noise(1));
    job->gradient("Net.w", 2);
    job->onAll("Net.scale", [&](auto& made, int64_t) { made.gradient = {job == &one ? 0.5F : 0.7F}; });
    job->onAll("Net.scale", [](auto& made, int64_t) { made.facts.ddp_ranks = {0, 1}; });
    job->step(1);
  }
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kSuspect);
  CHECK(result.findings.front().what == LayoutClass::kDirection);
}

TEST_CASE("gradients as small as the rounding of others judge nothing, nor do their values") {
  const auto train = [](uint32_t seed) {
    return [seed](VerifyJob& job, uint64_t) {
      job.gradient("Net.b", seed);
      scale(job, "Net.b", 1e-6F);
    };
  };
  VerifyJob one = trained(1, train(1));
  VerifyJob two = trained(2, train(2));
  CHECK(compared(two, one).status == LayoutStatus::kOk);
}

TEST_CASE("values that go apart with alike gradients are of the optimizer") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t step) {
    if (step == 2) {
      job.onAll("Net.c", [](auto& made, int64_t) { made.value = noise(77); });
    }
  });
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kSuspect);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings.front().what == LayoutClass::kOptimizer);
  CHECK(result.findings.front().parameters == Names{"Net.c"});
  CHECK(result.findings.front().step == 2);
}

/// Returns a change that makes updates so many times as large, and rounds them by a part.
std::function<void(VerifyJob&, uint64_t)> updating(float times, float rounding = 0) {
  return [=](VerifyJob& job, uint64_t step) {
    for (const char* name : {"Net.a", "Net.b", "Net.c"}) {
      const auto seed = static_cast<uint32_t>(name[4]);
      const std::vector<float> gradient = noise(100 * static_cast<uint32_t>(step - 1) + seed);
      const std::vector<float> changed = rounded(gradient, rounding, seed);
      job.onAll(name, [&](VerifyJob::MadeParameter& made, int64_t) {
        for (size_t i = 0; i < gradient.size() && step > 1; ++i) {
          made.value[i] -= 0.1F * (times * changed[i] - gradient[i]);
        }
      });
    }
  };
}

TEST_CASE("updates of another size are of the optimizer") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, updating(1.1F));
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kSuspect);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings.front().what == LayoutClass::kOptimizer);
  CHECK(result.findings.front().parameters == Names{"Net.c", "Net.b", "Net.a"});
  CHECK(result.findings.front().step == 2);
  CHECK(result.findings.front().ratio.value_or(0) == doctest::Approx(1.1).epsilon(0.01));
}

TEST_CASE("updates that rounding changes in their direction are of no other size") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, updating(1.04F, 0.02F));
  CHECK(compared(two, one).status == LayoutStatus::kOk);
}

TEST_CASE("a gradient that only one run has is a warning") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(
      2, [](VerifyJob& job, uint64_t) { job.onAll("Net.a", [](auto& made, int64_t) { made.gradient.reset(); }); });
  const LayoutComparison result = compared(two, one);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings.front().what == LayoutClass::kDirection);
  CHECK_FALSE(result.findings.front().distance);
  CHECK(result.status == LayoutStatus::kSuspect);
}

TEST_CASE("runs that start from other values are not compared") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t step) {
    if (step == 1) {
      job.onAll("Net.b", [](auto& made, int64_t) { made.value = noise(50); });
    }
  });
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kNothingToCompare);
  CHECK(result.apart == Names{"Net.b"});
  CHECK(result.start_distance.value_or(0) > 0.5);
  CHECK(result.findings.empty());
}

void readData(VerifyJob& job, uint64_t sum, bool has_draws = false) {
  for (ProcessSamples& process : job.processes()) {
    for (Sample& sample : process.samples) {
      sample.batch = {.forwards = 1, .rows = 8, .sum = sum, .hashes = {}, .has_draws = has_draws};
    }
  }
}

TEST_CASE("other data or random numbers leave only the start to compare") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t) { scale(job, "Net.b", 2); });
  readData(one, 5);
  readData(two, 5);
  CHECK(compared(two, one).data == SameData::kSame);
  CHECK(compared(two, one).status == LayoutStatus::kWrong);
  readData(two, 6);
  CHECK(compared(two, one).data == SameData::kOther);
  CHECK(compared(two, one).status == LayoutStatus::kStartOnly);
  CHECK(compared(two, one, true).status == LayoutStatus::kWrong);
  readData(two, 5, true);
  CHECK(compared(two, one).status == LayoutStatus::kStartOnly);
  CHECK(compared(two, one).has_draws);
}

TEST_CASE("a gradient that is small by the largest one is not compared, and no parameter is left in the count") {
  const auto shrink = [](uint32_t seed) {
    return [seed](VerifyJob& job, uint64_t) {
      job.gradient("Net.a", seed);
      job.onAll("Net.a", [](auto& made, int64_t) {
        for (float& each : *made.gradient) {
          each *= 1e-6F;
        }
      });
    };
  };
  VerifyJob one = trained(1, shrink(1));
  VerifyJob two = trained(2, shrink(2));
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kOk);
  CHECK(result.parameters == 2);
  CHECK(result.partly_compared.size() == 1);
}

TEST_CASE("what does not reproduce in one layout is left out by name") {
  const auto train = [](uint32_t seed) { return [seed](VerifyJob& job, uint64_t) { job.gradient("Net.b", seed); }; };
  VerifyJob one = trained(1, train(1));
  VerifyJob again = trained(1, train(2));
  VerifyJob two = trained(2, train(3));
  const WholeRun whole_again = wholeRunOf(again.processes(), {});
  const LayoutComparison result =
      compareLayouts(wholeRunOf(two.processes(), {}), wholeRunOf(one.processes(), {}), &whole_again, false);
  CHECK(result.status == LayoutStatus::kOk);
  CHECK(result.parameters == 2);
  CHECK(result.not_compared == Names{"Net.b: the two runs of --like differ in it themselves"});
}

TEST_CASE("a parameter of another size or order is not compared, or by its norm") {
  VerifyJob one(1);
  VerifyJob two(1);
  std::vector<float> turned = noise(3);
  std::reverse(turned.begin(), turned.end());
  for (VerifyJob* job : {&one, &two}) {
    job->addOnAll("Net.a", noise(1));
    job->addOnAll("Net.b", noise(2, job == &one ? 64 : 32));
    job->addOnAll("Net.c", job == &one ? noise(3) : turned);
    job->gradient("Net.a", 4);
    job->step(1);
  }
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kOk);
  CHECK(result.parameters == 2);
  CHECK(result.by_norm == 1);
  CHECK(result.partly_compared == Names{"Net.c: its elements have another order: norms only"});
  CHECK(
      result.not_compared ==
      Names{
          "Net.b: all ranks together hold more or fewer elements of it than in the other run: another shape, or copies "
          "that nothing proves"});
}

/// Trains a shard of its own on each rank, which nothing declares, and copies.
VerifyJob withShards(int64_t ranks, float scale_of_shards, float scale_of_copies = 1) {
  VerifyJob job(ranks);
  for (const char* name : {"Net.copy", "Net.copy.a", "Net.copy.b"}) {
    job.addOnAll(name, noise(1));
    job.gradient(name, 2);
    scale(job, name, scale_of_copies);
  }
  const std::vector<float> whole = noise(3);
  const std::vector<float> gradient = noise(4);
  const auto size = static_cast<std::ptrdiff_t>(64 / ranks);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const std::ptrdiff_t from = rank * size;
    auto& made = job.add(rank, "Net.shard", {whole.begin() + from, whole.begin() + from + size});
    made.gradient = std::vector<float>(gradient.begin() + from, gradient.begin() + from + size);
  }
  scale(job, "Net.shard", scale_of_shards);
  job.step(1);
  return job;
}

TEST_CASE("shards without a place have a direction between runs of one layout, and a norm between others") {
  VerifyJob one = withShards(1, 1);
  VerifyJob two = withShards(2, 1);
  VerifyJob wrong = withShards(2, 2);
  CHECK(compared(two, one).status == LayoutStatus::kOk);
  CHECK(compared(two, one).by_norm == 1);
  CHECK(compared(two, one).partly_compared == Names{"Net.shard: the place of its parts is not known: norms only"});
  CHECK(compared(wrong, one).status == LayoutStatus::kSuspect);
  CHECK(compared(wrong, one).findings.front().what == LayoutClass::kDirection);
  CHECK(compared(wrong, two).by_norm == 0);
}

TEST_CASE("where most gradients have another ratio, one that is alike by its norm is no finding") {
  VerifyJob one = withShards(1, 1);
  VerifyJob two = withShards(2, 1, 2);
  const LayoutComparison result = compared(two, one);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings.front().what == LayoutClass::kScale);
  CHECK(result.findings.front().parameters == Names{"Net.copy.b", "Net.copy.a", "Net.copy"});
}

/// Takes the model's name from a parameter, as for what only an optimizer has.
void unname(VerifyJob& job, const std::string& name) {
  for (ProcessSamples& process : job.processes()) {
    for (SampledParameter& facts : process.parameters) {
      facts.has_model_name = facts.name != name;
    }
  }
}

TEST_CASE("a parameter that no model names is one only if its values are") {
  const auto move = [](VerifyJob& job, uint64_t step) {
    if (step == 1) {
      job.onAll("Net.b", [](auto& made, int64_t) { made.value = noise(50); });
    }
  };
  VerifyJob one = trained(1);
  VerifyJob two = trained(2);
  VerifyJob other = trained(2, move);
  for (VerifyJob* job : {&one, &two, &other}) {
    unname(*job, "Net.b");
  }
  CHECK(compared(two, one).parameters == 3);
  CHECK(compared(other, one).status == LayoutStatus::kOk);
  CHECK(compared(other, one).not_compared == Names{"Net.b: the model has no name for it"});
}

TEST_CASE("what the optimizer may have under no name is not said to have no gradient") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t) {
    job.onAll("Net.a", [](auto& made, int64_t) { made.gradient.reset(); });
    job.onAll("Net.a", [](auto& made, int64_t) { made.facts.is_in_optimizer = false; });
  });
  two.addOnAll("optimizer0.group0.0", noise(70));
  two.step(4);
  CHECK(compared(two, one).findings.front().what == LayoutClass::kDirection);
  unname(two, "optimizer0.group0.0");
  const LayoutComparison result = compared(two, one);
  CHECK(result.status == LayoutStatus::kOk);
  REQUIRE(result.partly_compared.size() == 2);
  CHECK(result.partly_compared[0] == "Net.a: its values differ, and its gradients were not compared before");
  CHECK(result.partly_compared[1].starts_with("Net.a: no optimizer has it under this name"));
}

TEST_CASE("values that were first sampled after an update are no start") {
  VerifyJob one = trained(1);
  VerifyJob two = trained(
      2, [](VerifyJob& job, uint64_t) { job.onAll("Net.b", [](auto& made, int64_t) { made.value = noise(50); }); });
  for (VerifyJob* job : {&one, &two}) {
    for (ProcessSamples& process : job->processes()) {
      std::erase_if(process.samples.front().rows, [&](const SampleRow& row) {
        return process.parameters[row.parameter].name == "Net.b";
      });
    }
  }
  CHECK(compared(two, one).status == LayoutStatus::kOk);
  CHECK(compared(two, one).not_compared == Names{"Net.b: it has no sample before the first update"});
}

TEST_CASE("the first bits that differ between two runs of one layout are named with their rank") {
  VerifyJob one = trained(2);
  VerifyJob two = trained(2, [](VerifyJob& job, uint64_t step) {
    if (step == 2) {
      job.at(1, "Net.b").gradient = noise(99);
    }
  });
  const BitComparison bits = compareBits(two.processes(), one.processes());
  CHECK(bits.is_same_layout);
  REQUIRE(bits.differ);
  CHECK(bits.differ->step == 2);
  CHECK(bits.differ->parameter == "Net.b");
  CHECK(bits.differ->rank == 1);
  CHECK(bits.differ->is_gradient);
  CHECK_FALSE(compareBits(one.processes(), one.processes()).differ);
  VerifyJob other = trained(1);
  CHECK_FALSE(compareBits(one.processes(), other.processes()).is_same_layout);
}

} // namespace
} // namespace commtap
