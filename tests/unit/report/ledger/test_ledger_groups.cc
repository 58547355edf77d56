// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <string>
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

} // namespace

} // namespace commtap
