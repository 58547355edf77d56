// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/advice.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

constexpr uint64_t kSteps = 4;

/// A job of one rank on one host that made kSteps steps, whose rows a test adds.
class Jobs {
 public:
  explicit Jobs(int64_t ranks = 1) : reports_(sampleReports(ranks)) {
    for (Report& report : reports_) {
      report.collectives.clear();
      report.members.clear();
      report.last.clear();
      report.steps.clear();
      for (uint64_t i = 0; i < kSteps; ++i) {
        Step step;
        step.first_step = i;
        step.collectives = {{Kind::kAllReduce, report.groups[0].name, 1, 8, 0, 0}};
        report.steps.push_back(step);
      }
    }
  }

  /// Adds a row to a rank, with numbers per step.
  Collective& add(const char* module, Phase phase, Kind kind, uint64_t count, uint64_t bytes, size_t rank = 0) {
    Collective row;
    row.module = row.issued_in = module;
    row.phase = phase;
    row.kind = kind;
    row.op = std::string("op.") + std::string(kindName(kind));
    row.group = reports_[rank].groups[0].name;
    row.dtype = "float32";
    row.count = kSteps * count;
    row.bytes = kSteps * bytes;
    reports_[rank].collectives.push_back(row);
    return reports_[rank].collectives.back();
  }
  Report& report(size_t rank = 0) {
    return reports_[rank];
  }
  /// Returns the names of the rules that hold.
  std::set<std::string> rules() {
    job_ = jobOf(reports_);
    advice_ = adviceFor(job_);
    std::set<std::string> names;
    for (const Advice& advice : advice_) {
      names.insert(std::string(advice.rule->name));
    }
    return names;
  }
  const std::vector<Advice>& advice() const {
    return advice_;
  }

 private:
  std::vector<Report> reports_;
  JobReport job_;
  std::vector<Advice> advice_;
};

using Rules = std::set<std::string>;
constexpr const char* kLayer = "DistributedDataParallel.net1";
constexpr uint64_t kMiB = 1U << 20U;

TEST_CASE("the table of rules is in the order of its enumeration") {
  size_t place = 0;
  for (const AdviceRuleRow& row : adviceRules()) {
    CHECK(static_cast<size_t>(row.rule) == place++);
    CHECK_FALSE(row.name.empty());
    CHECK_FALSE(row.text.empty());
    CHECK(row.link.starts_with("docs/"));
  }
}

TEST_CASE("a job with a few large collectives gets no advice") {
  Jobs jobs;
  jobs.add(kLayer, Phase::kBackward, Kind::kAllReduce, 2, 2 * kMiB);
  CHECK(jobs.rules().empty());
}

TEST_CASE("many small collectives of one kind, phase and group are named with what they take per step") {
  Jobs jobs;
  jobs.add(kLayer, Phase::kBackward, Kind::kAllReduce, 30, 30 * 1024);
  jobs.add("DistributedDataParallel.net2", Phase::kBackward, Kind::kAllReduce, 20, 20 * 1024);
  CHECK(jobs.rules() == Rules{"small_collectives"});
  REQUIRE(jobs.advice().size() == 1);
  CHECK(jobs.advice()[0].calls == doctest::Approx(50));
  CHECK(jobs.advice()[0].bytes == doctest::Approx(50 * 1024));
  CHECK(jobs.advice()[0].rows.size() == 2);
}

TEST_CASE("fewer, larger, or those of other phases are not many small ones") {
  Jobs jobs;
  jobs.add(kLayer, Phase::kBackward, Kind::kAllReduce, 49, 49 * 1024);
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 60, 60 * 64 * 1024);
  jobs.add(kLayer, Phase::kOther, Kind::kAllReduce, 60, 60);
  CHECK(jobs.rules().empty());
}

TEST_CASE("parameters that are gathered in both passes and reduced are gathered twice") {
  Jobs jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, 4 * kMiB);
  jobs.add(kLayer, Phase::kBackward, Kind::kAllGather, 1, 4 * kMiB);
  CHECK(jobs.rules().empty()); // an activation may be gathered in both, too
  jobs.add(kLayer, Phase::kBackward, Kind::kReduceScatter, 1, 4 * kMiB);
  CHECK(jobs.rules() == Rules{"gathered_twice"});
  CHECK(jobs.advice()[0].calls == doctest::Approx(1));
  CHECK(jobs.advice()[0].bytes == doctest::Approx(4 * kMiB));
}

TEST_CASE("gradients in float32 of parameters in bfloat16 could be half as large") {
  Jobs jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, 2 * kMiB).dtype = "bfloat16";
  jobs.add(kLayer, Phase::kBackward, Kind::kReduceScatter, 1, 4 * kMiB);
  CHECK(jobs.rules() == Rules{"wide_gradients"});
  CHECK(jobs.advice()[0].bytes == doctest::Approx(2 * kMiB));
}

TEST_CASE("collectives of a recomputation, and barriers and objects of each step, are named") {
  Jobs jobs;
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, kMiB);
  jobs.add("Global", Phase::kOther, Kind::kBarrier, 1, 0);
  jobs.add("Global", Phase::kOther, Kind::kBroadcast, 2, 100).label = "broadcast_object_list";
  CHECK(jobs.rules() == Rules{"recomputed", "barrier_in_step", "objects_in_step"});
  CHECK(jobs.advice()[0].rule->rule == AdviceRule::kRecompute); // most bytes first
}

TEST_CASE("a barrier at the end is none of each step") {
  Jobs jobs;
  jobs.add("Global", Phase::kOther, Kind::kBarrier, 1, 0).count = 1;
  CHECK(jobs.rules().empty());
}

TEST_CASE("an all_to_all is uneven by what the largest rank has more than the mean") {
  Jobs jobs(2);
  jobs.add(kLayer, Phase::kForward, Kind::kAllToAll, 1, 1 * kMiB, 0);
  jobs.add(kLayer, Phase::kForward, Kind::kAllToAll, 1, 3 * kMiB, 1);
  CHECK(jobs.rules() == Rules{"uneven_all_to_all"});
  CHECK(jobs.advice()[0].bytes == doctest::Approx(2.0 * kMiB / 3));
}

TEST_CASE("parameters of a module that is never called are gathered for nothing") {
  Jobs jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 1, kMiB);
  CHECK(jobs.rules().empty());
  for (Module& module : jobs.report().modules) {
    module.calls = {};
  }
  CHECK(jobs.rules() == Rules{"gathered_unused"});
}

TEST_CASE("a group over two hosts that fits into one is named, and not in a plan") {
  Jobs jobs(4);
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

TEST_CASE("ranks that differ come first") {
  Jobs jobs(2);
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB, 0);
  jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 2, kMiB, 1);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, kMiB, 0);
  jobs.add(kLayer, Phase::kRecompute, Kind::kAllReduce, 1, kMiB, 1);
  CHECK(jobs.rules() == Rules{"ranks_differ", "recomputed"});
  CHECK(jobs.advice()[0].rule->rule == AdviceRule::kDisagreement);
}

TEST_CASE("a layer that fills several of DDP's buckets in a backward has a bucket with one parameter") {
  Jobs jobs; // of one forward
  const auto bucket = [&jobs](const char* layer, uint64_t calls) {
    Collective& row = jobs.add("DistributedDataParallel", Phase::kBackward, Kind::kAllReduce, 1, kMiB);
    row.issued_in = layer;
    row.count = calls;
  };
  bucket(kLayer, 1);
  bucket("DistributedDataParallel", 2); // the model itself holds several layers
  CHECK(jobs.rules().empty());
  bucket("DistributedDataParallel.net2", 2);
  CHECK(jobs.rules() == Rules{"bucket_of_one"});
  CHECK(jobs.advice()[0].rows.size() == 1);
  CHECK(jobs.advice()[0].bytes == doctest::Approx(kMiB / 2.0));
}

} // namespace
} // namespace commtap
