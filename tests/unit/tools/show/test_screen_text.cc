// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/screen_text.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/job_samples.h"
#include "tests/unit/samples.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Returns a job of two ranks and five steps with an all_reduce of 100 B in each layer, and rank 0's broadcast.
JobReport jobWith(size_t layers) {
  JobReport job;
  job.ranks = {{0, 1}};
  job.world_size = 2;
  job.rank_sets = {{{0, 1}}, {{0, 0}}};
  job.groups = {{.name = "dp", .desc = "dp", .backend = "nccl", .size = 2}};
  for (int64_t rank : {0, 1}) {
    job.processes.push_back({.rank = rank, .host = "node", .exit = ExitKind::kNormal});
  }
  for (uint64_t step = 0; step < 5; ++step) {
    job.steps.push_back({.first_step = step, .ranks = 2, .timed_ranks = 2});
  }
  const auto add = [&job](const std::string& module, Kind kind, uint64_t count, uint64_t bytes, size_t rank_set) {
    JobCollective row;
    row.module = module;
    row.kind = kind;
    row.rank_set = rank_set;
    row.amount.ranks = rank_set == 0 ? 2 : 1;
    row.amount.count.sum = count;
    row.amount.bytes.sum = bytes;
    job.collectives.push_back(row);
  };
  for (size_t i = 0; i < layers; ++i) {
    add("Net.layers." + std::to_string(i) + ".mlp", Kind::kAllReduce, 10, 1000, 0);
  }
  add("Net.head", Kind::kBroadcast, 5, 2000, 1);
  return job;
}

TEST_CASE("numbers are means over ranks and steps, and modules of equal layers are one row") {
  const std::string text = screenText(jobWith(3), "out", Color::none());
  CHECK(has(text, "\n2 of 2 ranks: 0-1\n"));
  CHECK(has(text, "Per rank and step: all but set-up, divided by 2 ranks and 5 steps\n"));
  CHECK(has(text, "all_reduce  dp        2      3  300 B  60.0 %  ############"));
  CHECK(has(text, "broadcast   dp        2    0.5  200 B  40.0 %  ########"));
  CHECK(has(text, "all" + std::string(24, ' ') + "3.5  500 B   100 %  ####################"));
  CHECK(has(text, "Net.layers.*.mlp                 3      3  300 B  60.0 %  ############"));
  CHECK(has(text, "Net.head                         1    0.5  200 B  40.0 %  ########"));
  CHECK(has(text, "more: commtap show --tree out"));
}

TEST_CASE("a mean over ranks that differ has the calls of the ranks") {
  JobReport job = jobWith(3);
  const std::string text = screenText(job, "out", Color::none());
  CHECK(has(text, "SHARE                        CALLS BY RANK\n"));
  CHECK(
      has(text, "Net.head                         1    0.5  200 B  40.0 %  ########              1 on 1 of 2 ranks\n"));
  job.collectives.back().rank_set = 0;
  job.collectives.back().amount.ranks = 2;
  CHECK_FALSE(has(screenText(job, "out", Color::none()), "CALLS BY RANK"));
  job.collectives.back().amount.count = {.sum = 25, .min = 10, .max = 15};
  CHECK(has(screenText(job, "out", Color::none()), "  2 to 3\n"));
  job.collectives.push_back(job.collectives.back());
  CHECK(has(screenText(job, "out", Color::none()), "  ranks differ\n"));
}

TEST_CASE("each process without a rank is a rank, as in a diff") {
  JobReport job = jobWith(1);
  job.ranks.clear();
  for (JobProcess& process : job.processes) {
    process.rank.reset();
  }
  CHECK(has(screenText(job, "out", Color::none()), "divided by 2 ranks and 5 steps\n"));
}

TEST_CASE("what follows the last training step is no step") {
  JobReport job = jobWith(1);
  for (JobStep& step : job.steps) {
    step.training_steps = 1;
  }
  job.outside_steps.push_back({.first_step = 5, .ranks = 2, .timed_ranks = 2});
  CHECK(has(screenText(job, "out", Color::none()), "divided by 2 ranks and 5 steps\n"));
}

TEST_CASE("a group without a description is named by its ranks") {
  JobReport job = jobWith(1);
  job.groups[0] = {.name = "3", .backend = "nccl", .size = 2, .members = {{0, 1}}};
  CHECK(has(screenText(job, "out", Color::none()), "all_reduce  3 [0-1]     2"));
  job.groups[0].members = {{0, 2}, {1, 3}};
  CHECK(has(screenText(job, "out", Color::none()), "all_reduce  3         2"));
}

TEST_CASE("set-up is apart, in no share, and not divided by steps") {
  JobReport job = jobWith(3);
  job.collectives.back().setup = true;
  const std::string text = screenText(job, "out", Color::none());
  CHECK(has(text, "set-up, before the first forward: 2.5 calls and 1000 B per rank (calls: 5 on 1 of 2 ranks)\n"));
  CHECK(has(text, "all_reduce  dp        2      3  300 B  100 %"));
  CHECK_FALSE(has(text, "Net.head"));
}

TEST_CASE("a run without steps has means per rank") {
  JobReport job = jobWith(3);
  job.steps.clear();
  const std::string text = screenText(job, "out", Color::none());
  CHECK(has(text, "Per rank: the mean of 2 ranks; the run has no training steps\n"));
  CHECK(has(text, "broadcast   dp        2    2.5    1000 B  40.0 %"));
}

TEST_CASE("80 layers of modules that differ fit one screen, and the rows left out are added up") {
  JobReport job = jobWith(80);
  std::vector<JobCollective> rows;
  for (const JobCollective& row : job.collectives) {
    for (size_t part = 0; part < 15; ++part) {
      rows.push_back(row);
      rows.back().module += std::string(".part") + static_cast<char>('a' + part) + std::string(80, 'x');
      rows.back().group = part;
    }
  }
  for (size_t part = 1; part < 15; ++part) {
    job.groups.push_back({.name = "group" + std::string(100, 'g'), .desc = "", .backend = "nccl", .size = 2});
  }
  job.collectives = rows;
  const std::string text = screenText(job, "out", Color::none());
  CHECK(std::count(text.begin(), text.end(), '\n') <= 40);
  CHECK(has(text, "(20 more)"));
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
    CHECK(displayWidth(text.substr(begin, end - begin)) <= 160);
  }
}

TEST_CASE("advice is named with what is at stake") {
  Report report = sampleReport(0);
  report.collectives.push_back(rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather));
  report.collectives.back().phase = Phase::kRecompute;
  const std::string text = screenText(jobOf({report}), "out", Color::none());
  CHECK(has(text, "\nadvice: recomputed ("));
  CHECK(has(text, " per rank and step; its rows have "));
  CHECK(has(text, " % of the bytes): commtap advise out\n"));
}

} // namespace
} // namespace commtap
