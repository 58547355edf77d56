// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/parameter_tracks.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

/// Samples two parameters in a first step by their places, and in two further ones by their names.
ProcessSamples processWithPlaces() {
  ProcessSamples process;
  for (const char* name : {"optimizer0.group0.0", "optimizer0.group0.1", "Net.a", "Net.b"}) {
    SampledParameter& parameter = process.parameters.emplace_back();
    parameter.name = name;
    parameter.has_model_name = parameter.name.starts_with("Net");
    parameter.local_shape = {parameter.name.ends_with("0") || parameter.name.ends_with("a") ? 4 : 8};
  }
  for (const uint32_t first : {0U, 2U, 2U}) {
    Sample& sample = process.samples.emplace_back();
    sample.step = process.samples.size();
    sample.rows.resize(2);
    sample.rows[0].parameter = first;
    sample.rows[1].parameter = first + 1;
  }
  return process;
}

TEST_CASE("parameters that are known by their place get the names of the next sample") {
  const ProcessSamples process = processWithPlaces();
  const auto names = laterNames(process);
  REQUIRE(names.size() == 2);
  CHECK(names.at(process.samples[0].rows.data())->name == "Net.a");
  CHECK(names.at(&process.samples[0].rows[1])->name == "Net.b");
}

TEST_CASE("places keep their names if later parameters have other shapes, or no names") {
  ProcessSamples other = processWithPlaces();
  other.parameters[3].local_shape = {9};
  CHECK(laterNames(other).empty());
  ProcessSamples masters = processWithPlaces();
  masters.samples.resize(1);
  CHECK(laterNames(masters).empty());
  CHECK(laterNames({}).empty());
}

/// Returns the samples of a rank whose optimizers, in the order of their numbers, have these parameters.
ProcessSamples rankWith(int64_t rank, const std::vector<std::vector<std::string>>& optimizers) {
  ProcessSamples process;
  process.job.rank = rank;
  for (size_t number = 0; number < optimizers.size(); ++number) {
    Sample& sample = process.samples.emplace_back();
    sample.optimizer = static_cast<uint32_t>(number);
    for (const std::string& name : optimizers[number]) {
      sample.rows.emplace_back().parameter = static_cast<uint32_t>(process.parameters.size());
      process.parameters.emplace_back().name = name;
    }
  }
  return process;
}

using Optimizers = std::vector<std::vector<std::string>>;
using Numbers = std::vector<uint32_t>;

/// Returns the numbers of the second rank's optimizers.
Numbers numbersOf(const Optimizers& first, const Optimizers& second) {
  const ProcessSamples one = rankWith(0, first);
  const ProcessSamples other = rankWith(1, second);
  const auto matches = optimizerMatches({&one, &other});
  Numbers numbers;
  for (uint32_t i = 0; i < second.size(); ++i) {
    numbers.push_back(matches.at({1, i}));
  }
  return numbers;
}

const std::vector<std::string> kModel = {"Net.a", "Net.b"};
const std::vector<std::string> kProbe = {"Probe.a"};

TEST_CASE("optimizers of the same parameters have one number, whichever steps first") {
  CHECK(numbersOf({kModel, kProbe}, {kModel, kProbe}) == Numbers{0, 1});
  CHECK(numbersOf({kProbe, kModel}, {kModel}) == Numbers{1});
  CHECK(numbersOf({kModel}, {kProbe, kModel}) == Numbers{1, 0});
  CHECK(numbersOf({{"Net.a"}, {"Net.b"}}, {kProbe, {"Net.b"}, {"Net.a"}}) == Numbers{2, 1, 0});
}

TEST_CASE("two optimizers of the same parameters keep their order") {
  CHECK(numbersOf({kModel, kModel}, {kModel, kModel}) == Numbers{0, 1});
}

TEST_CASE("an optimizer that shares no parameter keeps its number") {
  CHECK(numbersOf({{"Stage.a"}}, {{"Other.a"}}) == Numbers{0});
  CHECK(numbersOf({}, {kProbe, kModel}) == Numbers{0, 1});
}

TEST_CASE("the optimizer that shares most parameters is taken") {
  CHECK(numbersOf({{"Net.a", "Net.c"}, {"Net.b"}}, {{"Net.a", "Net.b", "Net.c"}}) == Numbers{0});
}

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

TEST_CASE("collectives are by group, step and rank; a step that a rank did not sample lacks it") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  const auto sample = [&job](int64_t rank, uint64_t step, uint64_t collectives) {
    job.sample(rank, step);
    job.processes()[static_cast<size_t>(rank)].samples.back().groups = {
        {"world", collectives}, {"alone", 1}, {"unknown", 1}};
  };
  sample(0, 1, 3);
  sample(1, 1, 3);
  sample(0, 2, 6);
  sample(1, 4, 9);
  JobFacts facts;
  for (const int64_t rank : {0, 1}) {
    facts.groups[{rank, "world"}] = {{0, 1}, "default_pg"};
    facts.groups[{rank, "alone"}] = {{static_cast<uint32_t>(rank)}, ""};
  }
  const ParameterTracks tracks(job.processes());
  const auto issued = issuedCollectives(tracks.optimizers().at(0), facts);
  REQUIRE(issued.size() == 1);
  CHECK(issued.begin()->first == GroupKey("world", {{0, 1}, "default_pg"}));
  CHECK(issued.begin()->second == std::vector<Issued>{{{0, 3}, {1, 3}}, {{0, 6}}, {{1, 9}}});
}

using Groups = std::vector<SampledGroup>;

JobFacts factsOf(const std::vector<std::string>& groups) {
  JobFacts facts;
  for (const int64_t rank : {0, 1}) {
    for (const std::string& group : groups) {
      facts.groups[{rank, group}] = {{0, 1}, group};
    }
  }
  return facts;
}

/// Samples steps of two ranks after so many collectives, and returns the steps in which rank 1 stands apart.
std::vector<uint64_t> apartIn(const std::vector<Groups>& first, const std::vector<Groups>& second) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (size_t step = 0; step < first.size(); ++step) {
    for (const int64_t rank : {0, 1}) {
      job.sample(rank, step + 1);
      job.processes()[static_cast<size_t>(rank)].samples.back().groups = (rank == 0 ? first : second)[step];
    }
  }
  const std::set<const Sample*> apart = samplesApart(ParameterTracks(job.processes()), factsOf({"world", "other"}));
  std::vector<uint64_t> steps;
  for (const Sample& sample : job.processes()[1].samples) {
    if (apart.contains(&sample)) {
      steps.push_back(sample.step);
    }
  }
  CHECK(apart.size() == steps.size());
  return steps;
}

Groups world(uint64_t collectives) {
  return {{"world", collectives}};
}

using Steps = std::vector<uint64_t>;

TEST_CASE("a rank that has issued as many collectives more as at first is at the same moment") {
  CHECK(apartIn({world(3), world(6), world(9)}, {world(3), world(6), world(9)}).empty());
  CHECK(apartIn({world(3), world(6), world(9)}, {world(4), world(7), world(10)}).empty());
}

TEST_CASE("a rank that is ahead or behind by another number is at another moment") {
  CHECK(apartIn({world(3), world(6), world(9)}, {world(3), world(9), world(9)}) == Steps{2});
  CHECK(apartIn({world(3), world(6), world(9)}, {world(3), world(6), world(8)}) == Steps{3});
}

TEST_CASE("a group that is used at other times, as for checkpoints, shows nothing if another one is in use") {
  const auto both = [](uint64_t collectives, uint64_t others) {
    return Groups{{"world", collectives}, {"other", others}};
  };
  CHECK(apartIn({both(3, 1), both(6, 1)}, {both(3, 1), both(6, 2)}).empty());
  CHECK(apartIn({both(3, 1), both(6, 1)}, {both(3, 1), both(9, 1)}) == Steps{2});
}

TEST_CASE("ranks that left out a step together are apart from the others, though they are together") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  JobFacts facts;
  for (const int64_t rank : {0, 1, 2, 3}) {
    const auto line = static_cast<uint32_t>(rank / 2 * 2);
    const auto column = static_cast<uint32_t>(rank % 2);
    facts.groups[{rank, "shard"}] = {{line, line + 1}, "shard"};
    facts.groups[{rank, "replicate"}] = {{column, column + 2}, "replicate"};
    for (const uint64_t step : {1, 2, 3}) {
      job.sample(rank, step);
      const uint64_t moment = step + (rank > 1 && step > 1 ? 1 : 0);
      job.processes()[static_cast<size_t>(rank)].samples.back().groups = {{"shard", 2 * moment}, {"replicate", moment}};
    }
  }
  std::set<const Sample*> expected;
  for (const int64_t rank : {2, 3}) {
    const std::vector<Sample>& samples = job.processes()[static_cast<size_t>(rank)].samples;
    expected.insert({&samples[1], &samples[2]});
  }
  CHECK(samplesApart(ParameterTracks(job.processes()), facts) == expected);
}

TEST_CASE("groups that no report knows are not compared") {
  CHECK(apartIn({{{"unknown", 3}}, {{"unknown", 6}}}, {{{"unknown", 3}}, {{"unknown", 9}}}).empty());
}

} // namespace
} // namespace commtap
