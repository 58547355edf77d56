// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/parameter_tracks.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

TEST_CASE("a parameter has the rows of all ranks, by the steps that some rank sampled") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.add(1, "Net.own", noise(2));
  job.gradient("Net.w", 3);
  job.step(1);
  job.step(2, {0});
  const ParameterTracks tracks(job.processes());
  CHECK(tracks.ranks() == std::vector<int64_t>{0, 1});
  CHECK(tracks.optimizers().at(0).steps == std::vector<uint64_t>{1, 2});
  REQUIRE(tracks.all().size() == 2);
  const ParameterTrack& track = tracks.all()[0];
  CHECK(track.name == "Net.w");
  REQUIRE(track.of(1) != nullptr);
  CHECK(track.of(2) == nullptr);
  CHECK(track.of(0)->row(0) != nullptr);
  CHECK(track.of(0)->row(1) == nullptr);
  CHECK(track.of(1)->row(1) != nullptr);
  CHECK(tracks.all()[1].of(0) == nullptr);
  CHECK(tracks.optimizerOf(track).samples.at(0)[1] == nullptr);
  CHECK(tracks.optimizerOf(track).largest_gradients.at(1)[0] == track.of(1)->row(0)->gradient.squares);
}

TEST_CASE("of a rank, the process with the most samples counts, and a process without a rank does not") {
  VerifyJob job(1);
  job.addOnAll("Net.w", noise(1));
  job.step(1);
  job.step(2);
  std::vector<ProcessSamples> processes = job.processes();
  processes.push_back(processes.front());
  processes.back().samples.pop_back();
  processes.push_back(processes.front());
  processes.back().job.rank.reset();
  const ParameterTracks tracks(processes);
  REQUIRE(tracks.all().size() == 1);
  REQUIRE(tracks.all()[0].ranks.size() == 1);
  CHECK(tracks.all()[0].ranks[0].row(1) != nullptr);
}

TEST_CASE("parameters of one name in a sample are two parameters") {
  VerifyJob job(1);
  job.addOnAll("Net.w", noise(1));
  job.sample(0, 1);
  std::vector<ProcessSamples> processes = job.processes();
  processes[0].samples[0].rows.push_back(processes[0].samples[0].rows[0]);
  const ParameterTracks tracks(processes);
  REQUIRE(tracks.all().size() == 2);
  CHECK(tracks.all()[1].name == "Net.w#2");
}

TEST_CASE("a gradient is whole if it is no part of a sum, and used if an optimizer has it") {
  SampledParameter facts;
  SampleRow row;
  RankTrack track;
  CHECK_FALSE(hasWholeGradient(track, 0));
  track.rows = {&row};
  track.row_facts = {&facts};
  CHECK_FALSE(hasWholeGradient(track, 0));
  row.has_gradient = true;
  CHECK(hasWholeGradient(track, 0));
  CHECK(hasUsedGradient(track, 0));
  facts.is_in_optimizer = false;
  CHECK(hasWholeGradient(track, 0));
  CHECK_FALSE(hasUsedGradient(track, 0));
  facts.is_in_optimizer = true;
  row.is_gradient_partial = true;
  CHECK_FALSE(hasWholeGradient(track, 0));
  CHECK_FALSE(hasUsedGradient(track, 0));
}

TEST_CASE("the common step of ranks is the first of those that most of them have sampled") {
  VerifyJob job(3);
  job.addOnAll("Net.w", noise(1));
  job.step(1, {1, 2});
  job.step(2, {2});
  job.step(3);
  job.step(4);
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0];
  CHECK(commonStepOf({track.of(0)}) == 0);
  CHECK(commonStepOf({track.of(0), track.of(1)}) == 1);
  CHECK(commonStepOf({track.of(0), track.of(1), track.of(2)}) == 2);
}

} // namespace
} // namespace commtap
