// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/unit/report/advice/advice_samples.h"

namespace commtap {
namespace {

/// Returns the calls that are in every step of the row labelled full_tensor.
double inEveryStep(AdvisedJob& jobs) {
  const JobReport& job = jobs.job();
  for (const JobCollective& row : job.collectives) {
    if (row.label == "full_tensor") {
      return Findings(job).callsInEveryStep(row);
    }
  }
  return -1;
}

TEST_CASE("what a row has in every step is what remains without the calls by which steps differ") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 3, kMiB);
  jobs.add("Global", Phase::kOther, Kind::kAllGather, 2, 8).label = "full_tensor";
  CHECK(inEveryStep(jobs) == doctest::Approx(2));
  SUBCASE("the last step has four more, which may be the row's") {
    jobs.report().steps.back().collectives.back().count += 4;
    jobs.report().collectives.back().count += 4;
    CHECK(inEveryStep(jobs) == doctest::Approx(2));
  }
  SUBCASE("all of the row's calls are in one step") {
    for (Step& step : jobs.report().steps) {
      step.collectives.back().count = step.first_step == 0 ? 2 * AdvisedJob::kSteps : 0;
    }
    CHECK(inEveryStep(jobs) == 0);
  }
  SUBCASE("set-up of the same kind and group makes the first step no other") {
    Collective& setup = jobs.add("Global", Phase::kOther, Kind::kAllGather, 0, 0);
    setup.setup = true;
    setup.count = 3;
    jobs.report().steps.front().collectives.back().count += 3;
    CHECK(inEveryStep(jobs) == doctest::Approx(2));
  }
  SUBCASE("steps that are added up prove nothing alone: a checkpoint may be in one of them") {
    Step& all = jobs.report().steps.front();
    all.steps = AdvisedJob::kSteps;
    all.collectives.back().count *= AdvisedJob::kSteps;
    jobs.report().steps.resize(1);
    CHECK(inEveryStep(jobs) == 0);
  }
  SUBCASE("a report without steps proves nothing") {
    jobs.report().steps.clear();
    CHECK(inEveryStep(jobs) == 0);
  }
}

TEST_CASE("what is in every training step need not be in evaluations") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kAllGather, 2, 8).label = "full_tensor";
  jobs.report().collectives.back().count -= 2;
  jobs.report().steps.front().collectives.back().count = 0;
  CHECK(inEveryStep(jobs) == 0);
  for (Step& step : jobs.report().steps) {
    step.training_steps = step.first_step == 0 ? std::nullopt : std::optional<uint64_t>(1);
  }
  CHECK(inEveryStep(jobs) == doctest::Approx(2));
}

/// Returns the calls of all rows as one finding.
double callsOf(AdvisedJob& jobs) {
  const JobReport& job = jobs.job();
  Findings findings(job);
  for (const JobCollective& row : job.collectives) {
    findings.add(AdviceRule::kSmall, row);
  }
  return findings.take().at(0).calls;
}

TEST_CASE("rows of different ranks are not added up: numbers are per rank that has any of them") {
  AdvisedJob jobs(4);
  for (size_t rank = 0; rank < 4; ++rank) {
    jobs.add(rank < 2 ? kLayer : kNextLayer, Phase::kBackward, Kind::kAllGather, 2, kMiB, rank);
  }
  CHECK(callsOf(jobs) == doctest::Approx(2));
  jobs.add(kLayer, Phase::kBackward, Kind::kAllGather, 4, kMiB, 3);
  CHECK(callsOf(jobs) == doctest::Approx(3)); // of all four ranks
}

TEST_CASE("a row is divided by the steps that can have it: evaluations have no backward") {
  AdvisedJob jobs; // of four steps, of which one evaluates
  for (Step& step : jobs.report().steps) {
    step.training_steps = step.first_step == 0 ? std::nullopt : std::optional<uint64_t>(1);
  }
  Collective& backward = jobs.add(kLayer, Phase::kBackward, Kind::kReduceScatter, 2, kMiB);
  backward.count = 6;
  jobs.report().steps.front().collectives.pop_back();
  CHECK(callsOf(jobs) == doctest::Approx(2));
  jobs.report().collectives.clear();
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 2, kMiB);
  CHECK(callsOf(jobs) == doctest::Approx(2));
  jobs.report().steps.clear();
  CHECK(callsOf(jobs) == doctest::Approx(2 * AdvisedJob::kSteps)); // per run
}

TEST_CASE("the calls of training are those that evaluations did not make, nor set-up") {
  AdvisedJob jobs; // of four steps, of which one evaluates
  for (Step& step : jobs.report().steps) {
    step.training_steps = step.first_step == 0 ? std::nullopt : std::optional<uint64_t>(1);
  }
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 2, kMiB);
  jobs.add(kNextLayer, Phase::kForward, Kind::kAllGather, 4, kMiB);
  jobs.add(kLayer, Phase::kBackward, Kind::kAllGather, 0, kMiB).count = 6;
  Collective& setup = jobs.add("Global", Phase::kOther, Kind::kAllGather, 0, 0);
  setup.setup = true;
  setup.count = 5;
  jobs.report().steps.front().collectives.back().count += 5;
  const auto trainingCalls = [&jobs](size_t row) {
    const JobReport& job = jobs.job();
    return Findings(job).trainingCalls(job.collectives.at(row));
  };
  std::map<std::pair<std::string, Phase>, uint64_t> calls;
  for (size_t i = 0; i < jobs.job().collectives.size(); ++i) {
    const JobCollective row = jobs.job().collectives[i];
    calls[{row.module, row.phase}] = trainingCalls(i);
  }
  CHECK(calls.at({kLayer, Phase::kForward}) == 6);
  CHECK(calls.at({kNextLayer, Phase::kForward}) == 12);
  CHECK(calls.at({kLayer, Phase::kBackward}) == 6);
}

TEST_CASE("a finding adds up the shares of its rows per rank and step, by rule and group") {
  AdvisedJob jobs(2);
  for (size_t rank = 0; rank < 2; ++rank) {
    jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 2, kMiB, rank);
  }
  const JobReport& job = jobs.job();
  Findings findings(job);
  findings.add(AdviceRule::kSmall, job.collectives[0]);
  findings.add(AdviceRule::kSmall, job.collectives[0], {0.5, 0});
  const std::vector<Advice> all = findings.take();
  REQUIRE(all.size() == 1);
  CHECK(all[0].rule->rule == AdviceRule::kSmall);
  CHECK(all[0].calls == doctest::Approx(3));
  CHECK(all[0].bytes == doctest::Approx(kMiB));
  CHECK(all[0].rows.size() == 2);
}

TEST_CASE("a group over two hosts that fits into one is named, and not in a plan") {
  AdvisedJob jobs(4);
  for (size_t rank = 0; rank < 4; ++rank) {
    Report& report = jobs.report(rank);
    report.job.host = rank < 2 ? "a" : "b";
    report.groups[0].size = 2;
    report.groups[0].ranks = rank % 2 == 0 ? std::vector<uint32_t>{0, 2} : std::vector<uint32_t>{1, 3};
    jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB, rank);
  }
  CHECK(jobs.rules() == Rules{"group_across_hosts"});
  jobs.report(0).job.planned = true;
  CHECK(jobs.rules().empty());
}

TEST_CASE("a group inside of hosts that communicates more has the better place") {
  AdvisedJob jobs(4);
  for (uint32_t rank = 0; rank < 4; ++rank) {
    Report& report = jobs.report(rank);
    report.job.host = rank < 2 ? "a" : "b";
    Group inside = report.groups[0];
    report.groups[0].size = 2;
    report.groups[0].ranks = rank % 2 == 0 ? std::vector<uint32_t>{0, 2} : std::vector<uint32_t>{1, 3};
    inside.name = inside.desc = "inside";
    inside.size = 2;
    inside.ranks = rank < 2 ? std::vector<uint32_t>{0, 1} : std::vector<uint32_t>{2, 3};
    report.groups.push_back(inside);
    jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB, rank);
    jobs.add(kNextLayer, Phase::kForward, Kind::kAllReduce, 2, 2 * kMiB, rank).group = "inside";
  }
  CHECK(jobs.rules().empty());
  for (uint32_t rank = 0; rank < 4; ++rank) {
    jobs.report(rank).collectives[0].bytes *= 3;
  }
  CHECK(jobs.rules() == Rules{"group_across_hosts"});
}

constexpr const char* kModel = "DistributedDataParallel";

TEST_CASE("a layer that fills several of DDP's buckets in a backward has a bucket with one parameter") {
  AdvisedJob jobs; // of one forward
  const auto bucket = [&jobs](const char* layer, uint64_t calls) {
    Collective& row = jobs.add(kModel, Phase::kBackward, Kind::kAllReduce, 1, kMiB);
    row.issued_in = layer;
    row.count = calls;
  };
  bucket(kLayer, 1);
  bucket(kModel, 2); // the model itself holds several layers
  CHECK(jobs.rules().empty());
  bucket(kNextLayer, 2);
  CHECK(jobs.rules() == Rules{"bucket_of_one"});
  CHECK(jobs.advice()[0].rows.size() == 1);
  CHECK(jobs.advice()[0].calls == doctest::Approx(0.25)); // one of two, in four steps
  CHECK(jobs.advice()[0].bytes == 0);
  for (Module& module : jobs.report().modules) { // four forwards that evaluate
    module.calls[static_cast<size_t>(Phase::kForward)] += 4;
  }
  CHECK(jobs.rules().empty());
  jobs.report().steps.front().backward_passes = 1;
  CHECK(jobs.rules() == Rules{"bucket_of_one"});
}

/// Adds a row of DDP's broadcasts of a layer's buffers to a rank of a job with so many ranks.
Collective& addBuffers(AdvisedJob& jobs, uint64_t calls, uint64_t bytes, size_t rank = 0, int64_t ranks = 1) {
  Collective& row = jobs.add(kModel, Phase::kForward, Kind::kBroadcast, calls, bytes, rank);
  row.label = "broadcast_buffers";
  Report& report = jobs.report(rank);
  report.job.world_size = ranks;
  report.members.push_back({report.collectives.size() - 1, kLayer, row.bytes, {}});
  return row;
}

TEST_CASE("DDP reduces in each backward if its steps have micro-batches, and reduce more than all its parameters") {
  AdvisedJob jobs;
  Collective& made = jobs.add(kModel, Phase::kOther, Kind::kBroadcast, 0, 0);
  made.setup = true;
  made.count = 1;
  made.bytes = kMiB + 64;                                            // with a buffer
  jobs.add(kModel, Phase::kBackward, Kind::kAllReduce, 8, 4 * kMiB); // two buckets
  CHECK(jobs.rules().empty());
  for (Step& step : jobs.report().steps) {
    step.forward_passes = step.backward_passes = 4;
  }
  CHECK(jobs.rules() == Rules{"reduced_each_backward_ddp"});
  CHECK(jobs.advice()[0].bytes == doctest::Approx(3 * kMiB - 64));
  CHECK(jobs.advice()[0].memory_bytes == 0);
  addBuffers(jobs, 4, 4 * 64);
  CHECK(jobs.rules() == Rules{"reduced_each_backward_ddp", "buffers_broadcast"});
  CHECK(jobs.advice()[0].bytes == doctest::Approx(3 * kMiB));
  CHECK(jobs.advice()[0].calls == doctest::Approx(6));
  jobs.report().collectives.pop_back();
  jobs.report().members.clear();
  jobs.report().collectives.back().dtype = "bfloat16"; // compressed: how many elements are all, is not known
  CHECK(jobs.rules().empty());
  jobs.report().collectives.back().dtype = "float32";
  jobs.report().collectives.back().bytes /= 4; // the last backward only, with eight buckets
  CHECK(jobs.rules().empty());
}

TEST_CASE("a map of used parameters is sought for nothing if all modules are called in each forward") {
  AdvisedJob jobs;
  jobs.add(kModel, Phase::kBackward, Kind::kAllReduce, 1, 16).dtype = "int32";
  CHECK(jobs.rules() == Rules{"unused_sought"});
  CHECK(jobs.advice()[0].bytes == doctest::Approx(16));
  jobs.report().collectives.back().count = 1; // of a static graph
  CHECK(jobs.rules().empty());
  jobs.report().collectives.back().count = AdvisedJob::kSteps;
  for (Module& module : jobs.report().modules) {
    module.calls[static_cast<size_t>(Phase::kForward)] *= module.name == kLayer ? 1 : 2;
  }
  CHECK(jobs.rules().empty());
}

TEST_CASE("DDP's broadcasts of buffers are named if every step has them, and no rank saw one change") {
  AdvisedJob jobs(2);
  addBuffers(jobs, 1, 64, 0, 2);
  addBuffers(jobs, 1, 64, 1, 2);
  CHECK(jobs.rules() == Rules{"buffers_broadcast"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(1));
  CHECK(jobs.advice()[0].bytes == doctest::Approx(64));
  jobs.report(1).members.back().changes = 1; // it takes back what rank 1 alone changes
  CHECK(jobs.rules().empty());
  jobs.report(1).members.clear(); // whether rank 1 changes them is not known
  CHECK(jobs.rules().empty());
}

TEST_CASE("DDP's broadcasts are not named for the order of its buckets, or fewer calls than steps") {
  AdvisedJob jobs;
  Collective& row = addBuffers(jobs, 1, 64);
  row.label.clear();
  CHECK(jobs.rules().empty());
  row.label = "broadcast_buffers";
  row.count = AdvisedJob::kSteps - 1;
  CHECK(jobs.rules().empty());
  row.count = AdvisedJob::kSteps;
  CHECK(jobs.rules() == Rules{"buffers_broadcast"});
}

TEST_CASE("DDP's broadcasts are not named if buffers of another type change, or a rank has no report") {
  AdvisedJob jobs(2);
  for (const size_t rank : {0, 1}) {
    addBuffers(jobs, 1, 64, rank, 2);
    addBuffers(jobs, 1, 8, rank, 2).dtype = "int64";
  }
  CHECK(jobs.rules() == Rules{"buffers_broadcast"});
  CHECK(jobs.advice()[0].rows.size() == 2);
  for (const size_t rank : {0, 1}) {
    jobs.report(rank).job.world_size = 3;
  }
  CHECK(jobs.rules().empty());
  for (const size_t rank : {0, 1}) {
    jobs.report(rank).job.world_size = 2;
    jobs.report(rank).members.back().changes = 2;
  }
  CHECK(jobs.rules().empty());
}

/// Adds a row of DTensor's all_reduces at Global.
Collective& addReduces(AdvisedJob& jobs, Phase phase, uint64_t calls, uint64_t bytes, const char* label) {
  Collective& row = jobs.add("Global", phase, Kind::kAllReduce, calls, bytes);
  row.op = "_c10d_functional.all_reduce";
  row.label = label;
  return row;
}

TEST_CASE("full_tensor of several tensors in every step is named with its calls") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kAllGather, 6, kMiB).label = "full_tensor";
  CHECK(jobs.rules() == Rules{"full_tensor_in_step"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(6));
}

TEST_CASE("full_tensor of one tensor per step, of all before the first step, or of all at the end, is not") {
  AdvisedJob one;
  one.add("Global", Phase::kOther, Kind::kAllGather, 1, kMiB).label = "full_tensor";
  CHECK(one.rules().empty());
  AdvisedJob before;
  Collective& row = before.add("Global", Phase::kOther, Kind::kAllGather, 6, kMiB);
  row.label = "full_tensor";
  row.setup = true;
  CHECK(before.rules().empty());
  AdvisedJob end;
  end.add("Global", Phase::kOther, Kind::kAllGather, 6, kMiB).label = "full_tensor";
  for (Step& step : end.report().steps) {
    step.collectives.back().count = step.first_step + 1 == AdvisedJob::kSteps ? 6 * AdvisedJob::kSteps : 0;
  }
  CHECK(end.rules().empty());
}

TEST_CASE("gradients that clipping reduces and the optimizer again are named with what the optimizer reduces") {
  AdvisedJob jobs;
  addReduces(jobs, Phase::kOther, 3, 3 * 256, "clip_grad_norm_");
  addReduces(jobs, Phase::kOptimizer, 9, 9 * 256, "");
  CHECK(jobs.rules() == Rules{"gradients_reduced_again"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(9));
  CHECK(jobs.advice()[0].rows.size() == 1);
}

TEST_CASE("an optimizer that reduces other tensors than clipping, or clipping that reduces norms, proves nothing") {
  for (const auto& [clipped, reduced] : {std::pair(3 * 8, 3 * 8), std::pair(3 * 256, 3 * 128)}) {
    AdvisedJob jobs;
    addReduces(jobs, Phase::kOther, 3, clipped, "clip_grad_norm_");
    addReduces(jobs, Phase::kOptimizer, 3, reduced, "");
    CHECK(jobs.rules().empty());
  }
  AdvisedJob alone;
  addReduces(alone, Phase::kOptimizer, 9, 9 * 256, "");
  CHECK(alone.rules().empty());
  AdvisedJob by_hand;
  addReduces(by_hand, Phase::kOther, 3, 3 * 256, "clip_grad_norm_");
  addReduces(by_hand, Phase::kOptimizer, 3, 3 * 256, "").op = "c10d.allreduce_";
  CHECK(by_hand.rules().empty());
}

} // namespace
} // namespace commtap
