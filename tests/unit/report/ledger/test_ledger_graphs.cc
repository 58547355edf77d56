// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/report/ledger/ledger_samples.h"

namespace commtap {
namespace {

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

} // namespace
} // namespace commtap
