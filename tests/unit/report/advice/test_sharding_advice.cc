// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <doctest/doctest.h>

#include "tests/unit/report/advice/advice_samples.h"

namespace commtap {
namespace {

/// A job with a module that FSDP shards: it is gathered for the forward, and in the backward while another runs.
class ShardedJob : public AdvisedJob {
 public:
  explicit ShardedJob(const char* wrapper = "FSDPModule") {
    wrap(kLayer, wrapper);
    add(kLayer, Phase::kForward, Kind::kAllGather, 1, 4 * kMiB);
    add(kLayer, Phase::kBackward, Kind::kAllGather, 1, 4 * kMiB).issued_in = kNextLayer;
    add(kLayer, Phase::kBackward, Kind::kReduceScatter, 1, 4 * kMiB);
  }
  /// Returns the finding of a rule.
  const Advice& of(AdviceRule rule) const {
    for (const Advice& each : advice()) {
      if (each.rule->rule == rule) {
        return each;
      }
    }
    FAIL("the rule does not hold");
    return advice()[0];
  }
};

TEST_CASE("sequence parallelism by hand gathers in both passes, and is not FSDP") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, 4 * kMiB);
  jobs.add(kLayer, Phase::kBackward, Kind::kAllGather, 1, 4 * kMiB);
  jobs.add(kLayer, Phase::kBackward, Kind::kReduceScatter, 1, 4 * kMiB);
  CHECK(jobs.rules().empty());
}

TEST_CASE("FSDP's parameters that are gathered in both passes are gathered twice, and each FSDP has its own option") {
  ShardedJob fsdp2;
  CHECK(fsdp2.rules() == Rules{"gathered_twice"});
  CHECK(fsdp2.advice()[0].calls == doctest::Approx(1));
  CHECK(fsdp2.advice()[0].bytes == doctest::Approx(4 * kMiB));
  CHECK(fsdp2.advice()[0].rule->text.find("reshard_after_forward=False") != std::string_view::npos);
  ShardedJob fsdp1("FullyShardedDataParallel");
  CHECK(fsdp1.rules() == Rules{"gathered_twice_fsdp1"});
  CHECK(fsdp1.advice()[0].rule->text.find("reshard_after_forward") == std::string_view::npos);
  CHECK(fsdp1.advice()[0].rule->text.find("SHARD_GRAD_OP") != std::string_view::npos);
}

TEST_CASE("keeping parameters takes one gather of each module, however often it is made") {
  ShardedJob jobs;
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  CHECK(jobs.of(AdviceRule::kGatheredTwice).memory_bytes == doctest::Approx(4 * kMiB));
  for (Collective& row : jobs.report().collectives) { // gradient accumulation
    row.count *= 3;
    row.bytes *= 3;
  }
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  CHECK(jobs.of(AdviceRule::kGatheredTwice).bytes == doctest::Approx(3 * 4 * kMiB));
  CHECK(jobs.of(AdviceRule::kGatheredTwice).memory_bytes == doctest::Approx(4 * kMiB));
  jobs.wrap(kNextLayer, "FSDPModule");
  jobs.add(kNextLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  jobs.add(kNextLayer, Phase::kBackward, Kind::kAllGather, 1, kMiB).issued_in = kLayer;
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  CHECK(jobs.of(AdviceRule::kGatheredTwice).memory_bytes == doctest::Approx(5 * kMiB));
}

TEST_CASE("a prefetch that the job waits for as long as it runs hides nothing") {
  constexpr uint64_t kMs = 1'000'000;
  ShardedJob jobs;
  for (Step& step : jobs.report().steps) {
    step.started_at_ns = 1 + 100 * kMs * step.first_step;
    step.ended_at_ns = step.started_at_ns + 100 * kMs;
  }
  const auto setTimes = [&jobs](uint64_t timed, uint64_t running_ms, uint64_t exposed_ms) {
    const Durations running{timed, running_ms * kMs, 1, running_ms * kMs, {}};
    const Durations exposed{timed, exposed_ms * kMs, 1, exposed_ms * kMs, {}};
    for (Collective& row : jobs.report().collectives) {
      row.time.durations = {Durations(), running, exposed};
    }
    return jobs.rules().count("prefetch_hides_nothing");
  };
  CHECK(setTimes(AdvisedJob::kSteps, 40, 36) == 1);
  const Advice& advice = jobs.of(AdviceRule::kPrefetchHidesNothing);
  REQUIRE(advice.rows.size() == 1); // not the gather by the module itself
  CHECK(advice.rows[0]->issued_in == kNextLayer);
  CHECK(advice.exposed_ns == doctest::Approx(9 * kMs));
  CHECK(setTimes(AdvisedJob::kSteps, 40, 35) == 0);
  CHECK(setTimes(AdvisedJob::kSteps - 1, 40, 40) == 0); // not every call is timed
  CHECK(setTimes(AdvisedJob::kSteps, 3, 3) == 0);       // less than a hundredth of a step
}

TEST_CASE("rows of one module that different modules issue are one") {
  ShardedJob jobs;
  jobs.report().collectives[0].count /= 2; // in the other half of the steps, a prefetch gathers for the forward
  jobs.report().collectives[0].bytes /= 2;
  Collective prefetch = jobs.report().collectives[0];
  prefetch.issued_in = kNextLayer;
  jobs.report().collectives.push_back(prefetch);
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(1));
}

TEST_CASE("a recomputation's prefetch for a module whose backward is done is one gather too many") {
  ShardedJob jobs;
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllGather, 1, 4 * kMiB).issued_in = kNextLayer;
  CHECK(jobs.rules() == Rules{"gathered_twice", "prefetched_in_recompute"});
  const Advice& advice = jobs.of(AdviceRule::kPrefetchedInRecompute);
  CHECK(advice.calls == doctest::Approx(1));
  REQUIRE(advice.rows.size() == 1);
  CHECK(advice.rows[0]->phase == Phase::kRecompute);
  CHECK(jobs.of(AdviceRule::kGatheredTwice).calls == doctest::Approx(1));
  CHECK(jobs.of(AdviceRule::kGatheredTwice).rows[0]->phase == Phase::kBackward);
}

TEST_CASE("a prefetch in a recomputation that takes the place of the backward's gather is not too many") {
  AdvisedJob jobs;
  jobs.wrap(kLayer, "FSDPModule");
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllGather, 1, kMiB).issued_in = kNextLayer;
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  CHECK(jobs.advice()[0].rows[0]->phase == Phase::kRecompute);
}

TEST_CASE("a module that is gathered for its recomputation and again for its backward is gathered once too often") {
  ShardedJob jobs("FullyShardedDataParallel");
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllGather, 1, 4 * kMiB);
  CHECK(jobs.rules() == Rules{"gathered_twice_fsdp1", "gathered_in_recompute"});
  CHECK(jobs.of(AdviceRule::kGatheredInRecompute).calls == doctest::Approx(1));
  CHECK(jobs.of(AdviceRule::kGatheredTwiceFsdp1).calls == doctest::Approx(1));
}

TEST_CASE("parameters that are kept from the forward to the backward are gathered once") {
  ShardedJob jobs;
  jobs.report().collectives.erase(jobs.report().collectives.begin() + 1);
  CHECK(jobs.rules().empty());
}

TEST_CASE("parameters that a forward keeps from one call of their module to the next are not freed after it") {
  ShardedJob jobs; // called twice per step; FSDP2 frees them after the first of two backwards, whatever the option
  for (Module& module : jobs.report().modules) {
    module.calls[static_cast<size_t>(Phase::kForward)] = 2 * AdvisedJob::kSteps;
  }
  CHECK(jobs.rules().empty());
  jobs.report().collectives[0].count *= 2; // each call gathers
  CHECK(jobs.rules() == Rules{"gathered_twice"});
}

TEST_CASE("gradients in float32 of parameters in bfloat16 could be half as large, however many rows gather these") {
  ShardedJob jobs;
  for (Collective& row : jobs.report().collectives) {
    row.dtype = row.kind == Kind::kAllGather ? "bfloat16" : "float32";
  }
  Collective prefetch = jobs.report().collectives[0];
  prefetch.issued_in = kNextLayer;
  jobs.report().collectives.push_back(prefetch);
  CHECK(jobs.rules() == Rules{"gathered_twice", "wide_gradients"});
  CHECK(jobs.of(AdviceRule::kWideGradients).bytes == doctest::Approx(2 * kMiB));
  CHECK(jobs.of(AdviceRule::kWideGradients).calls == 0);
  jobs.report().collectives[2].dtype = "bfloat16";
  CHECK(jobs.rules() == Rules{"gathered_twice"});
}

TEST_CASE("gradients that each of several backwards reduces could be reduced in the last one") {
  ShardedJob jobs;
  jobs.report().collectives.pop_back();
  jobs.add(kLayer, Phase::kBackward, Kind::kReduceScatter, 4, 4 * 4 * kMiB);
  CHECK(jobs.rules() == Rules{"gathered_twice"}); // steps have one backward, or do not say
  for (Step& step : jobs.report().steps) {
    step.forward_passes = step.backward_passes = 4;
  }
  CHECK(jobs.rules() == Rules{"gathered_twice", "reduced_each_backward"});
  CHECK(jobs.of(AdviceRule::kReducedEachBackward).calls == doctest::Approx(3));
  CHECK(jobs.of(AdviceRule::kReducedEachBackward).bytes == doctest::Approx(3 * 4 * kMiB));
  CHECK(jobs.of(AdviceRule::kReducedEachBackward).memory_bytes == doctest::Approx(4 * kMiB));
  jobs.report().steps.back().closure_passes = 4; // once four of them are of one closure, steps have 3.25 in the mean
  CHECK(jobs.rules() == Rules{"gathered_twice", "reduced_each_backward"});
  for (Step& step : jobs.report().steps) { // reentrant checkpointing makes backwards of its own
    step.forward_passes = 1;
  }
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  for (Step& step : jobs.report().steps) { // an optimizer calls its closure four times per step
    step.forward_passes = step.closure_passes = 4;
  }
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  for (Step& step : jobs.report().steps) { // the closure makes the last of four micro-batches
    step.closure_passes = 1;
  }
  CHECK(jobs.rules() == Rules{"gathered_twice", "reduced_each_backward"});
  jobs.report().collectives.back().count = AdvisedJob::kSteps; // the last of the four reduces
  CHECK(jobs.rules() == Rules{"gathered_twice"});
}

TEST_CASE("parameters of a module that is never called are gathered for nothing") {
  ShardedJob jobs;
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  for (Module& module : jobs.report().modules) {
    module.calls = {};
  }
  CHECK(jobs.rules() == Rules{"gathered_twice", "gathered_unused"});
}

TEST_CASE("activations that a compiled graph gathers for a module are not unused parameters") {
  AdvisedJob jobs; // the calls inside of the graph are not seen
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB).compiled = true;
  for (Module& module : jobs.report().modules) {
    module.calls = {};
  }
  CHECK(jobs.rules().empty());
}

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
