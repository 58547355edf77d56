// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/verified_run.h"

#include <limits>

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a run whose samples are complete has nothing to say") {
  Verification result;
  result.world_size = 2;
  result.ranks = {{0, 1}};
  CHECK(notSampledText({}, result).empty());
}

TEST_CASE("ranks without samples, files that end early and what could not be read are named") {
  RunSamples run;
  run.processes.resize(2);
  run.processes[1].job.rank = 1;
  run.processes[1].is_cut = true;
  run.processes[0].job.rank = 0;
  run.processes[0].damage = "block 3 of the samples is damaged";
  run.doubled = {1};
  run.not_seen = {
      {{"unsampled_parameters", 4, "Net.w\x1b[31m", ""}, {{0, 1}}},
      {{"samples_lost", 1, "out/0.samples: no space left on the device", ""}, {{0, 0}}},
      {{"modules", 3, "Net", ""}, {{0, 1}}}};
  Verification result;
  result.world_size = 4;
  result.ranks = {{0, 1}};
  result.incomplete = 3;
  const std::vector<std::string> lines = notSampledText(run, result);
  REQUIRE(lines.size() == 7);
  CHECK(lines[0] == "ranks 2-3 have no samples");
  CHECK(lines[1] == "rank 1: the file ends within a sample, which is left out");
  CHECK(lines[2] == "rank 0: the file is damaged, and the samples from there on are left out");
  CHECK(
      lines[3].starts_with("several processes of this run and attempt are rank 1, and of each the one with the most"));
  CHECK(lines[4] == "3 parameters are not in each sample of a rank, and compared where they are sampled");
  CHECK(lines[5].starts_with("ranks 0-1: 4 values or gradients could not be read, the first of Net.w"));
  CHECK(lines[5].find('\x1b') == std::string::npos);
  CHECK(lines[6] == "rank 0: 1 sample is missing: out/0.samples: no space left on the device");
}

TEST_CASE("parameters that are empty on all ranks are counted") {
  RunSamples run;
  run.processes.resize(2);
  for (ProcessSamples& process : run.processes) {
    process.parameters.resize(3);
    process.parameters[0].name = "Net.gathered.w";
    process.parameters[0].shape = {0};
    process.parameters[1].name = "Net.on_one_rank.w";
    process.parameters[1].shape = {0};
    process.parameters[2].name = "optimizer0.group0.0";
    process.parameters[2].shape = {64};
  }
  run.processes[1].parameters[1].shape = {4, 4};
  CHECK(
      notSampledText(run, {}) ==
      std::vector<std::string>{
          "1 parameter has no elements on any rank when samples are taken, the first of Net.gathered.w"});
}

TEST_CASE("inputs that could not be read are counted by their reason, over all samples of the ranks") {
  RunSamples run;
  run.processes.resize(2);
  for (int64_t rank = 0; rank < 2; ++rank) {
    ProcessSamples& process = run.processes[static_cast<size_t>(rank)];
    process.job.rank = rank;
    process.samples.resize(2);
    process.samples[0].gaps = {{"tensors on a GPU", 3}};
    process.samples[1].gaps = {{"tensors on a GPU", 1}};
  }
  run.processes[1].samples[1].gaps.push_back({"forwards", 5});
  CHECK(notSampledText(run, {}) == std::vector<std::string>{"rank 1: 5 forwards", "ranks 0-1: 8 tensors on a GPU"});
  Verification result;
  result.reductions = 2;
  CHECK(
      notSampledText(run, result).back() ==
      "no module was called outside of compiled code, so the data of the ranks is not known");
  run.processes[0].samples[0].batch.forwards = 1;
  CHECK(notSampledText(run, result).size() == 2);
}

TEST_CASE("ranks without samples are named at once, however large a damaged file says that the world is") {
  Verification result;
  result.world_size = std::numeric_limits<int64_t>::max();
  result.ranks = {{0, 1}};
  CHECK(notSampledText({}, result) == std::vector<std::string>{"ranks 2-9223372036854775806 have no samples"});
}

} // namespace
} // namespace commtap
