// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <doctest/doctest.h>

#include <memory>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

CollectiveKey keyOf(LedgerWriter& ledger, Kind kind, uint32_t group) {
  CollectiveKey key{};
  key.op = ledger.intern("c10d.op");
  key.kind = kind;
  key.group = group;
  return key;
}

std::vector<Step> stepsOf(const LedgerWriter& ledger) {
  Result<LedgerContents> contents = readLedger(ledger.bytes());
  REQUIRE(contents);
  CHECK(contents->damage.empty());
  return contents->report.steps;
}

/// Counts one all_reduce of `bytes` in each of `steps` steps.
void train(LedgerWriter& ledger, uint32_t group, uint64_t steps, uint64_t bytes) {
  for (uint64_t step = 0; step < steps; ++step) {
    countOne(ledger, keyOf(ledger, Kind::kAllReduce, group), bytes);
    ledger.openStep().forward_passes.fetch_add(2);
    ledger.closeStep(1000 + step, StepSign::kOptimizer);
  }
}

TEST_CASE("each of the first steps has a row, and the running step is the last row") {
  const auto ledger = LedgerWriter::create();
  const uint32_t group = ledger->addGroup("g", "", "gloo", 2, 0, {});
  train(*ledger, group, 3, 64);
  countOne(*ledger, keyOf(*ledger, Kind::kBarrier, group), 0);
  const std::vector<Step> steps = stepsOf(*ledger);
  REQUIRE(steps.size() == 4);
  for (uint64_t i = 0; i < 3; ++i) {
    CHECK(steps[i].first_step == i);
    CHECK(steps[i].steps == 1);
    CHECK(steps[i].forward_passes == 2);
    CHECK(steps[i].ended_at_ns);
    CHECK(steps[i].collectives == std::vector<StepAmount>{{Kind::kAllReduce, "g", 1, 64}});
  }
  CHECK(steps[3].first_step == 3);
  CHECK_FALSE(steps[3].ended_at_ns);
  CHECK(steps[3].collectives == std::vector<StepAmount>{{Kind::kBarrier, "g", 1, 0}});
}

TEST_CASE("later steps of a long run are merged without losing counts") {
  const auto ledger = LedgerWriter::create();
  const uint32_t group = ledger->addGroup("g", "", "gloo", 2, 0, {});
  constexpr uint64_t kSteps = 10007;
  train(*ledger, group, kSteps, 8);
  const std::vector<Step> steps = stepsOf(*ledger);
  CHECK(steps.size() <= 512);
  CHECK(steps.size() > 128);
  uint64_t next = 0;
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t forwards = 0;
  for (const Step& step : steps) {
    CHECK(step.first_step == next);
    next += step.steps;
    forwards += step.forward_passes;
    for (const StepAmount& amount : step.collectives) {
      count += amount.count;
      bytes += amount.bytes;
    }
  }
  CHECK(next == kSteps + 1); // and the running step
  CHECK(count == kSteps);
  CHECK(bytes == 8 * kSteps);
  CHECK(forwards == 2 * kSteps);
  for (uint64_t i = 0; i < kExactSteps; ++i) {
    CHECK(steps[i].steps == 1);
  }
}

TEST_CASE("pairs of kind and group beyond the last lane share one entry") {
  const auto ledger = LedgerWriter::create();
  for (uint32_t i = 0; i < 2 * kLaneCount; ++i) {
    const uint32_t group = ledger->addGroup("g" + std::to_string(i), "", "gloo", 2, 0, {});
    countOne(*ledger, keyOf(*ledger, Kind::kAllReduce, group), 4);
  }
  const std::vector<Step> steps = stepsOf(*ledger);
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].collectives.size() == kLaneCount);
  CHECK(steps[0].collectives[0] == StepAmount{Kind::kAllReduce, "g0", 1, 4});
  CHECK(steps[0].collectives.back() == StepAmount{Kind::kOther, "?", kLaneCount + 1, 4 * (kLaneCount + 1)});
}

TEST_CASE("resetting the steps restarts at step 0") {
  const auto ledger = LedgerWriter::create();
  const uint32_t group = ledger->addGroup("g", "", "gloo", 2, 0, {});
  train(*ledger, group, 20, 64);
  ledger->zeroCounters();
  train(*ledger, group, 1, 16);
  const std::vector<Step> steps = stepsOf(*ledger);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].first_step == 0);
  CHECK(steps[0].collectives == std::vector<StepAmount>{{Kind::kAllReduce, "g", 1, 16}});
}

TEST_CASE("the last collectives come oldest first, and each group counts its own") {
  const auto ledger = LedgerWriter::create();
  const uint32_t group = ledger->addGroup("g", "", "gloo", 2, 0, {});
  for (uint64_t i = 1; i <= 5000; ++i) {
    countOne(*ledger, keyOf(*ledger, i % 5 == 0 ? Kind::kSend : Kind::kAllReduce, group), i);
  }
  Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  const Report& report = contents->report;
  REQUIRE(report.last.size() == 2048);
  CHECK(report.last.front().number == 5000 - 2048 + 1);
  CHECK(report.last.back().number == 5000);
  CHECK(report.last.back().bytes == 5000);
  CHECK(report.last.back().sequence == 1000);
  CHECK(report.last.back().kind == Kind::kSend);
  CHECK(report.groups[0].collectives == 4000);
  CHECK(report.groups[0].point_to_point == 1000);
  for (size_t i = 1; i < report.last.size(); ++i) {
    CHECK(report.last[i].number == report.last[i - 1].number + 1);
  }
}

TEST_CASE("size classes are powers of two") {
  CHECK(sizeClassStart(sizeClass(0)) == 0);
  CHECK(sizeClassStart(sizeClass(1)) == 1);
  CHECK(sizeClassStart(sizeClass(127)) == 64);
  CHECK(sizeClassStart(sizeClass(128)) == 128);
  CHECK(sizeClassStart(sizeClass(~uint64_t{0})) == uint64_t{1} << 63U);
  const auto ledger = LedgerWriter::create();
  const uint32_t group = ledger->addGroup("g", "", "gloo", 2, 0, {});
  for (const uint64_t bytes : {100, 127, 128, 5000}) {
    countOne(*ledger, keyOf(*ledger, Kind::kAllReduce, group), bytes);
  }
  Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  REQUIRE(contents->report.collectives.size() == 1);
  CHECK(contents->report.collectives[0].count == 4);
  CHECK(contents->report.collectives[0].sizes == Histogram{{64, 2}, {128, 1}, {4096, 1}});
}

} // namespace
} // namespace commtap
