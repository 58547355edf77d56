// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_reading.h"

#include <vector>

#include <doctest/doctest.h>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("graph calls that differ only in size share an entry") {
  std::vector<GraphCollective> calls;
  const GraphCollective reduce{"MLP", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 2, 64};
  GraphCollective elsewhere = reduce;
  elsewhere.module = "Head";
  addGraphCall(calls, reduce);
  addGraphCall(calls, elsewhere);
  addGraphCall(calls, {"MLP", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 1, 4096});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].count == 3);
  CHECK(calls[0].bytes == 4160);
  CHECK(calls[1] == elsewhere);
}

TEST_CASE("equal graph calls of a launch share an entry with summed amounts") {
  std::vector<GraphNcclCall> calls;
  addGraphCall(calls, {"ncclAllReduce", 1, 1, 64});
  addGraphCall(calls, {"ncclAllReduce", 2, 1, 64});
  addGraphCall(calls, {"ncclAllReduce", 1, 3, 32});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].count == 4);
  CHECK(calls[0].bytes == 96);
  CHECK(calls[1].count == 1);
}

TEST_CASE("NCCL calls have rows and communicators, and a reset sets their counts to 0") {
  const auto ledger = LedgerWriter::create();
  REQUIRE(ledger->countNccl(22907));
  const uint32_t number = ledger->addCommunicator();
  LedgerCommunicator& communicator = ledger->communicator(number);
  communicator.size = 4;
  communicator.rank = 3;
  NcclKey key{ledger->intern("ncclAllReduce"), number, 0, kNoIndex, kGlobalModule, Phase::kOther, 7, 1, 0};
  LedgerNcclCall* row = ledger->row(key);
  REQUIRE(row != nullptr);
  CHECK(ledger->row(key) == row);
  row->count = 2;
  row->failed = 1;
  row->bytes = 64;
  key.in_group = 0;
  CHECK(ledger->row(key) != row);

  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  REQUIRE(contents->report.nccl);
  const Nccl& nccl = *contents->report.nccl;
  CHECK(nccl.version == "2.29.7");
  CHECK(nccl.communicators == std::vector<NcclCommunicator>{{4, 3, ""}});
  CHECK(
      nccl.calls ==
      std::vector<NcclCall>{
          {"ncclAllReduce", number, "", "", "Global", Phase::kOther, "float32", true, NcclSource::kCall, 2, 1, 64}});

  ledger->zeroCounters();
  CHECK(readLedger(ledger->bytes())->report.nccl->calls.empty());
}

TEST_CASE("a damaged open call is left out, with a note, and one that is being written without") {
  const auto ledger = LedgerWriter::create();
  REQUIRE(ledger->countNccl(22907));
  LedgerOpenCall* open = ledger->enter(ledger->intern("ncclRecv"), kNoIndex, 5, 3);
  open->entered_at_ns = 1;
  CHECK(readLedger(ledger->bytes())->damage.empty());
  CHECK(readLedger(ledger->bytes())->report.open_calls.empty());
  open->entered_at_ns = 4;
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  CHECK(contents->damage == "a call that had not returned is damaged and was left out");
  CHECK(contents->report.open_calls.empty());
}

} // namespace

} // namespace commtap
