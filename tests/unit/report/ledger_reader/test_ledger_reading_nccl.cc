// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <vector>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

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
  CHECK(readLedger(ledger->bytes())->report.nccl->open.empty());
  open->entered_at_ns = 4;
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  CHECK(contents->damage == "an open call to NCCL is damaged and was left out");
  CHECK(contents->report.nccl->open.empty());
}

} // namespace
} // namespace commtap
