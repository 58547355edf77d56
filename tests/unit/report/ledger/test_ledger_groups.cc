// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/report/ledger/ledger_samples.h"

namespace commtap {
namespace {

TEST_CASE("a group has a name, its ranks, and numbers for its collectives and for its sends and receives") {
  const auto ledger = LedgerWriter::create();
  const std::vector<uint32_t> ranks{1, 3};
  const uint32_t group = ledger->addGroup("dp", "data parallel", "nccl", 2, 1, ranks);
  CHECK(ledger->groupName(group) == "dp");
  CHECK(ledger->nextSequence(group, false) == 1);
  CHECK(ledger->nextSequence(group, false) == 2);
  CHECK(ledger->nextSequence(group, true) == 1);
  const Report report = readLedger(ledger->bytes())->report;
  REQUIRE(report.groups.size() == 1);
  CHECK(report.groups[0].desc == "data parallel");
  CHECK(report.groups[0].ranks == ranks);
  CHECK(report.groups[0].collectives == 2);
  CHECK(report.groups[0].point_to_point == 1);
}

TEST_CASE("a group is the mesh dimension of one name, and none of two names") {
  const auto ledger = LedgerWriter::create();
  const uint32_t one = ledger->addGroup("0", "default_pg", "gloo", 1, 0, {});
  const uint32_t two = ledger->addGroup("1", "", "gloo", 1, 0, {});
  for (const char* name : {"dp", "dp"}) {
    ledger->nameDimension(one, name);
  }
  for (const char* name : {"dp", "tp", "dp"}) {
    ledger->nameDimension(two, name);
  }
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(report.groups[0].mesh_dimension == "dp");
  CHECK(report.groups[1].mesh_dimension.empty());
}

TEST_CASE("no group has no name and no numbers") {
  const auto ledger = LedgerWriter::create();
  ledger->nameDimension(kNoIndex, "dp");
  CHECK(ledger->groupName(kNoIndex).empty());
  CHECK(ledger->nextSequence(kNoIndex, false) == 0);
}

TEST_CASE("a group whose ranks do not fit is kept without ranks and counted in not_seen") {
  const auto ledger = LedgerWriter::create();
  const std::vector<uint32_t> everyone(1U << 20U);
  for (int i = 0; i < 3; ++i) {
    CHECK(ledger->addGroup("g", "", "gloo", 1U << 20U, 0, everyone) != kNoIndex);
  }
  const Report report = readLedger(ledger->bytes())->report;
  REQUIRE(report.groups.size() == 3);
  CHECK(report.groups[1].ranks.size() == everyone.size());
  CHECK(report.groups[2].ranks.empty());
  CHECK(notSeenOf(report, "group_ranks_full") == 1);
}

TEST_CASE("the calls of a module are counted by phase") {
  const auto ledger = LedgerWriter::create();
  const uint32_t module = ledger->addModule(kGlobalModule, "Net", "Net", 0);
  ledger->countModuleCall(module, Phase::kForward);
  ledger->countModuleCall(module, Phase::kForward);
  ledger->countModuleCall(module, Phase::kRecompute);
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(report.modules[module].calls[static_cast<size_t>(Phase::kForward)] == 2);
  CHECK(report.modules[module].calls[static_cast<size_t>(Phase::kRecompute)] == 1);
}

TEST_CASE("a root with another name keeps its clean name; one that moves below a parent has its component's") {
  const auto ledger = LedgerWriter::create();
  const uint32_t ddp = ledger->addModule(kGlobalModule, "Ddp", "Ddp", 0, "Net");
  const uint32_t linear = ledger->addModule(kGlobalModule, "Linear", "Linear", 0);
  ledger->renameModule(ddp, "Ddp#2");
  ledger->reparentModule(linear, ddp, "module", true);
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(report.modules[ddp].raw_name == "Ddp#2");
  CHECK(report.modules[ddp].name == "Net");
  CHECK(report.modules[linear].raw_name == "Ddp#2.module");
  CHECK(report.modules[linear].name == "Net");
}

TEST_CASE("a row that does not fit adds no strings") {
  const auto ledger = LedgerWriter::create();
  for (uint32_t i = 1; i < (128U << 10U); ++i) {
    ledger->addModule(kGlobalModule, "m", "M", 0);
  }
  ledger->addModule(kGlobalModule, "the first that does not fit", "M", 0);
  const uint64_t used = ledger->header().sections[kStrings].used;
  for (int i = 0; i < 1000; ++i) {
    ledger->addModule(kGlobalModule, "m" + std::to_string(i), "M" + std::to_string(i), 0);
  }
  CHECK(ledger->header().sections[kStrings].used == used);
}

TEST_CASE("calls captured into a CUDA graph are read as those of one launch") {
  const std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  REQUIRE(ledger);
  REQUIRE(ledger->countNccl(22907));
  CollectiveKey collective{};
  collective.op = ledger->intern("c10d.allreduce_");
  collective.group = kNoIndex;
  LedgerCollective* asked = ledger->row(collective);
  LedgerNcclCall* called =
      ledger->row(NcclKey{ledger->intern("ncclAllReduce"), kNoIndex, 0, kNoIndex, 0, Phase::kOther, 7, 1, 0});
  REQUIRE(asked);
  REQUIRE(called);
  ledger->count(*asked, {1, 64}); // counted when issued, then recognized as captured
  ledger->count(*asked, {0 - uint64_t{1}, 0 - uint64_t{64}});
  called->captured.fetch_add(1);
  LedgerGraph* graph = ledger->addGraph();
  REQUIRE(graph);
  ledger->addGraphCall(*graph, *asked, {1, 64});
  ledger->addGraphCall(*graph, *called, {1, 128});
  graph->launches.fetch_add(3);

  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  const Report& report = contents->report;
  CHECK(report.collectives.empty());
  REQUIRE(report.nccl);
  REQUIRE(report.nccl->calls.size() == 1);
  CHECK(report.nccl->calls[0].count == 0);
  CHECK(report.nccl->calls[0].captured == 1);
  CHECK(
      report.cuda_graphs == std::vector<CudaGraph>{
                                {3,
                                 {{"Global", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "?", 1, 64}},
                                 {{"ncclAllReduce", {}, 1, 128}}}});

  ledger->zeroCounters();
  CHECK(readLedger(ledger->bytes())->report.cuda_graphs[0].launches == 0);
}

TEST_CASE("graphs, and calls in them, beyond the capacity are counted in not_seen") {
  const auto ledger = LedgerWriter::create(LedgerSize::kSmall);
  REQUIRE(ledger);
  const LedgerGraph* graph = ledger->addGraph();
  REQUIRE(graph != nullptr);
  uint64_t graphs = 1;
  while (ledger->addGraph() != nullptr) {
    ++graphs;
  }
  CHECK(graphs == kSmallLedger.capacities[kGraphs]);
  const LedgerCollective& row = *ledger->row(keyFor(*ledger, "sum"));
  for (uint64_t i = 0; i <= kSmallLedger.capacities[kGraphCalls]; ++i) {
    ledger->addGraphCall(*graph, row, {1, 8});
  }
  CHECK(notSeenOf(readLedger(ledger->bytes())->report, "graph_table_full") == 2);
}

constexpr SequenceCall kCall{.what = 17, .bytes = 320, .dtype = 6, .reduce_op = 1};

std::unique_ptr<LedgerWriter> ledgerWithGroup(LedgerSize size = LedgerSize::kFull) {
  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create(size);
  REQUIRE(ledger);
  const std::vector<uint32_t> ranks{0, 1};
  ledger->addGroup("0", "default_pg", "gloo", 2, 0, ranks);
  return ledger;
}

/// Adds the next `count` collectives of group 0.
void issue(LedgerWriter& ledger, uint64_t count, const SequenceCall& call = kCall) {
  for (uint64_t i = 0; i < count; ++i) {
    ledger.addToSequence(0, ledger.nextSequence(0, false), call);
  }
}

Group groupOf(const LedgerWriter& ledger) {
  Result<LedgerContents> contents = readLedger(ledger.bytes());
  REQUIRE(contents);
  CHECK(contents->damage.empty());
  return contents->report.groups.at(0);
}

TEST_CASE("ranks with the same collectives have the same sums, in each stretch") {
  const auto one = ledgerWithGroup();
  const auto other = ledgerWithGroup();
  for (const auto& ledger : {one.get(), other.get()}) {
    issue(*ledger, 3 * kStretchCalls + 1);
  }
  CHECK(groupOf(*one).stretches.size() == 4);
  CHECK(groupOf(*one).stretches == groupOf(*other).stretches);
}

TEST_CASE("each part of a collective changes the sum of its stretch, and of no other") {
  const auto same = ledgerWithGroup();
  issue(*same, 3 * kStretchCalls);
  const std::vector<int64_t> expected = groupOf(*same).stretches;
  SequenceCall op = kCall;
  op.what = 18;
  SequenceCall bytes = kCall;
  bytes.bytes = 324;
  SequenceCall dtype = kCall;
  dtype.dtype = 5;
  SequenceCall reduce_op = kCall;
  reduce_op.reduce_op = 2;
  SequenceCall root = kCall;
  root.root = 1;
  for (const SequenceCall& other : {op, bytes, dtype, reduce_op, root}) {
    const auto ledger = ledgerWithGroup();
    issue(*ledger, kStretchCalls + 7);
    issue(*ledger, 1, other);
    issue(*ledger, 2 * kStretchCalls - 8);
    const std::vector<int64_t> stretches = groupOf(*ledger).stretches;
    REQUIRE(stretches.size() == 3);
    CHECK(stretches[0] == expected[0]);
    CHECK(stretches[1] != expected[1]);
    CHECK(stretches[2] == expected[2]);
  }
}

TEST_CASE("two collectives that swapped places change the sum") {
  SequenceCall other = kCall;
  other.bytes = 64;
  const auto one = ledgerWithGroup();
  issue(*one, 1);
  issue(*one, 1, other);
  const auto swapped = ledgerWithGroup();
  issue(*swapped, 1, other);
  issue(*swapped, 1);
  CHECK(groupOf(*one).stretches != groupOf(*swapped).stretches);
}

TEST_CASE("the order in which threads add does not change the sums") {
  const auto alone = ledgerWithGroup();
  issue(*alone, 8 * kStretchCalls);
  const auto shared = ledgerWithGroup();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { issue(*shared, 2 * kStretchCalls); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(groupOf(*alone).stretches == groupOf(*shared).stretches);
}

TEST_CASE("a group of millions of collectives has a few hundred stretches") {
  const auto ledger = ledgerWithGroup();
  constexpr uint64_t kCalls = 3'000'000;
  issue(*ledger, kCalls);
  const Group group = groupOf(*ledger);
  CHECK(group.stretches.size() == stretchOf(kCalls) + 1);
  CHECK(group.stretches.size() < 500);
}

TEST_CASE("a damaged record of sums is left out and named") {
  const auto ledger = ledgerWithGroup();
  issue(*ledger, 10);
  ledger->records<kSequences>()[0].part = 1;
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  CHECK(contents->damage == "the sums of a group's collectives is damaged and was left out");
  CHECK(contents->report.groups.at(0).stretches.empty());
}

TEST_CASE("a full table leaves the rest of a group without sums") {
  const auto ledger = ledgerWithGroup(LedgerSize::kSmall);
  const uint64_t room = ledger->header().sections[kSequences].capacity;
  for (uint32_t group = 1; group < room; ++group) {
    ledger->addToSequence(group, 1, kCall);
  }
  issue(*ledger, kStretchesPerPart * kStretchCalls + 1); // group 0 takes the last record, and needs one more
  CHECK(groupOf(*ledger).stretches.size() == kStretchesPerPart);
  issue(*ledger, 5);
  CHECK(groupOf(*ledger).stretches.size() == kStretchesPerPart);
}

TEST_CASE("a reset and a forked child start with empty sums") {
  const auto ledger = ledgerWithGroup();
  issue(*ledger, kStretchesPerPart * kStretchCalls + 1);
  ledger->zeroCounters();
  CHECK(groupOf(*ledger).stretches.empty());
  issue(*ledger, 5);
  const auto fresh = ledgerWithGroup();
  issue(*fresh, 5);
  CHECK(groupOf(*ledger).stretches == groupOf(*fresh).stretches);
  ledger->resetInForkedChild();
  issue(*ledger, 5);
  CHECK(groupOf(*ledger).stretches == groupOf(*fresh).stretches);
}

TEST_CASE("a collective without a number or a group is not in a sum") {
  const auto ledger = ledgerWithGroup();
  ledger->addToSequence(kNoIndex, 1, kCall);
  ledger->addToSequence(0, 0, kCall);
  CHECK(groupOf(*ledger).stretches.empty());
}

} // namespace
} // namespace commtap
