// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/unit/report/advice/advice_samples.h"

namespace commtap {
namespace {

TEST_CASE("the table of rules is in the order of its enumeration") {
  size_t place = 0;
  for (const AdviceRuleRow& row : adviceRules()) {
    CHECK(static_cast<size_t>(row.rule) == place++);
    CHECK_FALSE(row.name.empty());
    CHECK_FALSE(row.text.empty());
    CHECK_FALSE(row.condition.empty());
    CHECK(row.link.starts_with("commtap help "));
  }
}

TEST_CASE("a job with a few large collectives gets no advice") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kBackward, Kind::kAllReduce, 2, 2 * kMiB);
  CHECK(jobs.rules().empty());
}

TEST_CASE("many small collectives of one kind, phase and group are named with the calls that one call would save") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kBackward, Kind::kAllReduce, 30, 30 * 1024);
  jobs.add("DistributedDataParallel.net2", Phase::kBackward, Kind::kAllReduce, 20, 20 * 1024);
  CHECK(jobs.rules() == Rules{"small_collectives"});
  REQUIRE(jobs.advice().size() == 1);
  CHECK(jobs.advice()[0].calls == doctest::Approx(49));
  CHECK(jobs.advice()[0].bytes == 0); // they are sent in any case
  CHECK(jobs.advice()[0].rows.size() == 2);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, kMiB);
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB);
  CHECK(jobs.rules() == Rules{"recomputed"}); // in this group the backward may reduce what layers exchange, too
}

TEST_CASE("small collectives of two stages of a pipeline are not added up") {
  AdvisedJob jobs(2);
  jobs.add(kLayer, Phase::kBackward, Kind::kAllReduce, 30, 30720, 0);
  jobs.add(kNextLayer, Phase::kBackward, Kind::kAllReduce, 30, 30720, 1);
  CHECK(jobs.rules().count("small_collectives") == 0);
}

TEST_CASE("small collectives of set-up are not in a step") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kOptimizer, Kind::kBroadcast, 60, 60).setup = true;
  CHECK(jobs.rules().empty());
}

TEST_CASE("fewer, larger, or those of layers are not many small ones") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kBackward, Kind::kAllReduce, 49, 49 * 1024);
  jobs.add(kLayer, Phase::kOptimizer, Kind::kAllReduce, 60, 60 * 64 * 1024);
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 60, 60);
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 60, 60 * 64 * 1024);
  CHECK(jobs.rules().empty());
}

TEST_CASE("small collectives after the backward count if every step has them") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kAllReduce, 60, 60 * 64);
  CHECK(jobs.rules() == Rules{"small_collectives"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(59));
  for (Step& step : jobs.report().steps) { // a checkpoint, for instance
    step.collectives.back().count = step.first_step == 0 ? 60 * AdvisedJob::kSteps : 0;
  }
  CHECK(jobs.rules().empty());
}

TEST_CASE("what FSDP, DDP and DTensor call per unit or layer is not small collectives") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kBackward, Kind::kReduceScatter, 60, 60);
  CHECK(jobs.rules() == Rules{"small_collectives"});
  jobs.wrap(kLayer, "FSDPModule");
  CHECK(jobs.rules().empty());
  jobs.add("DistributedDataParallel", Phase::kBackward, Kind::kAllReduce, 60, 60);
  jobs.add(kNextLayer, Phase::kBackward, Kind::kAllReduce, 60, 60).op = "_c10d_functional.all_reduce";
  CHECK(jobs.rules().empty());
}

TEST_CASE("gradients are reduced whole if the optimizer gathers the parameters of their module, too") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kOptimizer, Kind::kAllReduce, 1, kMiB);
  jobs.add(kNextLayer, Phase::kOptimizer, Kind::kAllGather, 1, kMiB);
  jobs.add("Global", Phase::kOptimizer, Kind::kAllReduce, 1, kMiB); // a buffer of several modules
  jobs.add("Global", Phase::kOptimizer, Kind::kAllGather, 1, kMiB);
  CHECK(jobs.rules().empty());
  jobs.add(kLayer, Phase::kOptimizer, Kind::kAllGather, 1, kMiB).dtype = "bfloat16";
  CHECK(jobs.rules().empty());
  jobs.report().collectives.back().dtype = "float32";
  CHECK(jobs.rules() == Rules{"gradients_reduced_whole"});
  CHECK(jobs.advice()[0].bytes == doctest::Approx(kMiB / 2.0));
  CHECK(jobs.advice()[0].calls == 0);
}

TEST_CASE("an advice that saves no byte is after those that do") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kOptimizer, Kind::kBroadcast, 60, 60 * 1024);
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, 8);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, 8);
  CHECK(jobs.rules() == Rules{"recomputed", "small_collectives"});
  CHECK(jobs.advice()[0].rule->rule == AdviceRule::kRecompute);
}

TEST_CASE("collectives of a recomputation, and barriers and objects of each step, are named") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, kMiB);
  jobs.add("Global", Phase::kOther, Kind::kBarrier, 1, 0);
  jobs.add("Global", Phase::kOther, Kind::kBroadcast, 2, 100).label = "broadcast_object_list";
  CHECK(jobs.rules() == Rules{"recomputed", "barrier_in_step", "objects_in_step"});
  CHECK(jobs.advice()[0].rule->rule == AdviceRule::kRecompute); // most bytes first
}

TEST_CASE("a collective that the forward did not make is not repeated by a recomputation") {
  AdvisedJob jobs;
  jobs.add(kNextLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, kMiB);
  CHECK(jobs.rules().empty());
}

TEST_CASE("a barrier at the end is none of each step") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kBarrier, 1, 0).count = 1;
  CHECK(jobs.rules().empty());
}

TEST_CASE("barriers before the first step are none of each step, however many they are") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kBarrier, 1, 0).count = 9;
  for (Step& step : jobs.report().steps) {
    step.collectives.back().count = step.first_step == 0 ? 9 : 0;
  }
  CHECK(jobs.rules().empty());
}

TEST_CASE("a label of the job that has the word object sends none") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kBroadcast, 2, 100).label = "object detection";
  CHECK(jobs.rules().empty());
}

/// Two ranks of a group with an all_to_all. `group`: the ranks that the group says it has.
AdvisedJob exchanging(Phase phase, uint64_t mib, uint64_t other_mib, const std::vector<uint32_t>& group = {0, 1}) {
  AdvisedJob jobs(2);
  for (const size_t rank : {0, 1}) {
    jobs.report(rank).groups[0].size = static_cast<uint32_t>(group.size());
    jobs.report(rank).groups[0].ranks = group;
    jobs.add(kLayer, phase, Kind::kAllToAll, 1, (rank == 0 ? mib : other_mib) * kMiB, rank);
  }
  return jobs;
}

TEST_CASE("an all_to_all is uneven by what the rank that sends most has above the mean") {
  AdvisedJob jobs = exchanging(Phase::kForward, 1, 3);
  CHECK(jobs.rules() == Rules{"uneven_all_to_all"});
  CHECK(jobs.advice()[0].bytes == doctest::Approx(kMiB));
  CHECK(jobs.advice()[0].calls == 0);
  CHECK(exchanging(Phase::kForward, 4, 5).rules().empty()); // a ninth above the mean
}

TEST_CASE("an all_to_all is uneven by what a rank receives above the mean, whatever it sends") {
  AdvisedJob jobs = exchanging(Phase::kForward, 4, 4);
  CHECK(jobs.rules().empty());
  jobs.report(1).collectives[0].splits = {.calls = 1, .received_more = AdvisedJob::kSteps * 2 * kMiB};
  REQUIRE(jobs.rules() == Rules{"uneven_all_to_all"});
  CHECK(jobs.advice()[0].bytes == doctest::Approx(2 * kMiB)); // 6 MiB, and 4 in the mean
  jobs.add(kLayer, Phase::kForward, Kind::kAllToAll, 1, 2 * kMiB, 0);
  jobs.add(kLayer, Phase::kForward, Kind::kAllToAll, 1, 6 * kMiB, 1);
  CHECK(jobs.rules().empty()); // two rows of a rank may be of processes that followed one another
}

TEST_CASE("an all_to_all before the training, and ranks of other groups, wait for nothing in a step") {
  CHECK(exchanging(Phase::kOther, 1, 3).rules().empty());
  AdvisedJob alone = exchanging(Phase::kForward, 1, 3);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    alone.report(rank).groups[0].size = 1;
    alone.report(rank).groups[0].ranks = {rank};
  }
  CHECK(alone.rules().empty());
  CHECK(exchanging(Phase::kForward, 1, 3, {0, 1, 2}).rules().empty()); // a rank has no report
}

TEST_CASE("a number that each step reduces outside of everything is named, with its calls in nine of ten steps") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kAllReduce, 2, 2 * 4);
  CHECK(jobs.rules() == Rules{"number_reduced_in_step"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(1.8));
  CHECK(jobs.advice()[0].bytes == doctest::Approx(7.2));
  Collective& row = jobs.report().collectives.back();
  row.label = "clip_grad_norm_";
  CHECK(jobs.rules().empty());
  row.label = "";
  row.count = 1; // at the end
  CHECK(jobs.rules().empty());
  row.count = 2 * AdvisedJob::kSteps;
  row.bytes = row.count * 64;
  CHECK(jobs.rules().empty());
}

TEST_CASE("ranks that differ come first") {
  AdvisedJob jobs(2);
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB, 0);
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 2, kMiB, 1);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, kMiB, 0);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, kMiB, 1);
  CHECK(jobs.rules() == Rules{"ranks_differ", "recomputed"});
  CHECK(jobs.advice()[0].rule->rule == AdviceRule::kDisagreement);
  jobs.report(1).job.exit_status = 1; // the calls end there
  CHECK(jobs.rules() == Rules{"recomputed"});
  jobs.report(1).job.exit_status = 0;
  jobs.report(1).job.exit = ExitKind::kRunning; // it may yet make the call
  CHECK(jobs.rules() == Rules{"recomputed"});
}

} // namespace
} // namespace commtap
