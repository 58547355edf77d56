// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <doctest/doctest.h>

#include "tests/unit/report/advice/advice_samples.h"

namespace commtap {
namespace {

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

TEST_CASE("DDP's broadcasts of buffers are named if every step has them, and no module has statistics of batches") {
  AdvisedJob jobs;
  jobs.add(kModel, Phase::kForward, Kind::kBroadcast, 1, 64);
  CHECK(jobs.rules().empty()); // of the order of the buckets, for instance
  jobs.report().collectives.back().label = "broadcast_buffers";
  CHECK(jobs.rules() == Rules{"buffers_broadcast"});
  for (Module& module : jobs.report().modules) {
    module.class_name = module.name == kLayer ? "SyncBatchNorm" : "Linear";
  }
  CHECK(jobs.rules().empty());
}

} // namespace
} // namespace commtap
