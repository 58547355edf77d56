// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/layouts/whole_run.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

const WholeParameter& only(const WholeRun& run) {
  REQUIRE(run.parameters.size() == 1);
  return run.parameters.front();
}

/// Splits a parameter of 64 numbers over the ranks of a mesh, by a declaration.
void split(VerifyJob& job, int64_t ranks, bool declares) {
  const std::vector<float> whole = noise(1);
  const std::vector<float> gradient = noise(2);
  const int64_t size = 64 / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const auto from = static_cast<std::ptrdiff_t>(rank * size);
    auto& made = job.add(rank, "Net.w", {whole.begin() + from, whole.begin() + from + size});
    made.gradient = std::vector<float>(gradient.begin() + from, gradient.begin() + from + size);
    if (declares) {
      made.place = flatPlace(64, {rank * size, size});
      made.facts.part = made.place->numbers();
      made.facts.shape = {64};
    }
  }
}

TEST_CASE("copies that gradients prove count once") {
  VerifyJob one(1);
  VerifyJob two(2);
  for (VerifyJob* job : {&one, &two}) {
    job->addOnAll("Net.w", noise(1));
    job->gradient("Net.w", 2);
    job->step(1);
  }
  const WholeRun run = wholeRunOf(two.processes(), {});
  const WholeStep& step = only(run).steps.at(1);
  CHECK(step.elements == 64);
  CHECK(step.value.has_sums);
  CHECK(step.gradient.has_squares);
  CHECK(step.gradient.squares == only(wholeRunOf(one.processes(), {})).steps.at(1).gradient.squares);
}

TEST_CASE("parts with a place add up to the whole, and only if all are there") {
  VerifyJob one(1);
  VerifyJob four(4);
  split(one, 1, false);
  split(four, 4, true);
  one.step(1);
  four.step(1);
  const WholeStep whole = only(wholeRunOf(one.processes(), {})).steps.at(1);
  const WholeStep sum = only(wholeRunOf(four.processes(), {})).steps.at(1);
  CHECK(sum.elements == 64);
  CHECK(sum.value.squares == doctest::Approx(whole.value.squares));
  for (int j = 0; j < kDigestSums; ++j) {
    CHECK(sum.value.sums[j] == doctest::Approx(whole.value.sums[j]));
    CHECK(sum.gradient.sums[j] == doctest::Approx(whole.gradient.sums[j]));
  }
  four.processes().pop_back();
  const WholeRun cut = wholeRunOf(four.processes(), {});
  CHECK(only(cut).steps.empty());
  CHECK(only(cut).why_unknown.starts_with("some of its parts have no samples"));
}

TEST_CASE("parts without a place are those of the same ranks only") {
  VerifyJob two(2);
  split(two, 2, false);
  two.step(1);
  const WholeRun run = wholeRunOf(two.processes(), {});
  const WholeStep& step = only(run).steps.at(1);
  CHECK(step.elements == 64);
  CHECK(step.value.has_squares);
  CHECK(step.parts == "0:32 1:32 ");
}

TEST_CASE("gradients that are yet to be summed add up, and their squares are not known") {
  VerifyJob two(2);
  for (int64_t rank = 0; rank < 2; ++rank) {
    auto& made = two.add(rank, "Net.w", noise(1));
    made.gradient = noise(2 + static_cast<uint32_t>(rank));
    made.is_partial = true;
    made.facts.mesh = R"({"dim_names":["tp"],"shape":[2],"ranks":[0,1]})";
    made.facts.placements = {"Replicate()"};
    made.facts.coordinate = {rank};
  }
  two.step(1);
  CHECK_FALSE(only(wholeRunOf(two.processes(), {})).steps.at(1).gradient.isKnown());
  for (ProcessSamples& process : two.processes()) {
    process.samples.front().rows.front().gradient_summed_over = 1;
  }
  JobFacts facts;
  facts.mesh_dims = {{"tp", 2}};
  const WholeRun run = wholeRunOf(two.processes(), facts);
  const WholeDigest& gradient = only(run).steps.at(1).gradient;
  CHECK(gradient.has_sums);
  CHECK_FALSE(gradient.has_squares);
  const Digest& first = two.processes()[0].samples[0].rows[0].gradient;
  const Digest& second = two.processes()[1].samples[0].rows[0].gradient;
  CHECK(gradient.sums[0] == doctest::Approx(first.sums[0] + second.sums[0]));
  CHECK(run.mesh_dims == facts.mesh_dims);
}

TEST_CASE("gradients that replicas do not share are not known") {
  VerifyJob two(2);
  two.addOnAll("Net.w", noise(1));
  two.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.ddp_ranks = {0, 1}; });
  two.gradient("Net.w", 2, 5);
  two.step(1);
  const WholeRun run = wholeRunOf(two.processes(), {});
  CHECK(only(run).steps.at(1).value.has_sums);
  CHECK_FALSE(only(run).steps.at(1).gradient.isKnown());
  CHECK(only(run).why_unknown.find("gradients differ") != std::string::npos);
}

TEST_CASE("ranks that read one batch have its rows once") {
  VerifyJob job(3);
  job.addOnAll("Net.w", noise(1));
  job.step(1);
  for (size_t rank = 0; rank < 3; ++rank) {
    SampledBatch& batch = job.processes()[rank].samples.front().batch;
    batch.forwards = 2;
    batch.rows = 4;
    batch.sum = rank < 2 ? 10 : 7;
    batch.has_draws = rank == 2;
  }
  const WholeData data = wholeRunOf(job.processes(), {}).data.at(1);
  CHECK(data.rows == 8);
  CHECK(data.sum == 17);
  CHECK(data.forwards == 2);
  CHECK(data.is_known);
  CHECK(data.has_draws);
  job.processes()[1].samples.front().gaps = {{"forwards without tensors among their arguments", 1}};
  CHECK_FALSE(wholeRunOf(job.processes(), {}).data.at(1).is_known);
}

} // namespace
} // namespace commtap
