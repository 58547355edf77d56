// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <doctest/doctest.h>

#include "tests/unit/report/advice/advice_samples.h"

namespace commtap {
namespace {

Sharder sharderOf(AdvisedJob& jobs, size_t row) {
  const JobReport& job = jobs.job();
  return ShardedParameters(job).sharderOf(job.collectives[row]);
}

TEST_CASE("a model may gather and scatter itself: neither these nor a wrapper prove sharded parameters") {
  AdvisedJob jobs; // as sequence parallelism by hand
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  jobs.add(kLayer, Phase::kBackward, Kind::kAllGather, 1, kMiB);
  jobs.add(kLayer, Phase::kBackward, Kind::kReduceScatter, 1, kMiB);
  CHECK(sharderOf(jobs, 0) == Sharder::kNone);
  jobs.wrap(kLayer, "FSDPModule");
  CHECK(sharderOf(jobs, 0) == Sharder::kNone);
}

TEST_CASE("a wrapped module that is gathered while another runs proves the group, and each version of FSDP its name") {
  for (const auto& [wrapper, sharder] :
       {std::pair("FSDPModule", Sharder::kFsdp2), std::pair("FullyShardedDataParallel", Sharder::kFsdp1)}) {
    AdvisedJob jobs;
    jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
    jobs.add(kLayer, Phase::kBackward, Kind::kAllGather, 1, kMiB).issued_in = kNextLayer;
    CHECK(sharderOf(jobs, 0) == Sharder::kNone);
    jobs.wrap(kLayer, wrapper);
    CHECK(sharderOf(jobs, 0) == sharder);
    jobs.report().collectives[0].op = "_c10d_functional.all_gather_into_tensor"; // DTensor's
    CHECK(sharderOf(jobs, 0) == Sharder::kNone);
    jobs.report().collectives[0].op = "c10d.allgather_";
    jobs.report().collectives[0].compiled = true;
    CHECK(sharderOf(jobs, 0) == Sharder::kNone);
  }
}

TEST_CASE("members that are parameters prove a row of FSDP2, and that the module's rows without them are none") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  jobs.report().members = {{0, kLayer, AdvisedJob::kSteps * kMiB, std::nullopt}};
  CHECK(sharderOf(jobs, 0) == Sharder::kFsdp2);
  jobs.wrap(kLayer, "FSDPModule");
  jobs.wrap(kNextLayer, "FSDPModule");
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB).issued_in = kNextLayer;
  jobs.add(kNextLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  CHECK(sharderOf(jobs, 1) == Sharder::kNone);
  CHECK(sharderOf(jobs, 2) == Sharder::kNone);         // sequence parallelism by hand, for instance
  jobs.report().members[0].count = AdvisedJob::kSteps; // a compiler merged the modules' collectives
  CHECK(sharderOf(jobs, 0) == Sharder::kFsdp2);        // by its wrapper and the prefetch
}

TEST_CASE("members of a list of parameters that an optimizer gathers prove no row of FSDP2") {
  for (const Phase phase : {Phase::kOptimizer, Phase::kOther}) {
    AdvisedJob jobs;
    jobs.add(kLayer, phase, Kind::kAllGather, 1, kMiB);
    jobs.report().members = {{0, kLayer, AdvisedJob::kSteps * kMiB, std::nullopt}};
    CHECK(sharderOf(jobs, 0) == Sharder::kNone);
  }
}

TEST_CASE("a module that is prefetched is sharded also where only the members of others are known") {
  AdvisedJob jobs; // tensor parallelism shards the parameters of one layer, and not those of the other
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  jobs.report().members = {{0, kLayer, AdvisedJob::kSteps * kMiB, std::nullopt}};
  jobs.wrap(kLayer, "FSDPModule");
  jobs.wrap(kNextLayer, "FSDPModule");
  jobs.add(kNextLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  jobs.add(kNextLayer, Phase::kBackward, Kind::kAllGather, 1, kMiB).issued_in = kLayer;
  CHECK(sharderOf(jobs, 1) == Sharder::kFsdp2);
  CHECK(sharderOf(jobs, 2) == Sharder::kFsdp2);
}

TEST_CASE("a row may be FSDP's if FSDP wraps its module, proved or not") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  const auto mayShard = [&jobs] {
    const JobReport& job = jobs.job();
    return ShardedParameters(job).mayShard(job.collectives[0]);
  };
  CHECK_FALSE(mayShard());
  jobs.wrap(kLayer, "FSDPModule");
  CHECK(mayShard());
  jobs.report().collectives[0].kind = Kind::kAllReduce;
  CHECK_FALSE(mayShard());
}

} // namespace
} // namespace commtap
