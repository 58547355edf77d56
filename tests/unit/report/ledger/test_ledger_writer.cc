// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "report/json/report_json.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/child.h"
#include "tests/unit/report/ledger/ledger_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("equal keys find the same row") {
  const auto ledger = LedgerWriter::create();
  const CollectiveKey key = keyFor(*ledger, "a");
  LedgerCollective* row = ledger->row(key);
  CHECK(ledger->row(key) == row);
  CHECK(ledger->row(keyFor(*ledger, "b")) != row);
}

TEST_CASE("ops have rows of their own, once they are asked for") {
  const auto ledger = LedgerWriter::create();
  REQUIRE(ledger);
  CHECK_FALSE(readLedger(ledger->bytes())->report.operations);
  REQUIRE(ledger->countOperations(Level::kOps));
  CHECK(readLedger(ledger->bytes())->report.operations == std::vector<Operation>());
  const uint32_t net = ledger->addModule(kGlobalModule, "net", "Linear", 0);
  const StringId op = ledger->intern("aten.linear");
  LedgerOperation* row = ledger->row(OperationKey{net, op, Phase::kForward, 1, {}});
  REQUIRE(row != nullptr);
  row->count += 2;
  REQUIRE(ledger->countOperations(Level::kOps)); // a second request keeps the rows
  CHECK(ledger->row(OperationKey{net, op, Phase::kForward, 1, {}}) == row);
  CHECK(ledger->row(OperationKey{net, op, Phase::kForward, 0, {}}) != row);
  const auto operations = readLedger(ledger->bytes())->report.operations;
  REQUIRE(operations);
  CHECK(*operations == std::vector<Operation>{{"net", Phase::kForward, "aten.linear", true, 2}});
  ledger->zeroCounters();
  CHECK(row->count == 0);
}

TEST_CASE("ops beyond the capacity are counted in not_seen") {
  const auto ledger = LedgerWriter::create();
  REQUIRE(ledger);
  REQUIRE(ledger->countOperations(Level::kOps));
  uint32_t module = 0;
  while (ledger->row(OperationKey{module, 0, Phase::kForward, 0, {}}) != nullptr) {
    ++module;
    REQUIRE(module < 1U << 20U);
  }
  CHECK(module == ledger->header().sections[kOperations].capacity);
  CHECK(ledger->header().not_seen[static_cast<size_t>(NotSeen::kOperationRowsFull)].count == 1);
}

TEST_CASE("a call to NCCL is in the ledger from its entry until it returns, also after a reset") {
  const auto ledger = LedgerWriter::create();
  REQUIRE(ledger->countNccl(22907));
  const uint32_t group = ledger->addGroup("0", "default_pg", "nccl", 2, 1, {});
  const StringId reduce = ledger->intern("ncclAllReduce");
  const uint64_t zero = 0 - ledger->header().realtime_minus_steady; // reads as 0
  LedgerOpenCall* later = ledger->enter(reduce, group, zero + 200, 7);
  LedgerOpenCall* sooner = ledger->enter(ledger->intern("ncclCommAbort"), kNoIndex, zero + 100, 7);
  REQUIRE(later != nullptr);
  REQUIRE(sooner != nullptr);
  CHECK(later != sooner);
  ledger->zeroCounters();
  Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  CHECK(contents->damage.empty());
  CHECK(
      contents->report.open_calls == std::vector<EnteredCall>{{"ncclCommAbort", "", 100}, {"ncclAllReduce", "0", 200}});
  LedgerWriter::leave(*sooner);
  contents = readLedger(ledger->bytes());
  CHECK(contents->report.open_calls == std::vector<EnteredCall>{{"ncclAllReduce", "0", 200}});
  CHECK(ledger->enter(reduce, group, zero + 300, 8) == sooner);
}

TEST_CASE("more open calls than there are records are not noted, and their records are used again") {
  const auto ledger = LedgerWriter::create();
  REQUIRE(ledger->countNccl(22907));
  const StringId name = ledger->intern("ncclRecv");
  std::set<LedgerOpenCall*> open;
  for (uint32_t i = 0; i < kMostOpenCalls; ++i) {
    open.insert(ledger->enter(name, kNoIndex, 5, 3));
  }
  CHECK(open.size() == kMostOpenCalls);
  CHECK(open.count(nullptr) == 0);
  CHECK(ledger->enter(name, kNoIndex, 5, 3) == nullptr);
  LedgerWriter::leave(**open.begin());
  CHECK(ledger->enter(name, kNoIndex, 5, 3) == *open.begin());
  CHECK(readLedger(ledger->bytes())->report.open_calls.size() == kMostOpenCalls);
}

TEST_CASE("communicators and NCCL calls beyond the capacity are counted in not_seen") {
  const auto ledger = LedgerWriter::create();
  REQUIRE(ledger->countNccl(22907));
  uint32_t communicators = 0;
  while (ledger->addCommunicator() != kNoIndex) {
    ++communicators;
  }
  CHECK(communicators == 4096);
  NcclKey key{ledger->intern("ncclSend"), 0, 0, kNoIndex, 0, Phase::kOther, 7, 1, 0};
  while (ledger->row(key) != nullptr) {
    ++key.communicator;
  }
  CHECK(key.communicator == 16384);
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  REQUIRE(contents->report.not_seen.size() == 1);
  CHECK(contents->report.not_seen[0].reason == "nccl_full");
  CHECK(contents->report.not_seen[0].count == 2);
}

TEST_CASE("durations belong to the row and the step, move into the file, and a reset sets them to 0") {
  const TempFolder folder;
  const auto ledger = LedgerWriter::create();
  CollectiveKey key = keyFor(*ledger, "a");
  key.size_class = sizeClass(8); // as in countOne()
  countOne(*ledger, key, 8);
  LedgerCollective& row = *ledger->row(key);
  LedgerTimes* times = ledger->timesOf(row);
  REQUIRE(times != nullptr);
  CHECK(ledger->timesOf(row) == times);
  ledger->countDuration(row, *times, DurationKind::kRunning, 100);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  ledger->countDuration(row, *times, DurationKind::kRunning, 50);
  ledger->countDuration(row, *times, DurationKind::kExposed, 30);
  times->bytes = 16;
  Report report = readLedgerFile(folder / "x.ledger")->report;
  REQUIRE(report.collectives.size() == 1);
  CHECK(report.collectives[0].time.of(DurationKind::kRunning) == Durations{2, 150, 50, 100, {{32, 1}, {64, 1}}});
  CHECK(report.collectives[0].time.of(DurationKind::kExposed).sum_ns == 30);
  CHECK(report.collectives[0].time.of(DurationKind::kQueued).count == 0);
  CHECK(report.collectives[0].time.bytes == 16);
  CHECK(report.steps.back().collectives[0].running_ns == 150);
  CHECK(report.steps.back().collectives[0].exposed_ns == 30);
  ledger->zeroCounters();
  ledger->countDuration(row, *times, DurationKind::kRunning, 70);
  countOne(*ledger, key, 8);
  report = readLedgerFile(folder / "x.ledger")->report;
  CHECK(report.collectives[0].time.of(DurationKind::kRunning) == Durations{1, 70, 70, 70, {{64, 1}}});
}

TEST_CASE("timed rows beyond the capacity are counted in not_seen") {
  const auto ledger = LedgerWriter::create();
  uint32_t module = 0;
  bool full = false;
  while (!full && module < 100'000) {
    CollectiveKey key = keyFor(*ledger, "a");
    key.module = ++module;
    full = ledger->timesOf(*ledger->row(key)) == nullptr;
  }
  CHECK(full);
  CHECK(module > 10'000);
  const Report report = readLedger(ledger->bytes())->report;
  REQUIRE(report.not_seen.size() == 1);
  CHECK(report.not_seen[0].reason == "times_full");
  CHECK(report.not_seen[0].count == 1);
}

TEST_CASE("a small ledger is published, forked and read like a full one, and counts what does not fit") {
  const TempFolder folder;
  const auto ledger = LedgerWriter::create(LedgerSize::kSmall);
  REQUIRE(ledger);
  const uint32_t group = ledger->addGroup("g", "", "gloo", 2, 0, std::vector<uint32_t>{0, 1});
  CollectiveKey key = keyFor(*ledger, "a");
  key.group = group;
  countOne(*ledger, key, 8);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  countOne(*ledger, key, 8);
  ledger->closeStep(1, StepSign::kOptimizer);
  uint32_t modules = 1; // Global
  while (ledger->addModule(kGlobalModule, std::to_string(modules), "Linear", 0) != kNoIndex) {
    ++modules;
  }
  CHECK(modules == kSmallLedger.capacities[kModules]);
  checkInChild([&] {
    ledger->resetInForkedChild();
    countOne(*ledger, key, 8);
    return countOf(readLedger(ledger->bytes())->report, "a") == 1;
  });
  const auto contents = readLedgerFile(folder / "x.ledger");
  REQUIRE(contents);
  CHECK(contents->damage.empty());
  CHECK(countOf(contents->report, "a") == 2);
  CHECK(contents->report.modules.size() == modules);
  CHECK(notSeenOf(contents->report, "modules_full") == 1);
}

TEST_CASE("a full table keeps its rows and counts the others in not_seen") {
  const auto ledger = LedgerWriter::create();
  CollectiveKey key = keyFor(*ledger, "a");
  for (uint32_t i = 0; i < (64U << 10U); ++i) {
    key.module = i;
    REQUIRE(ledger->row(key) != nullptr);
  }
  key.module = 64U << 10U;
  CHECK(ledger->row(key) == nullptr);
  CHECK(ledger->row(key) == nullptr);
  key.module = 5;
  CHECK(ledger->row(key) != nullptr);
  CHECK(notSeenOf(readLedger(ledger->bytes())->report, "collective_rows_full") == 2);
}

TEST_CASE("groups, modules, parameters and strings beyond the capacity are counted in not_seen") {
  const auto ledger = LedgerWriter::create();
  uint32_t in_order = 0;
  for (uint32_t i = 0; i < (8U << 10U); ++i) {
    in_order += ledger->addGroup("g", "", "gloo", 1, 0, {}) == i ? 1 : 0;
  }
  CHECK(in_order == (8U << 10U));
  CHECK(ledger->addGroup("g", "", "gloo", 1, 0, {}) == kNoIndex);
  in_order = 1; // Global
  for (uint32_t i = 1; i < (128U << 10U); ++i) {
    in_order += ledger->addModule(kGlobalModule, "m", "M", 0) == i ? 1 : 0;
  }
  CHECK(in_order == (128U << 10U));
  CHECK(ledger->addModule(kGlobalModule, "m", "M", 0) == kNoIndex);
  for (uint32_t i = 0; i <= (256U << 10U); ++i) {
    ledger->addParameter(1, {"w", "[1]", "[1]", "float32", "", "", true});
  }
  for (uint32_t i = 0; i <= 1024; ++i) {
    ledger->intern(std::to_string(i) + std::string(16384, 'x'));
  }
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(notSeenOf(report, "groups_full") == 1);
  CHECK(notSeenOf(report, "modules_full") == 1);
  CHECK(notSeenOf(report, "parameters_full") == 1);
  CHECK(notSeenOf(report, "strings_full") > 0);
  CHECK(report.modules.size() == (128U << 10U));
}

TEST_CASE("threads that add and count the same rows lose no counts") {
  const auto ledger = LedgerWriter::create();
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        LedgerCollective* row = ledger->row(keyFor(*ledger, "op" + std::to_string(i % 50)));
        row->count.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(report.collectives.size() == 50);
  CHECK(countOf(report, "op7") == kThreads * kRounds / 50);
}

TEST_CASE("a forked child starts at 0, keeps the names and does not touch the parent's file") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->countNccl(22907));
  REQUIRE(ledger->enter(ledger->intern("ncclRecv"), kNoIndex, 5, 3) != nullptr);
  SUBCASE("published") {
    REQUIRE(ledger->publish(folder / "parent.ledger"));
  }
  SUBCASE("in memory") {}
  checkInChild([&] {
    ledger->resetInForkedChild();
    const Report fresh = readLedger(ledger->bytes())->report;
    if (!fresh.nccl || !fresh.open_calls.empty()) {
      return false;
    }
    countOne(*ledger, keyFor(*ledger, "childs"), 1);
    ledger->notSeen(NotSeen::kUnknownOp, "x");
    return fresh.collectives.empty() && fresh.modules.size() == 5 && fresh.modules[4].calls[0] == 0 &&
           !ledger->published() && ledger->publish(folder / "child.ledger") &&
           countOf(readLedgerFile(folder / "child.ledger")->report, "childs") == 1;
  });
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(countOf(report, "childs") == 0);
  CHECK(report.open_calls.size() == 1);
  CHECK(countOf(report, "c10d.allreduce_") == 1);
  CHECK(report.not_seen.empty());
}

TEST_CASE("later counts of a fork's parent are not in the child's new rows and modules") {
  const TempFolder folder;
  const auto ledger = LedgerWriter::create();
  REQUIRE(ledger->publish(folder / "parent.ledger"));
  int ready[2] = {-1, -1};
  int go[2] = {-1, -1};
  REQUIRE((pipe(ready) == 0 && pipe(go) == 0));
  const pid_t child = fork();
  if (child == 0) {
    ledger->resetInForkedChild();
    char byte = 0;
    const bool went = write(ready[1], "x", 1) == 1 && read(go[0], &byte, 1) == 1;
    ledger->addModule(kGlobalModule, "m", "M", 0);
    countOne(*ledger, keyFor(*ledger, "childs"), 1);
    const Report report = readLedger(ledger->bytes())->report;
    const bool ok = went && countOf(report, "childs") == 1 && report.modules.size() == 2 &&
                    report.modules[1].calls[0] == 0 && report.collectives[0].bytes == 1 &&
                    report.collectives[0].lowered.empty();
    _exit(ok ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  ledger->countModuleCall(ledger->addModule(kGlobalModule, "parents", "P", 0), Phase::kForward);
  countOne(*ledger, keyFor(*ledger, "parents"), 100);
  ledger->row(keyFor(*ledger, "parents"))->lowered[0] = ledger->intern("low");
  REQUIRE(write(go[1], "x", 1) == 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("the child of a fork during an append has the records that readers could see") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->publish(folder / "parent.ledger"));
  const StringId name = ledger->intern("all_reduce_name");
  const CollectiveKey key = keyFor(*ledger, "known");
  countOne(*ledger, key, 1);
  const uint32_t number = ledger->numberOf(ledger->row(key));
  checkInChild([&] {
    ledger->repairInForkedChild();
    ledger->resetInForkedChild();
    const bool same = ledger->intern("all_reduce_name") == name && ledger->numberOf(ledger->row(key)) == number;
    countOne(*ledger, key, 1);
    countOne(*ledger, keyFor(*ledger, "childs"), 1);
    const Report report = readLedger(ledger->bytes())->report;
    return same && ledger->intern("new") != name && countOf(report, "known") == 1 && countOf(report, "childs") == 1 &&
           report.modules.size() == 5 && !ledger->published() && ledger->publish(folder / "child.ledger");
  });
  CHECK(countOf(readLedger(ledger->bytes())->report, "known") == 1);
}

TEST_CASE("counters beyond 32 bits survive a round trip through JSON") {
  constexpr uint64_t kCalls = 1ULL << 40U;
  constexpr uint64_t kBytes = 1ULL << 62U;
  const auto ledger = LedgerWriter::create();
  const uint32_t group = ledger->addGroup("g", "", "gloo", 16384, 0, {});
  CollectiveKey key = keyFor(*ledger, "c10d.allreduce_");
  key.kind = Kind::kAllReduce;
  key.group = group;
  LedgerCollective& row = *ledger->row(key);
  row.count = kCalls;
  row.bytes = kBytes;
  ledger->header().step = kCalls;
  ledger->openStep().first_step = kCalls;
  ledger->openStep().lanes[row.lane].count = kCalls;
  ledger->count(row, {1, 4});
  ledger->notSeen(NotSeen::kUnknownOp, "x", kCalls);
  ledger->notSeen(NotSeen::kUnknownOp, "x", 1);
  ledger->closeStep(1, StepSign::kOptimizer);
  const Result<Report> report = reportFromJson(reportToJson(readLedger(ledger->bytes())->report));
  REQUIRE(report);
  REQUIRE(report->collectives.size() == 1);
  CHECK(report->collectives[0].count == kCalls + 1);
  CHECK(report->collectives[0].bytes == kBytes + 4);
  CHECK(report->collectives[0].bus_bytes > static_cast<double>(kBytes)); // almost twice as many, which exceeds 64 bits
  CHECK(notSeenOf(*report, "unknown_op") == kCalls + 1);
  CHECK(report->steps.back().first_step == kCalls + 1);
}

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
